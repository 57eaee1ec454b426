"""Compiled kernels of `aclspec.runtime.kernels.prelu`."""

from __future__ import annotations

from aclspec.runtime.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.plans import Run, common_dtype, rows, usable


def prelu_backward(
    grad_output: Array, x: Array, weight: Array, grad_input: Array, grad_weight: Array, precision: Precision
) -> Run | None:
    """The gradient of the input bit for bit; the sums of the weight's as in `batch_norm`, rounded as the roles say."""
    dtype = common_dtype(grad_output, x, weight, grad_input, grad_weight)
    if dtype is None or precision["product"] is not dtype or precision["accumulate"] is not DType.FLOAT:
        return None
    if grad_output.shape != x.shape:
        return None
    c = usable(grad_output, x, weight, grad_input, grad_weight)
    if c is None:
        return None
    return calling(c, "prelu_backward", rows(c, dtype, x.shape, weight.size == 1), 0, 1, 2, 3, 4)
