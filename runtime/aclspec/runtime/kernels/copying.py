"""Copies of elements: a whole tensor, chosen parts of one, tensors in a row, and one number everywhere."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.in_place import in_place
from aclspec.runtime.kernels.rounding import Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def copy(target: Array, source: Array, precision: Precision) -> None:
    """Write source, broadcast to the shape of target and converted to its dtype.

    - Precision: one rounding, to the nearest; a complex number loses its imaginary part where target is not complex.
    - Source: the formula of the operator's spec.
    """
    del precision
    round_into(target, source)


def copy_whole(source: Array, target: Array, precision: Precision) -> None:
    """Write source, of the shape and the dtype of target."""
    copy(target, source, precision)


def keep(target: Array, precision: Precision) -> None:
    """Leave every element of target as it is."""
    del target, precision


def cast(source: Array, dtype: DType, out: Array, precision: Precision) -> None:
    """Write source, converted to a dtype and then to that of the output.

    - Precision: one rounding to the nearest; an integer loses the fraction, NaN then counts as 0, and BOOL is whether
      the number differs from 0. A complex number loses its imaginary part where the dtype is not complex.
    - Source: the formula of the operator's spec.
    """
    del precision
    kind = np.dtype(dtype.numpy).kind
    with np.errstate(all="ignore"):  # what a number outside the range of an integer becomes is not defined
        if kind == "b":
            source = source != 0
        elif kind in "iu":
            source = np.where(np.isnan(source.real), source.real.dtype.type(0), source.real)
        round_into(out, round_to(source, dtype))


def lower_triangle(matrices: Array, diagonal: int, out: Array, precision: Precision) -> None:
    """Write the elements of matrices that are not above a diagonal, and zeros elsewhere.

    - Shapes: both alike; the matrices are the last two axes. The diagonals are counted upwards from the main one.
    - Source: the formula of the operator's spec.
    """
    del precision
    np.copyto(out, np.where(_above(matrices, diagonal), matrices.dtype.type(0), matrices))


def upper_triangle(matrices: Array, diagonal: int, out: Array, precision: Precision) -> None:
    """Write the elements of matrices that are not below a diagonal, and zeros elsewhere; else as `lower_triangle`."""
    del precision
    np.copyto(out, np.where(_above(matrices, diagonal - 1), matrices, matrices.dtype.type(0)))


inplace_lower_triangle = in_place(lower_triangle)
inplace_upper_triangle = in_place(upper_triangle)


def identity(rows: int, columns: int, out: Array, precision: Precision) -> None:
    """Write ones on the main diagonal of a matrix, and zeros elsewhere."""
    del precision
    np.copyto(out, np.eye(rows, columns), casting="unsafe")


def fill(target: Array, value: complex, precision: Precision) -> None:
    """Write one number everywhere, converted to the dtype of target; complex numbers lose their imaginary part there.

    - Source: the formula of the operator's spec.
    """
    del precision
    round_into(target, np.asarray(value))


def fill_diagonal(target: Array, value: complex, wrap: bool, precision: Precision) -> None:
    """Write one number to the main diagonal, converted to the dtype of target.

    - Shapes: target has two axes, or more of equal sizes. With wrap the diagonal of a matrix with more rows than
      columns begins again one row below its end.
    - Source: the formula of the operator's spec.
    """
    del precision
    number: Array = np.empty((), target.dtype)
    round_into(number, np.asarray(value))
    step = sum(int(np.prod(target.shape[axis:])) for axis in range(1, target.ndim + 1))
    places = np.arange(0, target.size if wrap else step * min(target.shape), step)
    target[np.unravel_index(places, target.shape)] = number


def fill_zero(target: Array, precision: Precision) -> None:
    """Write 0 everywhere."""
    fill(target, 0, precision)


def fill_one(target: Array, precision: Precision) -> None:
    """Write 1 everywhere."""
    fill(target, 1, precision)


def fill_masked(target: Array, mask: Array, value: Array, precision: Precision) -> None:
    """Write one number where the mask is true, converted to the dtype of target.

    - Shapes: the mask broadcasts to the shape of target; the value is a scalar.
    - Source: the formula of the operator's spec.
    """
    del precision
    number: Array = np.empty((), target.dtype)
    round_into(number, value)
    np.copyto(target, number, where=mask)


def fill_masked_by(target: Array, mask: Array, value: complex, precision: Precision) -> None:
    """Write one number where the mask is true; else as `fill_masked`."""
    fill_masked(target, mask, np.asarray(value), precision)


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
            round_into(place, round_to(array, common))
            at = end


def _above(matrices: Array, diagonal: int) -> Array:
    """Whether each element of a matrix is above a diagonal."""
    rows, columns = matrices.shape[-2:]
    above: Array = np.arange(columns) > np.arange(rows)[:, None] + max(-rows, min(diagonal, columns))
    return above
