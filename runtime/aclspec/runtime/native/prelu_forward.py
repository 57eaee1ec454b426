"""Compiled kernel of `aclspec.runtime.kernels.prelu_forward`."""

from __future__ import annotations

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.arguments import check, common_dtype, computes_in_float, rows, usable


def prelu(x: Array, weight: Array, out: Array, precision: Precision) -> bool:
    """The same bits as NumPy's."""
    dtype = common_dtype(x, weight, out)
    if dtype is None or not computes_in_float(precision, dtype):
        return False
    c = usable(x, weight, out)
    if c is None:
        return False
    of, address = rows(c, dtype, x.shape, weight.size == 1), c.ffi.from_buffer
    check(c.lib.aclspec_prelu(of, address(x), address(weight), address(out)))
    return True
