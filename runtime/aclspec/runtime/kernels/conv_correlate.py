"""The sum that the gradient of a convolution's weight is made of, as matrix products over blocks.

Arrays are those of `conv_sums`, and so are the ways to multiply, but that nothing is spread. A product of two matrices
that are long in their rows is *upright* where its rows are those of the gradient. BLAS is up to a quarter faster where
the matrix of more rows is the first, which is worth products lying on their side where many of them are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from aclspec.runtime.kernels.blocks import Array, Place, join
from aclspec.runtime.kernels.conv_lanes import Phase, Run, pads
from aclspec.runtime.kernels.conv_parts import part_of
from aclspec.runtime.kernels.conv_source import Overlap, Source, matrix, overlaps, ranges
from aclspec.runtime.kernels.rounding import Arithmetic

_MANY = 2048  # cells of the gradient from which on products may lie on their side


def correlate(source: Array, gradient: Array, target: Array, phases: Sequence[Phase], arithmetic: Arithmetic) -> None:
    """``target[g, t, s, tap] = sum over n and m of gradient[n, g, t, m] * source[n, g, s, cell]``, forward phases.

    Extra memory: 5 blocks, and twice the target of the groups in a block in the dtype of the sums.
    """
    samples = min(source.shape[0], gradient.shape[0])
    for phase in phases:
        as_is, padded = arithmetic.reads_as_is(source), pads([phase], source.shape[3:])
        part = part_of(phase, source.shape[2], target.shape[1], samples, as_is)
        for groups in ranges(target.shape[0], part.groups):
            group = target[groups]
            t, s = group.shape[1:3]
            upright = t >= s * part.across or samples * prod(phase.steps) < _MANY
            total = _zeros((len(group), phase.offsets // part.across, t, s, part.across), upright, arithmetic)
            for some, steps in part.places(samples, phase):
                at: Place = (some, groups, slice(None), *steps)
                factor = gradient[at] if arithmetic.reads_as_is(gradient) else arithmetic.read(gradient[at])
                finite = not padded or bool(np.isfinite(factor).all())
                sources = overlaps(source[some, groups], phase, steps, part, arithmetic)
                _add_products(total, np.moveaxis(factor, 0, 2), finite, sources, upright)
            arithmetic.write(group, np.moveaxis(total, 1, 3).reshape(group.shape))


def _zeros(shape: tuple[int, int, int, int, int], upright: bool, arithmetic: Arithmetic) -> Array:
    """Zeros (groups, slides, T, S, across), which lie in memory as products do that are ``upright`` or not."""
    groups, slides, t, *columns = shape
    if upright:
        return np.zeros(shape, arithmetic.accumulate)
    return np.moveaxis(np.zeros((groups, slides, *columns, t), arithmetic.accumulate), -1, 2)


def _add_products(total: Array, factor: Array, finite: bool, sources: Iterator[Overlap], upright: bool) -> None:
    """Add what one block gives to (groups, slides, T, S, across); ``factor`` is (groups, T, samples, cells...)."""
    for some, source, runs in sources:
        part = total[:, :, :, some]
        if not finite:
            for tap, (reading, inside) in enumerate(source.taps()):
                slide, across = divmod(tap, total.shape[-1])
                part[:, slide, ..., across] += matrix(factor[reading]) @ matrix(inside).swapaxes(1, 2)
        elif runs is not None:
            _add_slides(part, factor, source, runs, upright)
        else:
            products = _crossed(matrix(factor), source.columns(), upright)
            part[:, 0] += products.reshape(part[:, 0].shape)


def _crossed(one: Array, other: Array, upright: bool) -> Array:
    """The sums of the products of each row of one matrix with each row of the other."""
    first, second = (one, other) if upright else (other, one)
    products: Array = first @ second.swapaxes(-1, -2)
    return products if upright else products.swapaxes(-1, -2)


def _add_slides(total: Array, factor: Array, source: Source, runs: Sequence[Run], upright: bool) -> None:
    """The products of all taps of the last axis at once."""
    by_sample = join(np.moveaxis(factor, (0, 1), (1, -3)), 2)
    for steps, slide, columns in source.slides(runs):
        products = _crossed(by_sample[(slice(None), slice(None), *steps)], columns, upright)
        sums = products.sum(axis=(0, *range(2, products.ndim - 2)))
        total[:, slide] += sums.reshape(total[:, slide].shape)
