"""The part of a source that a block of target cells meets in a convolution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place, join, joined
from aclspec.runtime.kernels.conv_lanes import Phase, Run, Steps
from aclspec.runtime.kernels.conv_parts import Part
from aclspec.runtime.kernels.rounding import Arithmetic

_DENSE = 16  # a part of the source with this many times the cells of the block's target is read at once


class Slide(NamedTuple):
    """What the steps of a block meet by the taps of the last axis, for one tap of each axis before it."""

    steps: Place
    """The steps of the block that meet a cell, on all axes but the last two."""
    number: int
    """These taps among all that the axes before the last have."""
    columns: Array
    """(samples, groups, steps..., S * taps, cells of the last two axes)."""


class Source(NamedTuple):
    """Source cells (samples, groups, S, cells...), and where in them the taps of a block are."""

    cells: Array
    axes: list[list[tuple[slice, slice]]]
    """By axis and offset: the steps of the block, counted from its first, that meet a cell; and these cells."""
    first_row: int
    """The cell of the whole source, on the axis before the last, that the first of these is."""
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
            return cls(source, axes, 0, counts, None)
        cut = cls(source, axes, 0, counts, arithmetic).cut()
        if prod(cut.cells.shape[3:]) > min(phase.offsets, _DENSE) * prod(counts):
            return cut
        return cut._replace(cells=arithmetic.read(cut.cells), unread=None)

    def cut(self) -> Source:
        """The same without the cells before the first and behind the last that a step meets."""
        hull = [_hull([cells for _, cells in axis]) for axis in self.axes]
        axes = [
            [(steps, _shift(cells, part.start)) for steps, cells in axis]
            for axis, part in zip(self.axes, hull, strict=True)
        ]
        at: Place = (..., *hull)
        return self._replace(cells=self.cells[at], axes=axes, first_row=self.first_row + hull[-2].start)

    @property
    def steps(self) -> tuple[int, ...]:
        """How many samples there are, and steps on each axis."""
        return int(self.cells.shape[0]), *self.counts

    @property
    def is_dense(self) -> bool:
        """Whether the cells are operands, and at most twice as many on each axis as the steps."""
        return self.unread is None and all(
            size <= 2 * steps for size, steps in zip(self.cells.shape[3:], self.counts, strict=True)
        )

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
        if taps == samples == 1:
            ((_, inside),) = self.taps()
            if inside.shape[3:] == self.counts:
                return matrix(inside)
        columns = np.empty((groups, channels, taps, samples, *self.counts), self.dtype)
        for tap, (reading, inside) in enumerate(self.taps()):
            if inside.shape[3:] != self.counts:
                columns[:, :, tap] = 0
            columns[:, :, tap][reading] = inside
        return columns.reshape(groups, channels * taps, samples * prod(self.counts))

    def slides(self, runs: Sequence[Run]) -> Iterator[Slide]:
        """The same columns tap by tap, but for the last axis; ``runs`` are those of the axis before it.

        The cells are gathered by the taps of the last axis alone. On the axis before it they lie as they do in the
        source, so that each tap reads the same numbers from another place on.
        """
        rows, width = len(self.axes[-2]), self.counts[-1]
        for leading, tap in enumerate(product(*self.axes[:-2])):
            at: Place = (..., *(cells for _, cells in tap), slice(None), slice(None))
            cells = np.moveaxis(self.cells[at], 2, -3)
            if cells.size:
                for run in runs:
                    laid = self._laid(cells, run)
                    for number, begin in run.offsets:
                        columns = laid[..., begin * width : (begin + self.counts[-2]) * width]
                        yield Slide(tuple(steps for steps, _ in tap), leading * rows + number, columns)

    def _laid(self, cells: Array, run: Run) -> Array:
        """The cells (samples, groups, steps..., S, rows, cells) of a run as (..., S * taps, rows * steps)."""
        axis, width = self.axes[-1], self.counts[-1]
        rows = cells[..., _shift(run.cells, self.first_row), :]
        shape = *cells.shape[:-2], len(axis), run.length, width
        whole = len(axis) == 1 and self.unread is None and rows.shape[-2:] == shape[-2:]
        laid = joined(rows, 2) if whole else None
        if laid is None:
            laid = np.empty(shape, self.dtype)
            for tap, (reading, inside) in enumerate(axis):
                source = rows[..., inside]
                if source.shape[-2:] != shape[-2:]:
                    laid[..., tap, :, :] = 0
                laid[..., tap, run.inside, reading] = source if self.unread is None else self.unread.read(source)
        return laid.reshape(*cells.shape[:-3], cells.shape[-3] * len(axis), run.length * width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the operands."""
        return self.cells.dtype if self.unread is None else self.unread.accumulate


class Overlap(NamedTuple):
    """What a block of target cells meets of some channels of the source."""

    channels: slice
    source: Source
    runs: list[Run] | None
    """What `Source.slides` needs, where that pays."""


def overlaps(source: Array, phase: Phase, steps: Steps, part: Part, arithmetic: Arithmetic) -> Iterator[Overlap]:
    """Some channels of the source at a time."""
    runs = list(phase.lanes[-2].runs(steps[-2], source.shape[-2])) if part.way == "slide" else None
    for some in ranges(source.shape[2], part.channels):
        yield Overlap(some, Source.of(source[:, :, some], phase, steps, arithmetic), runs)


def matrix(array: Array) -> Array:
    """A matrix for each group, one row a channel, of (groups, channels, ...): a view where there is one."""
    return join(array, array.ndim - 2)


def _hull(parts: list[slice]) -> slice:
    """From the first to the last of these cells."""
    full = [part for part in parts if part.stop > part.start]
    return slice(min(part.start for part in full), max(part.stop for part in full)) if full else slice(0, 0)


def _shift(cells: slice, start: int) -> slice:
    return slice(cells.start - start, cells.stop - start, cells.step) if cells.stop > cells.start else cells


def ranges(count: int, step: int) -> Iterator[slice]:
    """Slices of at most ``step`` that cover this number."""
    return (slice(start, min(start + step, count)) for start in range(0, count, step))
