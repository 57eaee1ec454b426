"""Compiled kernel of `aclspec.runtime.kernels.batch_norm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.kernels.batch_norm import write_sum
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
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
    """Sums in float64 of the same float32 terms as NumPy's, rounded as the roles say."""
    dtype = common_dtype(grad_out, x)
    if dtype is None or precision["accumulate"] is not DType.FLOAT or x.ndim < 2:
        return None
    c = usable(grad_out, x)
    if c is None:
        return None
    plan, address, compute = rows(c, dtype, x.shape, False), c.ffi.from_buffer, c.lib.aclspec_batch_norm_reduce
    channels = x.shape[1]
    single = np.dtype(np.float32)

    def run(values: Sequence[Any]) -> None:
        grad_out, x, mean, invstd, *_, sum_dy, sum_dy_xmu, grad_weight, grad_bias = values
        totals = np.empty((2, channels))
        sums, products = totals
        centre = floats(mean)
        places = (c.ffi.cast("double *", address(one)) for one in (sums, products))
        check(compute(plan, address(grad_out), address(x), c.ffi.cast("float *", address(centre)), *places))
        with np.errstate(all="ignore"):
            write_sum(sum_dy, sums, single)
            write_sum(grad_bias, sums, single)
            write_sum(sum_dy_xmu, products, single)
            write_sum(grad_weight, np.multiply(products, invstd, dtype=np.float64), single)

    return run
