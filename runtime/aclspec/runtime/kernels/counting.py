"""Outputs that are as long as the data says: places, chosen elements, different elements.

Each kernel writes the first elements of an output and answers how many rows or columns these are.
"""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.copying import cast
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.tensors.rounding import round_into


def nonzero(values: Array, out: Array, precision: Precision) -> tuple[int]:
    """Write the indices of each element that is not zero, a row for each, and answer their number.

    - Shapes: out has a row for each element of values, and a column for each axis.
    - Source: the formula of the operator's spec.
    """
    del precision
    places = np.argwhere(values != 0)
    np.copyto(out[: len(places)], places)
    return (len(places),)


def nonzero_by_axis(values: Array, out: Array, precision: Precision) -> tuple[int]:
    """Write the indices of each element that is not zero, a column for each, and answer their number.

    - Shapes: out has a row for each axis of values, and a column for each of its elements. What is written fills the
      first elements of out, as a matrix of its own.
    - Source: the formula of the operator's spec.
    """
    del precision
    places = np.argwhere(values != 0).T
    out.flat[: places.size] = places.ravel()
    return (places.shape[1],)


def masked_select(values: Array, mask: Array, out: Array, precision: Precision) -> tuple[int]:
    """Write the elements where the mask is not zero, converted to the dtype of out, and answer their number.

    - Shapes: values and mask broadcast to one shape; out has room for all elements of it.
    - Precision: one rounding to the nearest; what becomes of a number in an integer dtype or in BOOL, `cast` says.
    - Source: the formula of the operator's spec.
    """
    everything, chosen = np.broadcast_arrays(values, mask != 0)
    elements = everything[chosen]
    cast(elements, DType.of(out.dtype), out[: len(elements)], precision)
    return (len(elements),)


def unique(
    values: Array,
    in_order: bool,
    with_places: bool,
    with_counts: bool,
    different: Array,
    places: Array,
    counts: Array,
    precision: Precision,
) -> tuple[int, int]:
    """Write the different elements in ascending order, and answer their number, and that of the counts.

    - Shapes: different and counts have room for all elements of values; places is like values. Counts that are not
      asked for are 0 in number, and places are written where either is asked for.
    - Order: a NaN stands behind all numbers, and differs from every other one.
    - Extra memory: two index arrays of the size of values, and a sorted copy of them.
    - Source: the formula of the operator's spec.
    """
    del in_order, precision
    flat = values.reshape(-1)
    keys = flat if flat.dtype.isbuiltin == 1 else flat.astype(np.float32)  # sorting BF16 stops at a NaN
    order = np.argsort(keys, kind="stable")
    in_turn = keys[order]
    begins = np.concatenate(([True], in_turn[1:] != in_turn[:-1]))
    firsts = np.flatnonzero(begins)
    np.copyto(different[: len(firsts)], flat[order[firsts]])
    if with_places or with_counts:
        found = np.empty(flat.size, np.int64)
        found[order] = np.cumsum(begins) - 1
        np.copyto(places, found.reshape(places.shape))
    if with_counts:
        np.copyto(counts[: len(firsts)], np.diff(firsts, append=flat.size))
    return len(firsts), len(firsts) if with_counts else 0


def unique_values(
    values: Array, in_order: bool, with_places: bool, different: Array, places: Array, precision: Precision
) -> tuple[int]:
    """Write the different elements in ascending order, and their places on request, as `unique` has them."""
    length, _ = unique(values, in_order, with_places, False, different, places, places, precision)
    return (length,)


def _require_axis(dim: int, axis: int, rank: int, function: str) -> None:
    """Refuse another axis than this one, as the rule ``not-computed-axis`` of the spec says."""
    if dim % rank != axis:
        sentence = f"No kernel computes slices of axis {dim} of {rank}; it computes those of axis {axis}."
        raise AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)


def unique_slices(
    values: Array,
    in_order: bool,
    with_places: bool,
    dim: int,
    different: Array,
    places: Array,
    counts: Array,
    precision: Precision,
) -> tuple[int, int]:
    """Write the different slices of the last axis in ascending order, and how often each stands; answer their number.

    - Shapes: different has room for all slices; what is written fills its first elements, as a tensor of its own.
      Places and counts have a number for each slice. Places that are not asked for are left as they were.
    - Order: the first element in which two slices differ decides. A NaN stands behind all numbers, and differs from
      every other one.
    - Errors: AclnnError with 561003 where dim is not the last axis.
    - Source: the formula of the operator's spec.
    """
    del in_order, precision
    _require_axis(dim, values.ndim - 1, values.ndim, "aclnnUniqueDim")
    slices = values.reshape(-1, values.shape[-1])
    keys = slices if slices.dtype.isbuiltin == 1 else slices.astype(np.float32)  # sorting BF16 stops at a NaN
    order = np.lexsort(keys[::-1])
    in_turn = keys[:, order]
    begins = np.concatenate(([True], (in_turn[:, 1:] != in_turn[:, :-1]).any(0)))
    firsts = np.flatnonzero(begins)
    chosen = slices[:, order[firsts]]
    different.flat[: chosen.size] = chosen.ravel()
    if with_places:
        places[order] = np.cumsum(begins) - 1
    np.copyto(counts[: len(firsts)], np.diff(firsts, append=len(order)))
    return len(firsts), len(firsts)


def unique_consecutive(
    values: Array,
    with_places: bool,
    with_counts: bool,
    dim: int,
    runs: Array,
    places: Array,
    counts: Array,
    precision: Precision,
) -> tuple[int, int]:
    """Write one element of each run of equal ones, and on request the run of each element and the lengths of the runs.

    - Shapes: elements are single ones where dim is 1000, else slices of the first axis. runs and counts have room for
      all of them; places is like values, or has one number for each slice.
    - Order: a NaN is equal to no element.
    - Errors: AclnnError with 561003 where dim is another axis than the first.
    - Source: the formula of the operator's spec.
    """
    del precision
    if dim != 1000 and values.ndim:
        _require_axis(dim, 0, values.ndim, "aclnnUniqueConsecutive")
    rows = values.reshape(-1) if dim == 1000 else values
    begins = np.concatenate(([True], (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))))
    firsts = np.flatnonzero(begins)
    np.copyto(runs[: len(firsts)], rows[firsts])
    if with_places:
        np.copyto(places, (np.cumsum(begins) - 1).reshape(places.shape))
    if with_counts:
        np.copyto(counts[: len(firsts)], np.diff(firsts, append=len(rows)))
    return len(firsts), len(firsts) if with_counts else 0


def count_numbers(numbers: Array, weights: Array | None, least: int, out: Array, precision: Precision) -> None:
    """Write how often each number from 0 on occurs, or the sum of its weights.

    - Shapes: numbers (n), weights (n); out has an element for each number and is longer than the largest of them.
    - Precision: weights are rounded to the role ``operand`` and add in float64, rounded to ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del least
    arithmetic = Arithmetic.of(precision)
    wide = None if weights is None else arithmetic.read(weights).astype(np.float64)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        arithmetic.write(out, np.bincount(numbers.astype(np.int64), wide, out.size))


def histogram(values: Array, bins: int, low: float, high: float, out: Array, precision: Precision) -> None:
    """Write how many elements fall into each of some intervals of equal width, the last of which has both its ends.

    - Bounds are rounded to FLOAT, and lose their fraction where values are integers. Where they are equal, the least
      and the largest element stand in; where those are equal too, one less and one more.
    - Precision: the place of an element is computed in float64, and counts are rounded to the output.
    - Extra memory: values in float64 and as INT64.
    - Source: the formula of the operator's spec.
    """
    del precision
    flat = values.reshape(-1).astype(np.float64)
    bound = np.trunc if values.dtype.kind in "iu" else np.float32
    first, last = (float(bound(one)) for one in (low, high))
    if first == last:
        first, last = float(flat.min()), float(flat.max())
    if first == last:
        first, last = first - 1, last + 1
    inside = flat[(flat >= first) & (flat <= last)]
    places = np.minimum(((inside - first) * bins / (last - first)).astype(np.int64), bins - 1)
    with np.errstate(all="ignore"):  # a count beyond the dtype of out is an answer here, not an accident
        round_into(out, np.bincount(places, minlength=bins))
