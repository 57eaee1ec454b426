"""Compiled kernel of `aclspec.runtime.kernels.batch_norm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.plans import Run, check, common_dtype, floats, rows, usable


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
) -> Run | None:
    """Sums of the same float32 terms as NumPy's, rounded as the roles say: in float64, and those of half precision in
    float32 first, sixteen at most, within eight units of float32 of the sum of the terms' absolute values.
    """
    dtype = common_dtype(grad_out, x)
    if dtype is None or precision["accumulate"] is not DType.FLOAT or x.ndim < 2:
        return None
    c = usable(grad_out, x)
    if c is None:
        return None
    plan, outputs = rows(c, dtype, x.shape, False), (sum_dy, sum_dy_xmu, grad_weight, grad_bias)
    if all(one is None or _is_single(one) for one in (mean, invstd, *outputs)):
        into = (None if one is None else at for at, one in enumerate(outputs, 8))
        return calling(c, "batch_norm_reduce", plan, 0, 1, 2, 3, *into)
    address, null, compute = c.ffi.from_buffer, c.ffi.NULL, c.lib.aclspec_batch_norm_reduce

    def run(values: Sequence[Any]) -> None:
        grad_out, x, mean, invstd = values[:4]
        outputs = [None if one is None else _single(one) for one in values[-4:]]
        into = [null if one is None else address("float[]", one) for one in outputs]
        factors = (address("float[]", floats(one)) for one in (mean, invstd))
        check(compute(plan, address(grad_out), address(x), *factors, into))
        for one, made in zip(values[-4:], outputs, strict=True):
            if one is not None and made is not None and made is not one:
                with np.errstate(all="ignore"):
                    np.copyto(one, made, casting="unsafe")

    return run


def _is_single(array: Array) -> bool:
    return bool(array.dtype == np.float32 and array.flags.c_contiguous)


def _single(output: Array) -> Array:
    """An output where it is one of contiguous float32, else a stand-in."""
    return output if _is_single(output) else np.empty(output.shape, np.float32)
