"""The two sums that every convolution and its gradients are made of, as matrix products over blocks.

Arrays here have their groups apart: a source (N, G, S, cells...), a target (N, G, T, cells...), a weight
(G, T, S, kernel cells...). The source cells that a block of target cells meets are gathered as a matrix of about
`BLOCK` elements and multiplied by BLAS. A gathered cell outside the source is a zero; where the other factor has an
infinity or a NaN, which would make that zero a NaN, one tap after the other is multiplied without such cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place, blocks
from aclspec.runtime.kernels.conv_lanes import Phase, Steps, covers
from aclspec.runtime.kernels.rounding import Arithmetic

BLOCK = 1 << 18
"""Elements of a gathered matrix: 1 MB of float32."""
_ENOUGH = 512  # positions that keep BLAS busy; with more than a block of taps for so many, the taps are taken in parts
_DENSE = 16  # a part of the source with so many times the cells of the block's target is still read at once


class _Part(NamedTuple):
    """What a block takes together: groups, positions (of all samples and axes), taps."""

    groups: int
    positions: int
    taps: int


def contract(
    source: Array, weight: Array, target: Array, phases: Sequence[Phase], bias: Array | None, arithmetic: Arithmetic
) -> None:
    """``target[n, g, t, m] = bias[g, t] + sum over s and taps of source[n, g, s, cell] * weight[g, t, s, tap]``.

    Extra memory: 4 blocks, and the weight of the groups in a block as operands.
    """
    if not covers(phases, target.shape[3:]):
        _fill(target, bias, arithmetic)
    samples = min(source.shape[0], target.shape[0])
    for phase in phases:
        part = _part(phase, source.shape[2], target.shape[2], samples)
        for groups in _ranges(target.shape[1], part.groups):
            matrix = _matrix(weight[groups], phase, arithmetic)
            for some, steps in _places(samples, phase, part):
                total = _product(matrix, _Source.of(source[some, groups], phase, steps, arithmetic), part.taps)
                if bias is not None:
                    total += bias[groups].reshape(*total.shape[:2], *(1,) * (total.ndim - 2))
                at: Place = (some, groups, slice(None), *phase.targets(steps))
                arithmetic.write(target[at], np.moveaxis(total, 2, 0))


def correlate(source: Array, gradient: Array, target: Array, phases: Sequence[Phase], arithmetic: Arithmetic) -> None:
    """``target[g, t, s, tap] = sum over n and m of gradient[n, g, t, m] * source[n, g, s, cell]``.

    Extra memory: 4 blocks, and twice the target of the groups in a block in the dtype of the sums.
    """
    samples = min(source.shape[0], gradient.shape[0])
    for phase in phases:
        part = _part(phase, source.shape[2], target.shape[1], samples)
        for groups in _ranges(target.shape[0], part.groups):
            group, (t, s) = target[groups], target.shape[1:3]
            total = np.zeros((group.shape[0], prod(phase.taps), s, t), arithmetic.accumulate)
            for some, steps in _places(samples, phase, part):
                at: Place = (some, groups, slice(None), *steps)
                factor = arithmetic.read(np.moveaxis(gradient[at], 0, 2))
                _add_products(total, _Source.of(source[some, groups], phase, steps, arithmetic), factor, part.taps)
            arithmetic.write(group, np.moveaxis(total.reshape(group.shape[0], *phase.taps, s, t), (-1, -2), (1, 2)))


def _product(matrix: Array, source: _Source, taps: int) -> Array:
    """The sum over all taps for one block, (groups, T, samples, steps...); ``matrix`` is (groups, T, taps, S)."""
    total = np.zeros((*matrix.shape[:2], source.cells.shape[0], *_sizes(source.steps)), matrix.dtype)
    if not np.isfinite(matrix).all():
        for tap in range(len(source.offsets)):
            reading, inside = source.tap(tap)
            terms = matrix[:, :, tap] @ _rows(inside)
            total[reading] += terms.reshape(*terms.shape[:2], *inside.shape[2:])
        return total
    for some in _ranges(len(source.offsets), taps):
        factor = matrix[:, :, some].reshape(*matrix.shape[:2], -1)
        total += (factor @ source.columns(some)).reshape(total.shape)
    return total


def _add_products(total: Array, source: _Source, factor: Array, taps: int) -> None:
    """Add what one block gives to ``total`` (groups, taps, S, T); ``factor`` is (groups, T, samples, steps...)."""
    if not np.isfinite(factor).all():
        for tap in range(len(source.offsets)):
            reading, inside = source.tap(tap)
            total[:, tap] += _rows(inside) @ _rows(factor[reading]).swapaxes(1, 2)
        return
    rows = _rows(factor).swapaxes(1, 2)
    for some in _ranges(len(source.offsets), taps):
        total[:, some] += (source.columns(some) @ rows).reshape(total[:, some].shape)


class _Source(NamedTuple):
    """The part of a source that a block of target cells meets."""

    cells: Array
    phase: Phase
    steps: Steps
    offsets: list[tuple[int, ...]]
    """The offsets of the taps in these cells."""
    unread: Arithmetic | None
    """What is still to be done to make operands of the cells."""

    @classmethod
    def of(cls, source: Array, phase: Phase, steps: Steps, arithmetic: Arithmetic) -> _Source:
        """Make operands of all cells that the taps lie between, at once, unless the taps skip most of them."""
        if arithmetic.reads_as_is(source):
            return cls(source, phase, steps, phase.offsets, None)
        hull = []
        for lane, part, size in zip(phase.lanes, steps, source.shape[3:], strict=True):
            start = max(0, part.start * lane.stride + min(lane.offsets))
            stop = min(size, (part.stop - 1) * lane.stride + max(lane.offsets) + 1)
            hull.append(slice(start, max(start, stop)))
        if prod(_sizes(hull)) > min(len(phase.offsets), _DENSE) * prod(_sizes(steps)):
            return cls(source, phase, steps, phase.offsets, arithmetic)
        at: Place = (..., *hull)
        offsets = [tuple(one - part.start for one, part in zip(offset, hull, strict=True)) for offset in phase.offsets]
        return cls(arithmetic.read(source[at]), phase, steps, offsets, None)

    def tap(self, number: int) -> tuple[Place, Array]:
        """The steps that read a cell by this tap, and the cells: (groups, S, samples, steps...)."""
        reading, cells = self.phase.sources(self.offsets[number], self.steps, self.cells.shape[3:])
        at: Place = (..., *cells)
        inside = np.moveaxis(self.cells[at], 0, 2)
        return (..., *reading), inside if self.unread is None else self.unread.read(inside)

    def columns(self, taps: slice) -> Array:
        """What each step reads by some taps: (groups, taps * S, samples * steps), zero outside the source."""
        counts = _sizes(self.steps)
        samples, groups, channels = self.cells.shape[:3]
        dtype = self.cells.dtype if self.unread is None else self.unread.accumulate
        columns = np.empty((groups, taps.stop - taps.start, channels, samples, *counts), dtype)
        for at, number in enumerate(range(taps.start, taps.stop)):
            reading, inside = self.tap(number)
            if inside.shape[3:] != counts:
                columns[:, at] = 0
            columns[:, at][reading] = inside
        return columns.reshape(groups, columns.shape[1] * channels, samples * prod(counts))


def _matrix(weight: Array, phase: Phase, arithmetic: Arithmetic) -> Array:
    """The weight of a phase's taps as (groups, T, taps, S)."""
    at: Place = (..., *np.ix_(*(lane.taps for lane in phase.lanes)))
    rows = np.moveaxis(weight[at], 2, -1)
    return arithmetic.read(rows.reshape(*rows.shape[:2], -1, rows.shape[-1]))


def _fill(target: Array, bias: Array | None, arithmetic: Arithmetic) -> None:
    values = np.zeros(target.shape[1:3], arithmetic.accumulate) if bias is None else bias
    rounded = np.empty(values.shape, target.dtype)
    arithmetic.write(rounded, values)
    target[...] = rounded.reshape(*rounded.shape, *(1,) * (target.ndim - 3))


def _part(phase: Phase, s: int, t: int, samples: int) -> _Part:
    taps, s, t = prod(phase.taps), max(1, s), max(1, t)
    positions = max(1, BLOCK // max(taps * s, t), min(_ENOUGH, BLOCK // max(s, t)))
    positions = min(positions, max(1, samples * prod(phase.steps)))
    some = max(1, min(taps, BLOCK // (s * positions)))
    return _Part(max(1, BLOCK // (max(some * s, t) * positions)), positions, some)


def _places(samples: int, phase: Phase, part: _Part) -> Iterator[tuple[slice, Steps]]:
    """Blocks of samples and steps, all bounds being numbers."""
    shape = (samples, *phase.steps)
    for place in blocks(shape, part.positions):
        bounds = (at.indices(size) for at, size in zip(place, shape, strict=True))
        some, *steps = (slice(start, stop) for start, stop, _ in bounds)
        if some.stop > some.start:
            yield some, tuple(steps)


def _rows(array: Array) -> Array:
    """A contiguous matrix for each group: one row a channel."""
    return np.ascontiguousarray(array).reshape(*array.shape[:2], prod(array.shape[2:]))


def _ranges(count: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def _sizes(steps: Sequence[slice]) -> tuple[int, ...]:
    return tuple(part.stop - part.start for part in steps)
