"""Slices of a tensor along one axis, written or added where indices name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.scattering import write_at


def index_copy(values: Array, dim: int, index: Array, source: Array, out: Array, precision: Precision) -> None:
    """Write values, and in place of the slices along one axis that index names those of source.

    - Shapes: out is like values, and so is source on the other axes; on the axis it is as long as index, of rank 0
      or 1; a scalar has one axis.
    - Order: of several slices for one index the last one stays.
    - Source: the formula of the operator's spec.
    """
    copied = np.array(values)
    inplace_index_copy(copied, dim, index, source, precision)
    np.copyto(out, copied)


def inplace_index_copy(target: Array, dim: int, index: Array, source: Array, precision: Precision) -> None:
    """Write the slices of source in place of those of target that index names; else as `index_copy`."""
    del precision
    whole = target.reshape(1) if target.ndim == 0 else target
    whole[places_along(whole, dim, index)] = np.atleast_1d(source)


def index_add(
    values: Array, dim: int, index: Array, source: Array, alpha: complex, out: Array, precision: Precision
) -> None:
    """Write values, and add the slices of source times alpha to those along one axis that index names.

    - Shapes: those of `index_copy`.
    - Precision: operands are rounded to the role ``operand``, alpha too, and added one by one in ``accumulate``.
    - Extra memory: a copy of values in the dtype ``accumulate``, and of source.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    sums = np.array(arithmetic.read(np.atleast_1d(values)))
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        added = arithmetic.read(np.asarray(alpha)) * arithmetic.read(np.atleast_1d(source))
    write_at(sums, places_along(sums, dim, index), added, np.add)
    arithmetic.write(out, sums.reshape(out.shape))


def places_along(target: Array, dim: int, index: Array) -> tuple[Any, ...]:
    """What indexes the slices of target along one axis that index names, in the order of index."""
    return (slice(None),) * (dim % target.ndim) + (np.ascontiguousarray(index).reshape(-1),)
