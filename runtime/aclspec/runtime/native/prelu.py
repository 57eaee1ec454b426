"""Compiled kernels of `aclspec.runtime.kernels.prelu`."""

from __future__ import annotations

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.arguments import check, common_dtype, rows, usable


def prelu_backward(
    grad_output: Array, x: Array, weight: Array, grad_input: Array, grad_weight: Array, precision: Precision
) -> bool:
    """The gradient of the input bit for bit; the sums of the weight's as in `batch_norm`, rounded as the roles say."""
    dtype = common_dtype(grad_output, x, weight, grad_input, grad_weight)
    if dtype is None or precision["product"] is not dtype or precision["accumulate"] is not DType.FLOAT:
        return False
    if grad_output.shape != x.shape:
        return False
    c = usable(grad_output, x, weight, grad_input, grad_weight)
    if c is None:
        return False
    of, address = rows(c, dtype, x.shape, weight.size == 1), c.ffi.from_buffer
    arrays = (grad_output, x, weight, grad_input, grad_weight)
    check(c.lib.aclspec_prelu_backward(of, *map(address, arrays)))
    return True
