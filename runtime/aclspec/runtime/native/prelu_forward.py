"""Compiled kernel of `aclspec.runtime.kernels.prelu_forward`."""

from __future__ import annotations

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.plans import Run, common_dtype, computes_in_float, rows, usable


def prelu(x: Array, weight: Array, out: Array, precision: Precision) -> Run | None:
    """The same bits as NumPy's."""
    dtype = common_dtype(x, weight, out)
    if dtype is None or not computes_in_float(precision, dtype):
        return None
    c = usable(x, weight, out)
    if c is None:
        return None
    return calling(c, "prelu", rows(c, dtype, x.shape, weight.size == 1), 0, 1, 2)
