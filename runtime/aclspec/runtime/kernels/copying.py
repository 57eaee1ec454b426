"""Copies of elements: a whole tensor, chosen parts of one, and tensors in a row."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def copy(target: Array, source: Array, precision: Precision) -> None:
    """Write source, broadcast to the shape of target and converted to its dtype.

    - Precision: one rounding, to the nearest; a complex number loses its imaginary part where target is not complex.
    - Source: the formula of the operator's spec.
    """
    del precision
    round_into(target, np.broadcast_to(source, target.shape))


def index_select(values: Array, dim: int, index: Array, out: Array, precision: Precision) -> None:
    """Write the slices of values along one axis that index names, in its order.

    - Shapes: index has rank 0 or 1; out is values with another size on the axis. A scalar counts as one of one element.
    - Source: the formula of the operator's spec.
    """
    del precision
    chosen = np.take(np.atleast_1d(values), np.atleast_1d(index), axis=dim)
    np.copyto(out, chosen.reshape(out.shape))


def concatenate(arrays: tuple[Array, ...], dim: int, out: Array, precision: Precision) -> None:
    """Write arrays in a row along one axis.

    - Shapes: all have the rank of out, but for arrays of shape (0), which add nothing.
    - Precision: each element is rounded to the role ``operand``, the dtype that all promote to, then to the output.
    - Source: the formula of the operator's spec.
    """
    common = precision["operand"]
    assert isinstance(common, DType)
    at = 0
    for array in arrays:
        if array.ndim == out.ndim:
            end = at + array.shape[dim]
            place = out.swapaxes(0, dim)[at:end].swapaxes(0, dim)
            round_into(place, array if array.dtype == common.numpy else round_to(array, common))
            at = end
