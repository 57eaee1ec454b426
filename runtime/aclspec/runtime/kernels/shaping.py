"""Tensors whose elements stand in other places: reversed, transposed, shifted and repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.tensors.rounding import round_into


def flip(x: Array, dims: Sequence[int], out: Array, precision: Precision) -> None:
    """Write the elements of x in reversed order along some axes.

    - Shapes: x and out alike; a negative axis counts from the end, and a scalar has one axis.
    - Source: the formula of the operator's spec.
    """
    del precision
    np.copyto(out, np.flip(np.atleast_1d(x), tuple(dims)).reshape(out.shape))


def permute(x: Array, dims: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x with its axes in the order dims, each of them named once; a negative axis counts from the end."""
    del precision
    np.copyto(out, x.transpose(tuple(dims)))


def channel_shuffle(x: Array, groups: int, out: Array, precision: Precision) -> None:
    """Take one channel of each group in turn; the channels are the second axis, and groups divides their number."""
    del precision
    split = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    np.copyto(out, split.swapaxes(1, 2).reshape(x.shape))


def roll(x: Array, shifts: Sequence[int], dims: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x shifted along the axes dims, or its elements as one row where no axis is named.

    - Shapes: x and out alike; a negative axis counts from the end.
    - Source: the formula of the operator's spec.
    """
    del precision
    np.copyto(out, np.roll(x, tuple(shifts), tuple(dims) or None))


def repeat(x: Array, repeats: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x once beside the other as often as repeats says along each axis; x may lack axes in front."""
    del precision
    np.copyto(out, np.tile(x, tuple(repeats)))


def expand(x: Array, size: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x, broadcast to the shape of out, which is size; x may have fewer axes in front."""
    del size, precision
    np.copyto(out, x)


def diagonal(x: Array, offset: int, out: Array, precision: Precision) -> None:
    """Write the elements of a matrix on one diagonal, or a matrix with the vector x there and zeros elsewhere.

    - Shapes: the diagonals are counted upwards from the main one; a vector of n elements fills n + |offset| rows and
      columns. Of an empty x all of out is 0.
    - Source: the formula of the operator's spec.
    """
    del precision
    if x.size and x.ndim == 2:
        np.copyto(out, np.diagonal(x, offset))
    else:
        np.copyto(out, np.diagflat(x, offset) if x.size else x.dtype.type(0))


def take_slice(x: Array, dim: int, start: int, end: int, step: int, out: Array, precision: Precision) -> None:
    """Write the elements of x from one place on an axis up to another, in steps.

    - Shapes: out is as long on the axis as there are steps. A negative place counts from the end, and what lies beyond
      the axis is brought into it.
    - Source: the formula of the operator's spec.
    """
    del precision
    np.copyto(out, x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)])


def repeat_elements(x: Array, repeats: int, size: int, out: Array, precision: Precision) -> None:
    """Write each element of x, in row-major order, ``repeats`` times in a row; out has one axis of the given size."""
    del size, precision
    np.copyto(out, np.repeat(x, repeats))


def repeat_slices(x: Array, repeats: int, dim: int, size: int, out: Array, precision: Precision) -> None:
    """Write each slice of x along one axis ``repeats`` times in a row; out has the given size on the axis."""
    del size, precision
    np.copyto(out, np.repeat(x, repeats, dim))


def repeat_elements_by(x: Array, repeats: Array, size: int, out: Array, precision: Precision) -> None:
    """Write each element of x, in row-major order, as often as repeats says; else as `repeat_slices_by`."""
    repeat_slices_by(x.reshape(-1), repeats, 0, size, out, precision)


def repeat_slices_by(x: Array, repeats: Array, dim: int, size: int, out: Array, precision: Precision) -> None:
    """Write each slice of x along one axis as often as repeats says, one after the other.

    - Shapes: repeats has one element, or one for each slice; out has the given size on the axis. Slices of out
      beyond the last repeated one stay as they were.
    - Source: the formula of the operator's spec.
    """
    del precision
    ends = np.cumsum(np.broadcast_to(repeats.reshape(-1), x.shape[dim]), dtype=np.int64)
    places = np.searchsorted(ends, np.arange(min(size, ends[-1])), side="right")
    written = np.moveaxis(out, dim, 0)[: places.size]
    np.copyto(written, np.moveaxis(x, dim, 0)[places])


def constant_pad(x: Array, pad: Sequence[int], value: complex, out: Array, precision: Precision) -> None:
    """Write x with a constant around it, or without its border where a number of pad is negative.

    - Shapes: pad has a pair of numbers for each axis from the last one on; out is larger by their sum.
    - Precision: value is converted to the dtype of out, with one rounding.
    - Source: the formula of the operator's spec.
    """
    del precision
    starts = [0] * (x.ndim - len(pad) // 2) + list(pad[-2::-2])
    inside, kept = [], []
    for start, size, room in zip(starts, x.shape, out.shape, strict=True):
        inside.append(slice(max(start, 0), start + size))
        kept.append(slice(max(-start, 0), room - start))
    round_into(out, np.asarray(value))
    out[tuple(inside)] = x[tuple(kept)]
