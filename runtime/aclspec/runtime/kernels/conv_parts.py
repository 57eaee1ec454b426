"""How much of a convolution one block takes, so that what it gathers stays in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod
from typing import Literal, NamedTuple

from aclspec.runtime.kernels.blocks import blocks
from aclspec.runtime.kernels.conv_lanes import Phase, Steps

BLOCK = 1 << 19
"""Elements of a matrix: 2 MB of float32."""
_ENOUGH = 512  # target cells that keep BLAS busy; where a block has fewer, the source channels are taken in parts
_ALONE = 128  # target cells of a sample from which on one tap is multiplied sample by sample, which copies nothing
_PLANE = 256  # target cells of the last two axes from which on a plane is enough for a matrix product
_CHANNELS = 16  # source channels from which on the products of the last axis's taps are long enough
_ROWS = 4  # times the height of a kernel that a block needs, so that what it reads beyond its rows is little
_FEW = 4  # source channels for one target channel from which on products are spread, and no source is gathered


class Part(NamedTuple):
    """How much a block takes together."""

    groups: int
    cells: int
    """Target cells of one member, over all samples and axes."""
    channels: int
    """Source channels of a group."""
    across: int
    """Taps that are gathered together: all of them, or those of the last axis."""
    way: Literal["gather", "slide", "spread"]
    """All taps gathered; those of the last axis gathered, the axis before it sliding; products spread."""

    def places(self, samples: int, phase: Phase) -> Iterator[tuple[slice, Steps]]:
        """Blocks of samples and steps, all bounds being numbers."""
        shape = (samples, *phase.steps)
        for place in blocks(shape, self.cells):
            bounds = (at.indices(size) for at, size in zip(place, shape, strict=True))
            some, *steps = (slice(start, stop) for start, stop, _ in bounds)
            if some.stop > some.start:
                yield some, tuple(steps)


def part_of(phase: Phase, s: int, t: int, samples: int, as_is: bool) -> Part:
    """Gather the source, whose cells are operands ``as_is`` or not, by the last axis alone where that pays."""
    s, t = max(1, s), max(1, t)
    everything = _cells(samples, phase)
    sliding = _sliding_part_of(phase, s, t, everything)
    if sliding is not None:
        return sliding
    sample = prod(phase.steps)
    alone = as_is and phase.offsets == 1 and sample >= _ALONE
    room = 2 * BLOCK if alone else BLOCK  # a view, or one copy of a source that does not lie row by row
    cells = max(1, min(room // (phase.offsets * s), room // t), min(_ENOUGH, BLOCK // max(phase.offsets, t)))
    cells = _even(min(cells, sample if alone else everything), *phase.steps[-2:])
    channels = min(s, max(1, room // (phase.offsets * cells)))
    groups = max(1, BLOCK // (max(phase.offsets * channels, t) * cells))
    return Part(groups, cells, channels, phase.offsets, "gather")


def _sliding_part_of(phase: Phase, s: int, t: int, everything: int) -> Part | None:
    """Where planes are large, and a kernel of several rows skips none and goes over few of those of a block."""
    rows, (height, width), across = phase.lanes[-2], phase.steps[-2:], len(phase.lanes[-1].offsets)
    if s < _CHANNELS or height * width < _PLANE or rows.stride > 1 or len(rows.offsets) == 1:
        return None
    gathered = 2 * BLOCK * across // (across + 1)  # two blocks with the source, which other dtypes are read into
    cells = max(1, min(gathered // (across * s), BLOCK // t), min(_ENOUGH, gathered // across, BLOCK // t))
    cells = _even(min(cells, everything), height, width)
    if cells < width * min(height, _ROWS * (max(rows.offsets) - min(rows.offsets))):
        return None
    channels = min(s, max(1, gathered // (across * cells)))
    return Part(max(1, BLOCK // (max(across * channels, t) * cells)), cells, channels, across, "slide")


def spreading_part_of(phase: Phase, s: int, t: int, samples: int) -> Part | None:
    """Gather nothing, where there are few target channels and every step has a source cell of its own."""
    s, t = max(1, s), max(1, t)
    if t * _FEW > s or phase.offsets == 1 or any(lane.stride > 1 for lane in phase.lanes):
        return None
    products = max(t * phase.offsets, s)
    cells = min(_cells(samples, phase), max(1, BLOCK // products))
    return Part(max(1, BLOCK // (products * cells)), cells, s, phase.offsets, "spread")


def _cells(samples: int, phase: Phase) -> int:
    return max(1, samples * prod(phase.steps))


def _even(cells: int, height: int, width: int) -> int:
    """This number of cells or fewer, such that blocks of whole rows of a plane are of about one size."""
    rows = cells // width
    return cells if rows == 0 or rows >= height else ceil(height / ceil(height / rows)) * width
