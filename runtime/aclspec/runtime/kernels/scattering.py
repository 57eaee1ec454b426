"""Elements that are written to the places that indices name, or combined with what stands there."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

_COMBINE: dict[int, np.ufunc | None] = {0: None, 1: np.add, 2: np.multiply}
_REDUCE: dict[int, np.ufunc | None] = {**_COMBINE, 3: np.maximum, 4: np.minimum, 5: np.add}


def scatter(
    values: Array, dim: int, index: Array, source: Array, reduce: int, out: Array, precision: Precision
) -> None:
    """Write values, and at the places along one axis that index names the elements of source, or their combination.

    - Shapes: out is like values; source may be larger than index, and so may values on the other axes. A scalar has one
      axis. Where index is empty, its shape does not matter.
    - Order: 0 replaces, and of several elements for one place the last along the axis stays; 1 adds and 2 multiplies.
    - Precision: elements are rounded to the role ``operand`` and combined one after the other in ``accumulate``.
    - Extra memory: a copy of values in the dtype ``accumulate``, and of source.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    target = np.array(arithmetic.read(np.atleast_1d(values)))
    if index.size:
        places = np.atleast_1d(index)
        where: list[Any] = list(np.indices(places.shape, sparse=True))
        where[dim % target.ndim] = places
        chosen = np.atleast_1d(source)[tuple(map(slice, places.shape))]
        write_at(target, tuple(where), arithmetic.read(chosen), _COMBINE[reduce])
    arithmetic.write(out, target.reshape(out.shape))


def inplace_scatter(target: Array, dim: int, index: Array, source: Array, reduce: int, precision: Precision) -> None:
    """Write the elements of source, or their combination, in place of those of target; else as `scatter`."""
    scatter(target, dim, index, source, reduce, target, precision)


def scatter_value(
    values: Array, dim: int, index: Array, value: complex, reduce: int, out: Array, precision: Precision
) -> None:
    """Write values, and one number, or its combination, at the places that index names; else as `scatter`."""
    scatter(values, dim, index, np.broadcast_to(np.asarray(value), index.shape), reduce, out, precision)


def inplace_scatter_value(
    target: Array, dim: int, index: Array, value: complex, reduce: int, precision: Precision
) -> None:
    """Write one number, or its combination, at the places of target that index names; else as `scatter`."""
    scatter_value(target, dim, index, value, reduce, target, precision)


def scatter_add(values: Array, dim: int, index: Array, source: Array, out: Array, precision: Precision) -> None:
    """Add the elements of source to those of values that index names along one axis; else as `scatter`."""
    scatter(values, dim, index, source, 1, out, precision)


def scatter_reduce(
    values: Array,
    dim: int,
    index: Array,
    source: Array,
    reduce: int,
    with_values: bool,
    out: Array,
    precision: Precision,
) -> None:
    """Combine the elements of source of one place, with what stands there in values or without; else as `scatter`.

    - Order: 0 replaces, 1 adds, 2 multiplies, 3 takes the largest, 4 the smallest, and 5 the mean, of integers rounded
      down. A NaN is the largest and the smallest.
    """
    arithmetic = Arithmetic.of(precision)
    target = np.array(arithmetic.read(np.atleast_1d(values)))
    if index.size:
        places = np.atleast_1d(index)
        where: list[Any] = list(np.indices(places.shape, sparse=True))
        where[dim % target.ndim] = places
        at = tuple(where)
        chosen = arithmetic.read(np.atleast_1d(source)[tuple(map(slice, places.shape))])
        counts = np.full(target.shape, int(with_values))
        np.add.at(counts, at, 1)
        if not with_values and reduce:
            target[at] = _neutral(reduce, target.dtype)
        write_at(target, at, chosen, _REDUCE[reduce])
        if reduce == 5:
            divide = np.floor_divide if target.dtype.kind in "biu" else np.true_divide
            with np.errstate(all="ignore"):
                target = divide(target, np.maximum(counts, 1)).astype(target.dtype)
    arithmetic.write(out, target.reshape(out.shape))


def _neutral(reduce: int, dtype: np.dtype[Any]) -> Any:
    """The element that a reduction begins with."""
    if reduce not in (3, 4):
        return reduce == 2
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return bounds.min if reduce == 3 else bounds.max
    return reduce == 4 if dtype.kind == "b" else -np.inf if reduce == 3 else np.inf


def write_at(target: Array, places: tuple[Any, ...], elements: Array, combine: np.ufunc | None) -> None:
    """Put elements in their places one after the other, or combine them with what stands there."""
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        if combine is None:
            target[places] = elements
        else:
            combine.at(target, places, elements)
