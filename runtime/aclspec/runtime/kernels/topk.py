"""Elements sorted along one axis: all of them, or the largest or smallest ones."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.kernels.softmax import softmax
from aclspec.runtime.tensors.rounding import round_into


def topk(
    values: Array,
    k: int,
    dim: int,
    largest: bool,
    in_order: bool,
    chosen: Array,
    indices: Array,
    precision: Precision,
) -> None:
    """Write the first k elements along one axis of those sorted by size, and their indices.

    - Order: a NaN is larger than every number; of equal elements the one with the smaller index stands first.
    - Precision: the elements are rounded to the role ``operand`` before they are compared.
    - Extra memory: two index arrays of the size of values, and two copies of them.
    - Source: the formula of the operator's spec.
    """
    del in_order
    source, order = _sorted(values, dim, largest, precision)
    first = np.take(order, np.arange(k), axis=dim)
    np.copyto(indices, first.reshape(indices.shape))
    np.copyto(chosen, np.take_along_axis(source, first, dim).reshape(chosen.shape), casting="unsafe")


def sort(
    values: Array, stable: bool, dim: int, descending: bool, in_order: Array, indices: Array, precision: Precision
) -> None:
    """Write the elements sorted along one axis, and the indices at which they stood.

    - Order, extra memory and source are those of `topk`; equal elements keep theirs, whether stable or not.
    - Precision: the elements are rounded to the role ``operand`` before they are compared, then to the output.
    """
    del stable
    source, order = _sorted(values, dim, descending, precision)
    np.copyto(indices, order.reshape(indices.shape))
    round_into(in_order, np.take_along_axis(source, order, dim).reshape(in_order.shape))


def argsort(values: Array, dim: int, descending: bool, indices: Array, precision: Precision) -> None:
    """Write the indices along one axis at which the elements stand in the order of size; else as `sort`."""
    _, order = _sorted(values, dim, descending, precision)
    np.copyto(indices, order.reshape(indices.shape))


def gating_softmax(
    x: Array,
    finished: Array | None,
    k: int,
    weights: Array,
    experts: Array,
    places: Array,
    precision: Precision,
) -> None:
    """Write the k largest elements of the softmax of each row, their indices, and the places of the pairs.

    - Shapes: a row lies along the last axis; finished has the axes in front. The outputs have k elements in a row.
    - Order: that of `topk`. Of a finished row the indices are the number of elements in a row.
    - Places: those of all pairs of row and index, counted column by column.
    - Precision: that of `softmax`; its numbers are compared in the role ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    wide = dict.fromkeys(("operand", "accumulate"), precision["accumulate"])
    shares: Array = np.empty(x.shape, Arithmetic.of(precision).accumulate)
    softmax(x, -1, shares, {**wide, "operand": precision["operand"]})
    topk(shares, k, -1, True, True, chosen := np.empty(weights.shape, shares.dtype), experts, wide)
    Arithmetic.of(precision).write(weights, chosen)
    if finished is not None:
        experts[finished] = x.shape[-1]
    np.copyto(places, np.arange(places.size).reshape(k, -1).T.reshape(places.shape))


def _sorted(values: Array, dim: int, descending: bool, precision: Precision) -> tuple[Array, Array]:
    """The elements that are compared, of one axis at least, and their indices along an axis in the order of size."""
    operand = precision["operand"]
    assert isinstance(operand, DType)
    source = np.atleast_1d(round_to(values, operand))
    keys = source if source.dtype.isbuiltin == 1 else source.astype(np.float32)  # sorting BF16 stops at a NaN
    if not descending:
        return source, np.argsort(keys, dim, kind="stable")
    # Sorted from the end, so that equal elements keep their order when the result is turned round.
    return source, source.shape[dim] - 1 - np.flip(np.argsort(np.flip(keys, dim), dim, kind="stable"), dim)
