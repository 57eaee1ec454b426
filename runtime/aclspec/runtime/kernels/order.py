"""Elements chosen by their places or by their rank in an order, and slices filled by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def take(x: Array, index: Array, out: Array, precision: Precision) -> None:
    """Write the elements of x at places in row-major order, a negative one from the end; index and out are alike."""
    del precision
    np.copyto(out, x.reshape(-1)[index])


def search_sorted(
    rows: Array, x: Array, narrow: bool, right: bool, sorter: Array | None, out: Array, precision: Precision
) -> None:
    """Write the first place in a row, read in the order of sorter, where an element is at least x, or more where right.

    - Shapes: the rows are the last axis, and those of x and out stand in the same places; one row serves all of x.
    - Precision: both are compared in the role ``operand``. A row that does not ascend is searched from its start.
    - Source: the formula of the operator's spec.
    """
    del narrow
    operand = precision["operand"]
    assert isinstance(operand, DType)
    ordered = rows if sorter is None else np.take_along_axis(np.atleast_1d(rows), np.atleast_1d(sorter), -1)
    keys, sought = (round_to(array, operand) for array in (np.atleast_1d(ordered), x))
    if keys.dtype.kind == "f":
        keys[np.isnan(keys)] = -np.inf
    if keys.size == 0 or sought.size == 0:
        out[...] = 0
        return
    table = np.maximum.accumulate(keys, -1).reshape(-1, keys.shape[-1])
    lines = sought.reshape(len(table), -1)
    side: Literal["left", "right"] = "right" if right else "left"
    places = [np.searchsorted(row, line, side) for row, line in zip(table, lines, strict=True)]
    out[...] = np.reshape(places, out.shape)


def search_sorted_for(
    row: Array, x: float, narrow: bool, right: bool, sorter: Array | None, out: Array, precision: Precision
) -> None:
    """Write the place of one number in one row to the first element of out, as `search_sorted` does."""
    place = np.empty((), np.int64)
    search_sorted(row, np.asarray(x), narrow, right, sorter, place, precision)
    out.flat[0] = place


def fill_slices(
    x: Array, dim: int, index: Array | Sequence[int], value: complex, out: Array, precision: Precision
) -> None:
    """Write x with the slices along one axis that indices name filled with a value."""
    np.copyto(out, x)
    fill_slices_in_place(out, dim, index, value, precision)


def fill_slices_in_place(
    x: Array, dim: int, index: Array | Sequence[int], value: complex, precision: Precision
) -> None:
    """Fill the slices of x along one axis that indices name with a value, converted to the dtype of x.

    - Shapes: a negative axis or index counts from the end, and a scalar has one axis.
    """
    del precision
    converted = np.empty((), x.dtype)
    round_into(converted, np.asarray(value))
    along = np.moveaxis(x, dim, 0) if x.ndim else x.reshape(1)
    along[np.asarray(index, np.int64).reshape(-1)] = converted


def kth_smallest(
    x: Array, k: int, dim: int, keepdim: bool, values: Array, indices: Array, precision: Precision
) -> None:
    """Write the k-th smallest element along one axis, and its index; equal elements keep their order, NaN is last."""
    del keepdim, precision
    _choose(np.atleast_1d(x), dim, k - 1, values, indices)


def median_along(x: Array, dim: int, keepdim: bool, values: Array, indices: Array, precision: Precision) -> None:
    """Write the lower median along one axis, and its index; NaN is larger than every number."""
    del keepdim, precision
    x = np.atleast_1d(x)
    _choose(x, dim, (x.shape[dim] - 1) // 2, values, indices)


def nan_median_along(x: Array, dim: int, keepdim: bool, values: Array, indices: Array, precision: Precision) -> None:
    """Write the lower median along one axis of the elements that are no NaN, and its index."""
    del keepdim, precision
    x = np.atleast_1d(x)
    count = (x == x).sum(dim, keepdims=True)
    _choose(x, dim, np.maximum(count - 1, 0) // 2, values, indices)


def median(x: Array, out: Array, precision: Precision) -> None:
    """Write the lower median of all elements; NaN is larger than every number."""
    median_along(x.reshape(-1), 0, False, out, np.empty(out.shape, np.int64), precision)


def nan_median(x: Array, out: Array, precision: Precision) -> None:
    """Write the lower median of all elements that are no NaN."""
    nan_median_along(x.reshape(-1), 0, False, out, np.empty(out.shape, np.int64), precision)


def _choose(x: Array, dim: int, place: int | Array, values: Array, indices: Array) -> None:
    """Write the elements at a place of the sorted axis, one place for all or one for each."""
    keys = x if x.dtype.kind in "iub" else x.astype(np.float64)
    order = np.argsort(keys, dim, kind="stable")
    shape = [1 if axis == dim % x.ndim else size for axis, size in enumerate(x.shape)]
    chosen = np.take_along_axis(order, np.broadcast_to(place, shape), dim)
    np.copyto(indices, chosen.reshape(indices.shape))
    np.copyto(values, np.take_along_axis(x, chosen, dim).reshape(values.shape))


def scatter_masked(x: Array, mask: Array, source: Array, precision: Precision) -> None:
    """Write the elements of source one after the other to the places of x where mask is true, while there are any."""
    del precision
    places = np.flatnonzero(np.broadcast_to(mask != 0, x.shape))[: source.size]
    x.flat[places] = source.reshape(-1)[: places.size]


def put(x: Array, index: Array, source: Array, accumulate: bool, precision: Precision) -> None:
    """Write source to places of x in row-major order, or add it there.

    - Precision: sums run in ``accumulate`` and are rounded once, to the dtype of x; integers wrap around.
    """
    if not accumulate:
        x.flat[index.reshape(-1)] = source.reshape(-1)
        return
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = np.array(arithmetic.read(x)).reshape(-1)
        np.add.at(total, index.reshape(-1), arithmetic.read(source).reshape(-1))
        arithmetic.write(x, total.reshape(x.shape))
