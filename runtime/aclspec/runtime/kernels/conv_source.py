"""The part of a source that a block of target cells meets in a convolution."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place
from aclspec.runtime.kernels.conv_lanes import Phase, Steps
from aclspec.runtime.kernels.rounding import Arithmetic

_DENSE = 16  # a part of the source with so many times the cells of the block's target is still read at once


class Source(NamedTuple):
    """Source cells (samples, groups, S, cells...), and where in them the taps of a block are."""

    cells: Array
    axes: list[list[tuple[slice, slice]]]
    """By axis and offset: the steps of the block, counted from its first, that meet a cell; and these cells."""
    counts: tuple[int, ...]
    """The steps of the block on each axis."""
    unread: Arithmetic | None
    """What is still to be done to make operands of the cells."""

    @classmethod
    def of(cls, source: Array, phase: Phase, steps: Steps, arithmetic: Arithmetic) -> Source:
        """Make operands of all cells between the first and the last, at once, unless the taps skip most of them."""
        counts = tuple(part.stop - part.start for part in steps)
        axes = [lane.sources(*both) for lane, *both in zip(phase.lanes, steps, source.shape[3:], strict=True)]
        if arithmetic.reads_as_is(source):
            return cls(source, axes, counts, None)
        hull = [_hull([cells for _, cells in axis]) for axis in axes]
        if prod(part.stop - part.start for part in hull) > min(phase.offsets, _DENSE) * prod(counts):
            return cls(source, axes, counts, arithmetic)
        at: Place = (..., *hull)
        shifted = [
            [(one, _shift(cells, part.start)) for one, cells in axis] for axis, part in zip(axes, hull, strict=True)
        ]
        return cls(arithmetic.read(source[at]), shifted, counts, None)

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return int(self.cells.shape[0])

    def taps(self) -> Iterator[tuple[Place, Array]]:
        """For each tap the steps that meet a cell, and the cells: (groups, S, samples, cells...)."""
        by_channel = np.moveaxis(self.cells, 0, 2)
        for tap in product(*self.axes):
            at: Place = (..., *(cells for _, cells in tap))
            inside = by_channel[at]
            yield (..., *(reading for reading, _ in tap)), inside if self.unread is None else self.unread.read(inside)

    def columns(self) -> Array:
        """What every step meets by every tap: (groups, S * taps, samples * steps), zero outside the source."""
        samples, groups, channels = self.cells.shape[:3]
        taps = prod(len(axis) for axis in self.axes)
        dtype = self.cells.dtype if self.unread is None else self.unread.accumulate
        columns = np.empty((groups, channels, taps, samples, *self.counts), dtype)
        for tap, (reading, inside) in enumerate(self.taps()):
            if inside.shape[3:] != self.counts:
                columns[:, :, tap] = 0
            columns[:, :, tap][reading] = inside
        return columns.reshape(groups, channels * taps, samples * prod(self.counts))


def _hull(parts: list[slice]) -> slice:
    """From the first to the last of these cells."""
    full = [part for part in parts if part.stop > part.start]
    return slice(min(part.start for part in full), max(part.stop for part in full)) if full else slice(0, 0)


def _shift(cells: slice, start: int) -> slice:
    return slice(cells.start - start, cells.stop - start, cells.step) if cells.stop > cells.start else cells
