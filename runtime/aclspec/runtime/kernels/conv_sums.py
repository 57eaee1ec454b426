"""The sum that every convolution and the gradient of its input are made of, as matrix products over blocks.

Arrays here have their groups apart: a source (N, G, S, cells...), a target (N, G, T, cells...), a weight
(G, T, S, kernel cells...). A block of target cells is multiplied by BLAS in one of three ways (`conv_parts`):

- *gather*: the source cells that it meets become one matrix;
- *slide*: they are gathered by the taps of the last axis alone, and those of the axis before it read the same numbers
  from another row on, which copies less by the kernel's height (`Source.slides`);
- *spread*: nothing is gathered; every cell is multiplied once for all taps, and the products are added where they
  belong, which is less work where there are few target channels.

A gathered cell outside the source is a zero; where the other factor has an infinity or a NaN, which would make a NaN
of that zero, one tap after the other is multiplied without such cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place, joined
from aclspec.runtime.kernels.conv_lanes import Member, Phase, Run, Steps, covers, pads
from aclspec.runtime.kernels.conv_parts import Part, part_of, spreading_part_of
from aclspec.runtime.kernels.conv_source import Overlap, Source, matrix, overlaps, ranges
from aclspec.runtime.kernels.rounding import Arithmetic


def contract(
    source: Array, weight: Array, target: Array, phases: Sequence[Phase], bias: Array | None, arithmetic: Arithmetic
) -> None:
    """``target[n, g, t, m] = bias[g, t] + sum over s and taps of source[n, g, s, cell] * weight[g, t, s, tap]``.

    Extra memory: 5 blocks, and twice the weight of the groups in a block in the dtype of the sums.
    """
    samples, t = min(source.shape[0], target.shape[0]), target.shape[2]
    if source.shape[2] == 0:
        phases = ()
    if samples < target.shape[0] or not covers(phases, target.shape[3:]):
        fill(target, bias, arithmetic)
    for phase in phases:
        channels = source.shape[2], t * len(phase.members)
        as_is = arithmetic.reads_as_is(source)
        part = spreading_part_of(phase, *channels, samples) or part_of(phase, *channels, samples, as_is)
        for groups in ranges(target.shape[1], part.groups):
            factor = _factor(weight[groups], phase, part.across, arithmetic)
            finite = not pads([phase], source.shape[3:]) or bool(np.isfinite(factor).all())
            shift = None if bias is None else np.tile(bias[groups], len(phase.members))
            for some, steps in part.places(samples, phase):
                sources = overlaps(source[some, groups], phase, steps, part, arithmetic)
                places = [target[_at(some, groups, member, steps)] for member in phase.members]
                into = places[0] if len(places) == 1 and arithmetic.writes_as_is(target) else None
                total = _product(factor, finite, part, sources, into)
                if shift is not None:
                    total += shift.reshape(*shift.shape, *(1,) * (total.ndim - 2))
                if into is not None and np.may_share_memory(total, into):
                    continue
                for number, place in enumerate(places):
                    values = total[:, number * t : (number + 1) * t]
                    arithmetic.write(place, np.moveaxis(values, 2, 0))


def _at(samples: slice, groups: slice, member: Sequence[Member], steps: Steps) -> Place:
    """Where the target cells of some steps are."""
    return (samples, groups, slice(None), *map(Member.cells, member, steps))


def _product(factor: Array, finite: bool, part: Part, sources: Iterator[Overlap], into: Array | None) -> Array:
    """The sums of one block, (groups, T, samples, cells...); ``factor`` is (groups, slides, T, S, across).

    They are a view of ``into``, the cells of the target, where BLAS can write there.
    """
    total: Array | None = None
    for some, source, runs in sources:
        rows = factor[:, :, :, some]
        if part.way == "spread":
            cut = source.cut()
            terms = (_spread if cut.is_dense else _tap_by_tap)(rows, cut)
        elif not finite:
            terms = _tap_by_tap(rows, source)
        elif runs is not None:
            terms = _slide_by_slide(rows, source, runs, into if total is None else None)
        else:
            terms = _at_once(rows, source, into if total is None else None)
        total = terms if total is None else np.add(total, terms, out=total)
    assert total is not None, "A source has channels."
    return total


def _at_once(rows: Array, source: Source, into: Array | None) -> Array:
    """The products of all taps."""
    out = joined(into[0], into.ndim - 3) if into is not None and len(into) == 1 else None
    products = np.matmul(matrix(rows[:, 0]), source.columns(), out=out)
    return products.reshape(rows.shape[0], rows.shape[2], *source.steps)


def _tap_by_tap(rows: Array, source: Source) -> Array:
    """The products of one tap after the other, of the cells that are there alone."""
    terms = np.zeros((rows.shape[0], rows.shape[2], *source.steps), rows.dtype)
    for tap, (reading, inside) in enumerate(source.taps()):
        slide, across = divmod(tap, rows.shape[-1])
        products = rows[:, slide, ..., across] @ matrix(inside)
        terms[reading] += products.reshape(*products.shape[:2], *inside.shape[2:])
    return terms


def _spread(rows: Array, source: Source) -> Array:
    """The products of all taps with every cell, each added to the step that meets it: for few target channels."""
    groups, _, t, channels, taps = rows.shape
    factor = np.moveaxis(rows[:, 0], 3, 1).reshape(groups, taps * t, channels)
    products = factor @ matrix(np.moveaxis(source.cells, 0, 2))
    products = products.reshape(groups, taps, t, source.steps[0], *source.cells.shape[3:])
    terms = np.zeros((groups, t, *source.steps), rows.dtype)
    for tap, place in enumerate(product(*source.axes)):
        steps, cells = zip(*place, strict=True)
        terms[(..., *steps)] += products[(slice(None), tap, ..., *cells)]
    return terms


def _slide_by_slide(rows: Array, source: Source, runs: Sequence[Run], into: Array | None) -> Array:
    """The products of all taps of the last axis at once."""
    groups, _, t, channels, across = rows.shape
    samples, *outer, height, width = source.steps
    place = None if into is None or outer else joined(into, 2)
    terms = np.empty((samples, groups, *outer, t, height * width), rows.dtype) if place is None else place
    factor = rows.reshape(groups, -1, *(1,) * len(outer), t, channels * across)
    slides = source.slides(runs)
    first = None if outer else next(slides, None)
    if first is None:
        terms[...] = 0
    else:
        np.matmul(factor[:, first.number], first.columns, out=terms)
    for steps, slide, columns in slides:
        terms[(slice(None), slice(None), *steps)] += factor[:, slide] @ columns
    terms = terms.reshape(*terms.shape[:-1], height, width)
    return np.moveaxis(terms, (1, -3), (0, 1))


def _factor(weight: Array, phase: Phase, across: int, arithmetic: Arithmetic) -> Array:
    """The weight of a phase as (groups, slides, members * T, S, across), the taps being those of the phase."""
    parts = []
    for member in phase.members:
        taps = [axis.taps for axis in member]
        part = weight if all(map(_is_all, taps, weight.shape[3:])) else weight[_tapped(taps)]
        parts.append(part.reshape(*part.shape[:3], phase.offsets // across, across))
    return arithmetic.read(np.moveaxis(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), 3, 1))


def _tapped(taps: Sequence[Sequence[int]]) -> Place:
    """The kernel cells of some taps on each axis."""
    return (..., *np.ix_(*taps))


def _is_all(taps: Sequence[int], size: int) -> bool:
    return tuple(taps) == tuple(range(size))


def fill(target: Array, bias: Array | None, arithmetic: Arithmetic) -> None:
    """Write the bias alone, or zeros, to all cells of (N, G, T, cells...)."""
    values = np.zeros(target.shape[1:3], arithmetic.accumulate) if bias is None else bias
    rounded = np.empty(values.shape, target.dtype)
    arithmetic.write(rounded, values)
    target[...] = rounded.reshape(*rounded.shape, *(1,) * (target.ndim - 3))
