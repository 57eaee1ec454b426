"""Which cells meet in a convolution, axis by axis.

All three sums of a convolution pair a target cell with source cells, one a kernel cell ("tap"). On one axis, step ``m``
of a *lane* is target cell ``first + m * spacing``, and its tap with offset ``f`` reads source cell ``m * stride + f``
where there is one. The forward sum is one lane; its adjoint has one lane for each remainder of a target cell by the
stride, since such cells meet the same taps. All bounds are Python integers, so that no attribute overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from aclspec.runtime.kernels.windows import overlap

Steps = tuple[slice, ...]


class Lane(NamedTuple):
    """Equally spaced target cells of one axis that meet the same taps."""

    targets: slice
    steps: int
    stride: int
    taps: tuple[int, ...]
    """Indices of kernel cells."""
    offsets: tuple[int, ...]
    """The offset of each tap in the source."""


class Phase(NamedTuple):
    """One lane for each axis, and with them the taps of all axes together, in row-major order."""

    lanes: tuple[Lane, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """Steps on each axis."""
        return tuple(lane.steps for lane in self.lanes)

    @property
    def offsets(self) -> list[tuple[int, ...]]:
        """The offsets of each tap."""
        return list(product(*(lane.offsets for lane in self.lanes)))

    @property
    def taps(self) -> tuple[int, ...]:
        """How many taps there are on each axis."""
        return tuple(len(lane.taps) for lane in self.lanes)

    def targets(self, steps: Steps) -> Steps:
        """The target cells of some steps."""
        return tuple(_cells(lane.targets, part) for lane, part in zip(self.lanes, steps, strict=True))

    def sources(self, offsets: tuple[int, ...], steps: Steps, sizes: Sequence[int]) -> tuple[Steps, Steps]:
        """Those of some steps that read a source cell at these offsets, counted from the first; and the cells."""
        parts = [
            _source(lane.stride, offset, part, size)
            for lane, offset, part, size in zip(self.lanes, offsets, steps, sizes, strict=True)
        ]
        return tuple(reading for reading, _ in parts), tuple(cells for _, cells in parts)


class Geometry(NamedTuple):
    """The attributes of a convolution, one of each an axis; the padding is that before the first cell."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]

    def forward(self, outputs: Sequence[int], kernel: Sequence[int]) -> list[Phase]:
        """Outputs as targets: output h meets input h * stride - padding + tap * dilation."""
        return [Phase(tuple(map(_forward, outputs, kernel, *self)))] if prod(kernel) else []

    def adjoint(self, inputs: Sequence[int], kernel: Sequence[int]) -> list[Phase]:
        """Inputs as targets, meeting the outputs that read them; inputs that no output reads are in no phase."""
        return [Phase(lanes) for lanes in product(*map(_adjoint, inputs, kernel, *self))]


def geometry_of(axes: int, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]) -> Geometry:
    """The attributes for so many axes; a padding of twice as many elements has a begin and an end for each axis.

    What is added at the end of an axis, outputPadding included, shows in the sizes of the tensors alone.
    """
    begins = tuple(padding[::2]) if len(padding) == 2 * axes else tuple(padding)
    return Geometry(tuple(stride), begins, tuple(dilation))


def covers(phases: Sequence[Phase], sizes: Sequence[int]) -> bool:
    """Whether every target cell is in some phase."""
    return sum(prod(phase.steps) for phase in phases) == prod(sizes)


def _forward(outputs: int, kernel: int, stride: int, padding: int, dilation: int) -> Lane:
    offsets = tuple(tap * dilation - padding for tap in range(kernel))
    return Lane(slice(0, outputs, 1), outputs, stride, tuple(range(kernel)), offsets)


def _adjoint(inputs: int, kernel: int, stride: int, padding: int, dilation: int) -> Iterator[Lane]:
    """Input ``i`` meets output ``(i + padding - tap * dilation) / stride`` where that is whole."""
    by_remainder: dict[int, list[int]] = {}
    for tap in range(kernel):
        by_remainder.setdefault((tap * dilation - padding) % stride, []).append(tap)
    for first, taps in sorted(by_remainder.items()):
        if first < inputs:
            offsets = tuple((first + padding - tap * dilation) // stride for tap in taps)
            steps = (inputs - 1 - first) // stride + 1
            yield Lane(slice(first, inputs, stride), steps, 1, tuple(taps), offsets)


def _cells(targets: slice, steps: slice) -> slice:
    start, stop = (targets.start + bound * targets.step for bound in (steps.start, steps.stop - 1))
    return slice(start, stop + 1, targets.step)


def _source(stride: int, offset: int, steps: slice, size: int) -> tuple[slice, slice]:
    at_first = steps.start * stride + offset
    first, last = overlap(at_first, stride, size, steps.stop - steps.start)
    if first >= last:
        return slice(0, 0), slice(0, 0)
    return slice(first, last), slice(at_first + first * stride, at_first + (last - 1) * stride + 1, stride)
