"""Compiled kernel of `aclspec.runtime.kernels.batch_norm`."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.arguments import check, common_dtype, floats, rows, usable


def batch_norm_reduce_backward(
    grad_out: Array,
    x: Array,
    mean: Array,
    invstd: Array,
    weight: Array | None,
    input_g: bool,
    weight_g: bool,
    bias_g: bool,
    sum_dy: Array | None,
    sum_dy_xmu: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> bool:
    """Sums of the same float32 terms as NumPy's, rounded as the roles say: in float64, and those of half precision in
    float32 first, sixteen at most, within eight units of float32 of the sum of the terms' absolute values.
    """
    dtype = common_dtype(grad_out, x)
    if dtype is None or precision["accumulate"] is not DType.FLOAT or x.ndim < 2:
        return False
    c = usable(grad_out, x)
    if c is None:
        return False
    of, address = rows(c, dtype, x.shape, False), c.ffi.from_buffer
    outputs = (sum_dy, sum_dy_xmu, grad_weight, grad_bias)
    made = [None if one is None else _single(one) for one in outputs]
    into = [c.ffi.NULL if one is None else address("float[]", one) for one in made]
    factors = [floats(one) for one in (mean, invstd)]
    pointers = (address("float[]", one) for one in factors)
    check(c.lib.aclspec_batch_norm_reduce(of, address(grad_out), address(x), *pointers, into))
    for one, single in zip(outputs, made, strict=True):
        if one is not None and single is not None and single is not one:
            with np.errstate(all="ignore"):
                np.copyto(one, single, casting="unsafe")
    return True


def _is_single(array: Array) -> bool:
    return bool(array.dtype == np.float32 and array.flags.c_contiguous)


def _single(output: Array) -> Array:
    """An output where it is one of contiguous float32, else a stand-in."""
    return output if _is_single(output) else np.empty(output.shape, np.float32)
