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
from aclspec.runtime.kernels.conv_lanes import Member, Phase, Steps, covers
from aclspec.runtime.kernels.conv_source import Source
from aclspec.runtime.kernels.rounding import Arithmetic

BLOCK = 1 << 18
"""Elements of a gathered matrix: 1 MB of float32."""
_ENOUGH = 512  # target cells that keep BLAS busy; where a block has fewer, the source channels are taken in parts


class _Part(NamedTuple):
    """How much a block takes together."""

    groups: int
    cells: int
    """Target cells of one member, over all samples and axes."""
    channels: int
    """Source channels of a group."""


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
            factor = _factor(weight[groups], phase, arithmetic)
            finite = bool(np.isfinite(factor).all())
            shift = None if bias is None else np.tile(bias[groups], len(phase.members))[..., None]
            for some, steps in _places(samples, phase, part):
                total = _product(factor, finite, _sources(source[some, groups], phase, steps, part, arithmetic))
                if shift is not None:
                    total += shift
                shape = total.shape[0], t, some.stop - some.start, *_sizes(steps)
                for number, member in enumerate(phase.members):
                    values = total[:, number * t : (number + 1) * t].reshape(shape)
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
            total = np.zeros((*group.shape[:3], phase.offsets), arithmetic.accumulate)
            for some, steps in _places(samples, phase, part):
                at: Place = (some, groups, slice(None), *steps)
                factor = arithmetic.read(np.moveaxis(gradient[at], 0, 2))
                _add_products(total, factor, _sources(source[some, groups], phase, steps, part, arithmetic))
            arithmetic.write(group, total.reshape(group.shape))


Sources = Iterator[tuple[slice, Source]]


def _sources(source: Array, phase: Phase, steps: Steps, part: _Part, arithmetic: Arithmetic) -> Sources:
    """What a block meets, some channels of the source at a time."""
    for some in _ranges(source.shape[2], part.channels):
        yield some, Source.of(source[:, :, some], phase, steps, arithmetic)


def _product(factor: Array, finite: bool, sources: Sources) -> Array:
    """The sums of one block, (groups, T, samples * cells); ``factor`` is (groups, T, S, offsets)."""
    total: Array | None = None
    for some, source in sources:
        rows = factor[:, :, some]
        if finite:
            terms = rows.reshape(*rows.shape[:2], prod(rows.shape[2:])) @ source.columns()
        else:
            terms = np.zeros((*rows.shape[:2], source.samples, *source.counts), rows.dtype)
            for tap, (reading, inside) in enumerate(source.taps()):
                product = rows[..., tap] @ _rows(inside)
                terms[reading] += product.reshape(*product.shape[:2], *inside.shape[2:])
            terms = _rows(terms)
        total = terms if total is None else np.add(total, terms, out=total)
    assert total is not None, "A source has channels."
    return total


def _add_products(total: Array, factor: Array, sources: Sources) -> None:
    """Add what one block gives to (groups, T, S, offsets); ``factor`` is (groups, T, samples, cells...)."""
    finite = np.isfinite(factor).all()
    for some, source in sources:
        if finite:
            products = _rows(factor) @ source.columns().swapaxes(1, 2)
            total[:, :, some] += products.reshape(total[:, :, some].shape)
            continue
        for tap, (reading, inside) in enumerate(source.taps()):
            total[:, :, some, tap] += _rows(factor[reading]) @ _rows(inside).swapaxes(1, 2)


def _factor(weight: Array, phase: Phase, arithmetic: Arithmetic) -> Array:
    """The weight of a phase as (groups, members * T, S, offsets), the offsets being those of the phase."""
    parts = []
    for member in phase.members:
        taps = [axis.taps for axis in member]
        at: Place = (..., *np.ix_(*taps))
        part = weight if all(map(_is_all, taps, weight.shape[3:])) else weight[at]
        parts.append(part.reshape(*part.shape[:3], phase.offsets))
    return arithmetic.read(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1))


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
    cells = max(1, BLOCK // max(phase.offsets * s, t), min(_ENOUGH, BLOCK // max(phase.offsets, t)))
    cells = min(cells, max(1, samples * prod(phase.steps)))
    channels = min(s, max(1, BLOCK // (phase.offsets * cells)))
    return _Part(max(1, BLOCK // (max(phase.offsets * channels, t) * cells)), cells, channels)


def _places(samples: int, phase: Phase, part: _Part) -> Iterator[tuple[slice, Steps]]:
    """Blocks of samples and steps, all bounds being numbers."""
    shape = (samples, *phase.steps)
    for place in blocks(shape, part.cells):
        bounds = (at.indices(size) for at, size in zip(place, shape, strict=True))
        some, *steps = (slice(start, stop) for start, stop, _ in bounds)
        if some.stop > some.start:
            yield some, tuple(steps)


def _rows(array: Array) -> Array:
    """A contiguous matrix for each group: one row a channel."""
    return np.ascontiguousarray(array).reshape(*array.shape[:2], prod(array.shape[2:]))


def _ranges(count: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def _sizes(steps: Steps) -> tuple[int, ...]:
    return tuple(part.stop - part.start for part in steps)
