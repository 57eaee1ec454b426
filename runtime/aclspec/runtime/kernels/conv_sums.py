"""The two sums that every convolution and its gradients are made of, as matrix products over blocks.

Arrays here have their groups apart: a source (N, G, S, cells...), a target (N, G, T, cells...), a weight
(G, T, S, kernel cells...). The source cells that a block of target cells meets are gathered as a matrix of about
`BLOCK` elements and multiplied by BLAS. A gathered cell outside the source is a zero; where the other factor has an
infinity or a NaN, which would make a NaN of that zero, one tap after the other is multiplied without such cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place, blocks
from aclspec.runtime.kernels.conv_lanes import Member, Phase, Run, Steps, covers
from aclspec.runtime.kernels.conv_source import Source
from aclspec.runtime.kernels.rounding import Arithmetic

BLOCK = 1 << 18
"""Elements of a gathered matrix: 1 MB of float32."""
_ENOUGH = 512  # target cells that keep BLAS busy; where a block has fewer, the source channels are taken in parts

_PLANE = 256  # target cells of the last two axes from which on a plane is enough for a matrix product
_CHANNELS = 16  # source channels from which on the products of the last axis's taps are long enough


class _Part(NamedTuple):
    """How much a block takes together."""

    groups: int
    cells: int
    """Target cells of one member, over all samples and axes."""
    channels: int
    """Source channels of a group."""
    across: int
    """Taps that are gathered together: all of them, or those of the last axis."""


def contract(
    source: Array, weight: Array, target: Array, phases: Sequence[Phase], bias: Array | None, arithmetic: Arithmetic
) -> None:
    """``target[n, g, t, m] = bias[g, t] + sum over s and taps of source[n, g, s, cell] * weight[g, t, s, tap]``.

    Extra memory: 4 blocks, and twice the weight of the groups in a block in the dtype of the sums.
    """
    samples, t = min(source.shape[0], target.shape[0]), target.shape[2]
    if source.shape[2] == 0:
        phases = ()
    if samples < target.shape[0] or not covers(phases, target.shape[3:]):
        fill(target, bias, arithmetic)
    for phase in phases:
        part = _part(phase, source.shape[2], t * len(phase.members), samples)
        for groups in _ranges(target.shape[1], part.groups):
            factor = _factor(weight[groups], phase, part.across, arithmetic)
            finite = bool(np.isfinite(factor).all())
            shift = None if bias is None else np.tile(bias[groups], len(phase.members))
            for some, steps in _places(samples, phase, part):
                sources = _sources(source[some, groups], phase, steps, part, arithmetic)
                total = _product(factor, finite, sources)
                if shift is not None:
                    total += shift.reshape(*shift.shape, *(1,) * (total.ndim - 2))
                for number, member in enumerate(phase.members):
                    values = total[:, number * t : (number + 1) * t]
                    at: Place = (some, groups, slice(None), *map(Member.cells, member, steps))
                    arithmetic.write(target[at], np.moveaxis(values, 2, 0))


def correlate(source: Array, gradient: Array, target: Array, phases: Sequence[Phase], arithmetic: Arithmetic) -> None:
    """``target[g, t, s, tap] = sum over n and m of gradient[n, g, t, m] * source[n, g, s, cell]``, forward phases.

    Extra memory: 4 blocks, and twice the target of the groups in a block in the dtype of the sums.
    """
    samples = min(source.shape[0], gradient.shape[0])
    for phase in phases:
        part = _part(phase, source.shape[2], target.shape[1], samples)
        for groups in _ranges(target.shape[0], part.groups):
            group = target[groups]
            slides = group.shape[0], phase.offsets // part.across, *group.shape[1:3], part.across
            total = np.zeros(slides, arithmetic.accumulate)
            for some, steps in _places(samples, phase, part):
                at: Place = (some, groups, slice(None), *steps)
                factor = arithmetic.read(np.moveaxis(gradient[at], 0, 2))
                _add_products(total, factor, _sources(source[some, groups], phase, steps, part, arithmetic))
            arithmetic.write(group, np.moveaxis(total, 1, 3).reshape(group.shape))


class _Met(NamedTuple):
    """What a block of target cells meets of some channels of the source."""

    channels: slice
    source: Source
    runs: list[Run] | None
    """What `Source.slides` needs, where that pays."""


def _sources(source: Array, phase: Phase, steps: Steps, part: _Part, arithmetic: Arithmetic) -> Iterator[_Met]:
    """Some channels of the source at a time."""
    runs = list(phase.lanes[-2].runs(steps[-2], source.shape[-2])) if part.across < phase.offsets else None
    for some in _ranges(source.shape[2], part.channels):
        yield _Met(some, Source.of(source[:, :, some], phase, steps, arithmetic), runs)


def _product(factor: Array, finite: bool, sources: Iterator[_Met]) -> Array:
    """The sums of one block, (groups, T, samples, cells...); ``factor`` is (groups, slides, T, S, across)."""
    total: Array | None = None
    for some, source, runs in sources:
        rows = factor[:, :, :, some]
        if not finite:
            terms = _tap_by_tap(rows, source)
        elif runs is not None:
            terms = _slide_by_slide(rows, source, runs)
        else:
            terms = _at_once(rows, source)
        total = terms if total is None else np.add(total, terms, out=total)
    assert total is not None, "A source has channels."
    return total


def _at_once(rows: Array, source: Source) -> Array:
    """The products of all taps."""
    return (_matrix(rows[:, 0]) @ source.columns()).reshape(rows.shape[0], rows.shape[2], *source.steps)


def _tap_by_tap(rows: Array, source: Source) -> Array:
    """The products of one tap after the other, of the cells that are there alone."""
    terms = np.zeros((rows.shape[0], rows.shape[2], *source.steps), rows.dtype)
    for tap, (reading, inside) in enumerate(source.taps()):
        slide, across = divmod(tap, rows.shape[-1])
        product = rows[:, slide, ..., across] @ _matrix(inside)
        terms[reading] += product.reshape(*product.shape[:2], *inside.shape[2:])
    return terms


def _slide_by_slide(rows: Array, source: Source, runs: Sequence[Run]) -> Array:
    """The products of all taps of the last axis at once."""
    groups, _, t, channels, across = rows.shape
    samples, *outer, height, width = source.steps
    terms = np.zeros((samples, groups, *outer, t, height * width), rows.dtype)
    factor = rows.reshape(groups, -1, *(1,) * len(outer), t, channels * across)
    for steps, slide, columns in source.slides(runs):
        terms[(slice(None), slice(None), *steps)] += factor[:, slide] @ columns
    terms = terms.reshape(*terms.shape[:-1], height, width)
    return np.moveaxis(terms, (1, -3), (0, 1))


def _add_products(total: Array, factor: Array, sources: Iterator[_Met]) -> None:
    """Add what one block gives to (groups, slides, T, S, across); ``factor`` is (groups, T, samples, cells...)."""
    finite = np.isfinite(factor).all()
    for some, source, runs in sources:
        part = total[:, :, :, some]
        if not finite:
            for tap, (reading, inside) in enumerate(source.taps()):
                slide, across = divmod(tap, total.shape[-1])
                part[:, slide, ..., across] += _matrix(factor[reading]) @ _matrix(inside).swapaxes(1, 2)
        elif runs is not None:
            _add_slides(part, factor, source, runs)
        else:
            products = _matrix(factor) @ source.columns().swapaxes(1, 2)
            part[:, 0] += products.reshape(part[:, 0].shape)


def _add_slides(total: Array, factor: Array, source: Source, runs: Sequence[Run]) -> None:
    """The products of all taps of the last axis at once."""
    by_sample = np.ascontiguousarray(np.moveaxis(factor, (0, 1), (1, -3)))
    by_sample = by_sample.reshape(*by_sample.shape[:-2], prod(by_sample.shape[-2:]))
    for steps, slide, columns in source.slides(runs):
        products = by_sample[(slice(None), slice(None), *steps)] @ columns.swapaxes(-1, -2)
        sums = products.sum(axis=(0, *range(2, products.ndim - 2)))
        total[:, slide] += sums.reshape(total[:, slide].shape)


def _factor(weight: Array, phase: Phase, across: int, arithmetic: Arithmetic) -> Array:
    """The weight of a phase as (groups, slides, members * T, S, across), the taps being those of the phase."""
    parts = []
    for member in phase.members:
        taps = [axis.taps for axis in member]
        at: Place = (..., *np.ix_(*taps))
        part = weight if all(map(_is_all, taps, weight.shape[3:])) else weight[at]
        parts.append(part.reshape(*part.shape[:3], phase.offsets // across, across))
    return arithmetic.read(np.moveaxis(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), 3, 1))


def _is_all(taps: Sequence[int], size: int) -> bool:
    return tuple(taps) == tuple(range(size))


def fill(target: Array, bias: Array | None, arithmetic: Arithmetic) -> None:
    """Write the bias alone, or zeros, to all cells of (N, G, T, cells...)."""
    values = np.zeros(target.shape[1:3], arithmetic.accumulate) if bias is None else bias
    rounded = np.empty(values.shape, target.dtype)
    arithmetic.write(rounded, values)
    target[...] = rounded.reshape(*rounded.shape, *(1,) * (target.ndim - 3))


def _part(phase: Phase, s: int, t: int, samples: int) -> _Part:
    s, t = max(1, s), max(1, t)
    slides = s >= _CHANNELS and prod(phase.steps[-2:]) >= _PLANE and phase.lanes[-2].stride == 1
    across = len(phase.lanes[-1].offsets) if slides else phase.offsets
    gathered = 2 * BLOCK if slides else BLOCK
    cells = max(1, min(gathered // (across * s), BLOCK // t), min(_ENOUGH, gathered // across, BLOCK // t))
    cells = min(cells, max(1, samples * prod(phase.steps)))
    if slides:
        cells = _even(cells, *phase.steps[-2:])
    channels = min(s, max(1, gathered // (across * cells)))
    return _Part(max(1, BLOCK // (max(across * channels, t) * cells)), cells, channels, across)


def _even(cells: int, height: int, width: int) -> int:
    """So many cells or fewer, such that blocks of whole rows of a plane are of about one size."""
    rows = cells // width
    return cells if rows == 0 or rows >= height else -(height // -(-(height // -rows))) * width


def _places(samples: int, phase: Phase, part: _Part) -> Iterator[tuple[slice, Steps]]:
    """Blocks of samples and steps, all bounds being numbers."""
    shape = (samples, *phase.steps)
    for place in blocks(shape, part.cells):
        bounds = (at.indices(size) for at, size in zip(place, shape, strict=True))
        some, *steps = (slice(start, stop) for start, stop, _ in bounds)
        if some.stop > some.start:
            yield some, tuple(steps)


def _matrix(array: Array) -> Array:
    """A contiguous matrix for each group: one row a channel."""
    return np.ascontiguousarray(array).reshape(*array.shape[:2], prod(array.shape[2:]))


def _ranges(count: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def _sizes(steps: Steps) -> tuple[int, ...]:
    return tuple(part.stop - part.start for part in steps)
