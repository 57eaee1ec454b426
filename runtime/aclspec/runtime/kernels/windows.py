"""The windows of a pooling: which cells of the input each of them covers.

Along one axis window ``o`` begins at ``o * stride - padding`` and has ``kernel`` cells, ``dilation`` apart. How
many windows there are is the size rule of the operator's spec; here it shows in the size of the output. All bounds are
Python integers, so that no attribute overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.kernels.blocks import Array

ROWS, COLS = -2, -1


def overlap(offset: int, stride: int, size: int, count: int) -> tuple[int, int]:
    """The bounds of those of ``count`` steps for which ``step * stride + offset`` is in ``range(size)``."""
    first = max(0, -(offset // stride))
    return first, max(first, min(count, (size - 1 - offset) // stride + 1))


@dataclass(frozen=True)
class Axis:
    """The windows along one axis of the input."""

    size: int
    """Cells of the input."""
    count: int
    """Windows, which is the size of the output."""
    kernel: int
    stride: int
    padding: int
    dilation: int = 1

    @property
    def goes_by_tap(self) -> bool:
        """Whether there are fewer kernel cells to go through than windows."""
        return len(self._taps) <= self.count

    @property
    def end(self) -> int:
        """The input cells that windows can cover end here: a negative padding cuts off the last ones."""
        return self.size + min(0, self.padding)

    @property
    def _taps(self) -> range:
        """The kernel cells that can be inside the input."""
        first = max(0, -(self.start(self.count - 1) // self.dilation))
        return range(first, max(first, min(self.kernel, (self.end - 1 + self.padding) // self.dilation + 1)))

    def taps(self) -> Iterator[tuple[slice, slice]]:
        """For each kernel cell the input cells under it, and the windows that have them in it."""
        for tap in self._taps:
            offset = tap * self.dilation - self.padding
            first, last = overlap(offset, self.stride, self.end, self.count)
            if first < last:
                cells = slice(first * self.stride + offset, (last - 1) * self.stride + offset + 1, self.stride)
                yield cells, slice(first, last)

    def start(self, window: int) -> int:
        """Where a window begins; before the input, this is negative."""
        return window * self.stride - self.padding

    def cells(self, window: int) -> slice:
        """The input cells in a window."""
        first, last = overlap(self.start(window), self.dilation, self.end, self.kernel)
        start = self.start(window) + first * self.dilation
        return slice(start, start + (last - first - 1) * self.dilation + 1, self.dilation) if first < last else slice(0)

    def widths(self, with_padding: bool) -> list[int]:
        """The number of cells of each undilated window inside the input, or inside the padded input."""
        low, high = (-self.padding, self.size + self.padding) if with_padding else (0, self.end)
        starts = (self.start(window) for window in range(self.count))
        return [min(start + self.kernel, high) - max(start, low) for start in starts]


class Pool(NamedTuple):
    """The windows of a two-dimensional pooling."""

    rows: Axis
    cols: Axis


def pool_of(
    cells: Sequence[int],
    windows: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int] = (1,),
) -> Pool:
    """The windows between an input and an output of these shapes, whose last two axes are the rows and the columns.

    An attribute of one element counts for both axes, a third one for neither, and a stride that is missing or empty is
    the kernel.
    """
    kernels = _pair(kernel)
    values = kernels, _pair(stride) if stride else kernels, _pair(padding), _pair(dilation)
    rows, cols = (Axis(cells[at], windows[at], *(value[at] for value in values)) for at in (ROWS, COLS))
    return Pool(rows, cols)


def over_windows(combine: np.ufunc, start: Any, axis: Axis, along: int, cells: Array) -> Array:
    """Combine the cells of each window along one axis, by addition for example; one without cells has ``start``."""
    shape = list(cells.shape)
    shape[along] = axis.count
    found = np.full(shape, start, cells.dtype)
    cell, to = cells.swapaxes(along, COLS), found.swapaxes(along, COLS)
    if axis.goes_by_tap:
        for covered, windows in axis.taps():
            combine(to[..., windows], cell[..., covered], out=to[..., windows])
    else:
        for window in range(axis.count):
            inside = cell[..., axis.cells(window)]
            if inside.shape[-1]:
                to[..., window] = combine.reduce(inside, axis=-1)
    return found


def as_batch(array: Array) -> Array:
    """A view with four axes; the batch of a (C, H, W) array has one element."""
    return array if array.ndim == 4 else array[None]


def _pair(values: Sequence[int]) -> tuple[int, int]:
    return values[0], values[:2][-1]
