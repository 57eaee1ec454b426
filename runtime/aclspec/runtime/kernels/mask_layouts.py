"""The two layouts of a max-pool mask: an INT8 buffer that says where the maximum of each window lies.

With P windows a plane and B = ceil(P / 16) + 1, the declared shape is (N, C, kH * kW, 32 * B). The bytes, in row-major
order of that shape, hold from the first one on:

- ``argmax``: a dense little-endian int32 array (N, C, Ho, Wo) of positions i * W + j in the plane.
- ``bits``: little-endian uint16 words (N, ceil(C / 16), kH * kW, 16 * B). Bit r of word [n, b, q, p] says that channel
  16 * b + r has the maximum of its window p in kernel cell q.

The bytes after these are not used: they are neither written nor read.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.kernels.blocks import BLOCK, Array, blocks
from aclspec.runtime.kernels.windows import Axis, Pool

NOWHERE = -1
"""The position of a maximum that is nowhere in its window."""
LANES = 16
"""Channels, and windows, that the layout ``bits`` takes together."""
Integers = NDArray[np.int64]


class Planes(NamedTuple):
    """A run of planes that lie one after the other in both layouts."""

    samples: slice
    channels: slice

    @property
    def shape(self) -> tuple[int, int]:
        """The number of samples and of channels."""
        return self.samples.stop - self.samples.start, self.channels.stop - self.channels.start


class Maxima(NamedTuple):
    """Some windows of a run of planes: their numbers in row-major order, and where their maxima lie in the plane."""

    windows: Integers
    positions: Integers


class Mask:
    """A mask buffer, of whatever size and strides, seen in one of the layouts."""

    def __init__(self, buffer: Array, layout: str, samples: int, channels: int, pool: Pool) -> None:
        """The mask of a number of planes under these windows."""
        if layout not in ("argmax", "bits"):
            raise ValueError(f'The layout of a mask ({layout}) is neither "argmax" nor "bits".')
        # Note: the library ignores the strides of the mask on some routes; here its elements are its bytes, in order.
        self._bytes: Any = buffer.reshape(-1) if buffer.flags.c_contiguous else buffer.flat
        self._size = buffer.size
        self._bits = layout == "bits"
        self._samples, self._channels, self._pool = samples, channels, pool
        self._windows = pool.rows.count * pool.cols.count
        self._words = block_words(self._windows)

    def planes(self) -> Iterator[Planes]:
        """Runs of planes of about one block, and of at least 16 channels where the layout takes 16 together."""
        lanes = LANES if self._bits else 1
        plane = max(1, self._pool.rows.size * self._pool.cols.size, self._windows)
        groups = -(-self._channels // lanes)
        for at in blocks((self._samples, groups), max(1, BLOCK // (lanes * plane))):
            first, last, _ = at[0].indices(self._samples)
            start, stop, _ = at[1].indices(groups)
            yield Planes(slice(first, last), slice(start * lanes, min(stop * lanes, self._channels)))

    def write(self, planes: Planes, positions: Array) -> None:
        """Write the positions of the maxima, an array (samples, channels, Ho, Wo)."""
        if not self._bits:
            self._put(4 * self._first(planes), np.ascontiguousarray(positions, "<i4"))
            return
        cells, valid = _cells(self._pool, positions)
        word, lane = self._word(planes)
        at = np.where(valid, word + cells * self._words, 0).reshape(-1)
        bit = np.where(valid, np.left_shift(1, lane), 0).astype(np.uint16)
        words = np.zeros(self._word_count(planes), "<u2")
        np.add.at(words, at, bit.reshape(-1))  # no bit is set twice
        self._put(2 * self._first(planes), words)

    def read(self, planes: Planes) -> Maxima:
        """The maxima that the mask has for these planes.

        Whatever is not a cell of its own window inside the plane is left out; so is what is beyond a short buffer.
        """
        shape = (*planes.shape, self._pool.rows.count, self._pool.cols.count)
        if self._bits:
            return self._read_bits(planes)
        raw = np.full(4 * prod(shape), NOWHERE, np.int8)
        start = 4 * self._first(planes)
        found = self._bytes[start : start + raw.size]
        raw[: found.size] = found
        positions = raw.view("<i4").reshape(shape)
        _, valid = _cells(self._pool, positions)
        windows = np.flatnonzero(valid)
        return Maxima(windows, positions.reshape(-1)[windows])

    def _read_bits(self, planes: Planes) -> Maxima:
        # A kernel can be so large that only the words that are there may be counted.
        start = 2 * self._first(planes)
        found = np.array(self._bytes[start : start + 2 * self._word_count(planes)])
        words = found[: found.size // 2 * 2].view("<u2")
        hits = np.flatnonzero(words)
        rows, window = np.divmod(hits, self._words)
        groups, cell = np.divmod(rows, min(self._pool.rows.kernel * self._pool.cols.kernel, self._size + 1))
        positions = _positions(self._pool, cell, window)
        bits = np.unpackbits(words[hits].view(np.uint8), bitorder="little")
        set_bits = np.flatnonzero(bits)
        hit, lane = set_bits >> 4, set_bits & (LANES - 1)
        channels = planes.shape[1]
        sample, group = np.divmod(groups[hit], -(-channels // LANES))
        channel = group * LANES + lane
        good = (positions[hit] != NOWHERE) & (channel < channels)
        windows = (sample * channels + channel) * self._windows + window[hit]
        return Maxima(windows[good], positions[hit][good])

    def _first(self, planes: Planes) -> int:
        """The first int32 (or, in the layout ``bits``, the first word) of these planes."""
        sample, channel = planes.samples.start, planes.channels.start
        if not self._bits:
            return int(sample * self._channels + channel) * self._windows
        group = sample * -(-self._channels // LANES) + channel // LANES
        return int(group) * self._pool.rows.kernel * self._pool.cols.kernel * self._words

    def _word_count(self, planes: Planes) -> int:
        samples, channels = planes.shape
        return samples * -(-channels // LANES) * self._pool.rows.kernel * self._pool.cols.kernel * self._words

    def _word(self, planes: Planes) -> tuple[Integers, Integers]:
        """The word of kernel cell 0, and the bit in it, of each window (samples, channels, Ho, Wo)."""
        samples, channels = planes.shape
        group, lane = np.divmod(np.arange(channels), LANES)
        group = np.arange(samples)[:, None] * -(-channels // LANES) + group
        start = group * (self._pool.rows.kernel * self._pool.cols.kernel * self._words)
        window = np.arange(self._windows).reshape(self._pool.rows.count, self._pool.cols.count)
        return start[..., None, None] + window, lane[:, None, None]

    def _put(self, start: int, values: Array) -> None:
        stop = min(start + values.nbytes, self._size)
        self._bytes[start:stop] = values.reshape(-1).view(np.int8)[: max(0, stop - start)]


def block_words(windows: int) -> int:
    """The words that the layout ``bits`` has for the windows of a plane: a multiple of 16, and 1 to 16 more."""
    return (-(-windows // LANES) + 1) * LANES


def _starts(axis: Axis) -> Integers:
    return np.array([axis.start(window) for window in range(axis.count)], np.int64)


def _cells(pool: Pool, positions: Array) -> tuple[Integers, NDArray[np.bool_]]:
    """The kernel cell of each position in its window, and whether it is one; the last two axes are the windows."""
    width = max(1, pool.cols.size)
    row = positions // width
    row_cell, row_good = _steps(pool.rows, row - _starts(pool.rows)[:, None])
    col_cell, col_good = _steps(pool.cols, positions - row * width - _starts(pool.cols))
    return row_cell * pool.cols.kernel + col_cell, row_good & col_good & (row >= 0) & (row < pool.rows.size)


def _steps(axis: Axis, distance: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """The kernel cell at a distance from the window's start along an axis, and whether there is one."""
    step, rest = np.divmod(distance, axis.dilation)
    return step, (step >= 0) & (step < axis.kernel) & (rest == 0)


def _positions(pool: Pool, cell: Integers, window: Integers) -> Integers:
    """The position in the plane of a kernel cell of a window, NOWHERE where that is outside."""
    row_cell, col_cell = np.divmod(cell, pool.cols.kernel)
    row_window, col_window = np.divmod(window, max(1, pool.cols.count))
    good = row_window < pool.rows.count
    row = _starts(pool.rows)[np.where(good, row_window, 0)] + row_cell * pool.rows.dilation
    col = _starts(pool.cols)[col_window] + col_cell * pool.cols.dilation
    good &= (row >= 0) & (row < pool.rows.size) & (col >= 0) & (col < pool.cols.size)
    return np.where(good, row * pool.cols.size + col, NOWHERE)
