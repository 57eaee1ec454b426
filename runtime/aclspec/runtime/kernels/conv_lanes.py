"""Which cells meet in a convolution, axis by axis.

All three sums of a convolution pair a target cell with source cells, one for each kernel cell ("tap"). On one axis,
the target cells of a *lane* meet source cells at the same offsets: step ``m`` and offset ``f`` mean source cell
``m * stride + f``, where there is one. The forward sum has one lane. Its adjoint has one for each remainder that a
target cell can leave when divided by the stride, since such cells meet the same taps; those with equal offsets share
a lane. All bounds are Python integers, so that no attribute overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from aclspec.runtime.kernels.windows import overlap

Steps = tuple[slice, ...]


class Member(NamedTuple):
    """Target cells of one axis, a regular sequence, and the kernel cell that they meet at each offset of their lane."""

    targets: slice
    taps: tuple[int, ...]

    def cells(self, steps: slice) -> slice:
        """The target cells of some steps."""
        start, step = self.targets.start, self.targets.step
        return slice(start + steps.start * step, start + (steps.stop - 1) * step + 1, step)


class Lane(NamedTuple):
    """Sequences of target cells of one axis, all of one length, that meet source cells at the same offsets."""

    steps: int
    stride: int
    offsets: tuple[int, ...]
    members: tuple[Member, ...]

    def sources(self, steps: slice, size: int) -> list[tuple[slice, slice]]:
        """For each offset those of some steps, counted from the first, that meet a source cell; and the cells."""
        return [_source(self.stride, offset, steps, size) for offset in self.offsets]

    def runs(self, steps: slice, size: int) -> Iterator[Run]:
        """The cells that some steps meet, as runs in which each offset has one cell a step; the stride is one.

        Offsets share a run where they are no further apart than the steps go: no run has a cell which no step meets.
        """
        count = steps.stop - steps.start
        for near in _near(sorted((offset, number) for number, offset in enumerate(self.offsets)), count):
            first, last = near[0][0], near[-1][0]
            length = count + last - first
            inside, cells = _source(1, first, slice(steps.start, steps.start + length), size)
            yield Run(length, inside, cells, [(number, offset - first) for offset, number in near])


class Run(NamedTuple):
    """Source cells of one axis that some offsets of a lane share."""

    length: int
    inside: slice
    """Those places of the run that have a cell."""
    cells: slice
    offsets: list[tuple[int, int]]
    """The number of an offset, and where in the run its first step is."""


class Phase(NamedTuple):
    """One lane for each axis; the offsets of all axes together are in row-major order."""

    lanes: tuple[Lane, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps on each axis."""
        return tuple(lane.steps for lane in self.lanes)

    @property
    def offsets(self) -> int:
        """How many source cells a target cell meets, those outside the source included."""
        return prod(len(lane.offsets) for lane in self.lanes)

    @property
    def members(self) -> list[tuple[Member, ...]]:
        """Every choice of a member on each axis."""
        return list(product(*(lane.members for lane in self.lanes)))


class Geometry(NamedTuple):
    """The attributes of a convolution, one of each an axis; the padding is that before the first cell."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]

    def forward(self, outputs: Sequence[int], kernel: Sequence[int]) -> list[Phase]:
        """Outputs as targets: output h meets input h * stride - padding + tap * dilation."""
        return [Phase(tuple(map(_forward, outputs, kernel, *self)))] if prod(kernel) else []

    def adjoint(self, inputs: Sequence[int], kernel: Sequence[int]) -> list[Phase]:
        """Inputs as targets, meeting the outputs that read them; an input that no tap can read is in no phase."""
        return [Phase(lanes) for lanes in product(*map(_adjoint, inputs, kernel, *self))]


def geometry_of(axes: int, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]) -> Geometry:
    """The attributes for a number of axes; a padding of twice as many elements has a begin and an end for each axis.

    What is added at the end of an axis, outputPadding included, shows in the sizes of the tensors alone.
    """
    begins = tuple(padding[::2]) if len(padding) == 2 * axes else tuple(padding)
    return Geometry(tuple(stride), begins, tuple(dilation))


def covers(phases: Sequence[Phase], sizes: Sequence[int]) -> bool:
    """Whether every target cell is in some phase."""
    return sum(len(phase.members) * prod(phase.steps) for phase in phases) == prod(sizes)


def pads(phases: Sequence[Phase], sizes: Sequence[int]) -> bool:
    """Whether zeros stand for cells outside a source of these sizes."""
    return any(
        min(lane.offsets) < 0 or (lane.steps - 1) * lane.stride + max(lane.offsets) >= size
        for phase in phases
        for lane, size in zip(phase.lanes, sizes, strict=True)
    )


def _forward(outputs: int, kernel: int, stride: int, padding: int, dilation: int) -> Lane:
    offsets = tuple(tap * dilation - padding for tap in range(kernel))
    return Lane(outputs, stride, offsets, (Member(slice(0, outputs, 1), tuple(range(kernel))),))


def _adjoint(inputs: int, kernel: int, stride: int, padding: int, dilation: int) -> Iterator[Lane]:
    """Input ``i`` meets output ``(i + padding - tap * dilation) / stride`` where that is whole."""
    by_first: dict[int, list[int]] = {}
    for tap in range(kernel):
        by_first.setdefault((tap * dilation - padding) % stride, []).append(tap)
    lanes: dict[tuple[int, tuple[int, ...]], list[Member]] = {}
    for first, taps in sorted(by_first.items()):
        if first < inputs:
            steps = (inputs - 1 - first) // stride + 1
            offsets = tuple((first + padding - tap * dilation) // stride for tap in taps)
            lanes.setdefault((steps, offsets), []).append(Member(slice(first, inputs, stride), tuple(taps)))
    for (steps, offsets), members in lanes.items():
        yield Lane(steps, 1, offsets, tuple(members))


def _source(stride: int, offset: int, steps: slice, size: int) -> tuple[slice, slice]:
    begin = steps.start * stride + offset
    first, last = overlap(begin, stride, size, steps.stop - steps.start)
    if first >= last:
        return slice(0, 0), slice(0, 0)
    return slice(first, last), slice(begin + first * stride, begin + (last - 1) * stride + 1, stride)


def _near(offsets: list[tuple[int, int]], count: int) -> Iterator[list[tuple[int, int]]]:
    """Split sorted pairs of an offset and its number where two offsets are more than ``count`` apart."""
    start = 0
    for at in range(1, len(offsets) + 1):
        if at == len(offsets) or offsets[at][0] - offsets[at - 1][0] > count:
            yield offsets[start:at]
            start = at
