"""The gradient of an input of few channels by steps: one sum for all remainders, where nothing is infinite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.kernels import convolution
from aclspec.runtime.kernels.conv_lanes import Phase, geometry_of
from aclspec.runtime.native import convolution as c_convolution
from aclspec.runtime.native.dense import ABSENT, merged
from tests.native.test_dense import Problem
from tests.native.test_kernels import DTYPES, assert_near, both, numbers, roles, setting

__all__ = ["setting"]
LAYERS = [
    ((7, 7), (2, 2), (3, 3), 3),
    ((7,), (3,), (2,), 5),
    ((3, 2, 3), (2, 1, 2), (1, 0, 1), 2),
    ((6, 7), (2, 3), (0, 2), 2),
]
"""Kernel, stride, padding, and the channels of the input."""


def phases_of(kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...]) -> list[Phase]:
    cells = tuple(6 * step for step in stride)
    return geometry_of(len(cells), stride, padding, (1,) * len(cells)).adjoint(cells, kernel)


def meetings(phases: list[Phase]) -> set[tuple[Any, ...]]:
    """Which target cell meets which source cell by which tap."""
    return {
        (tuple(target), tuple(source), tuple(tap))
        for phase in phases
        for member in phase.members
        for steps in np.ndindex(*phase.steps)
        for places in np.ndindex(*(len(lane.offsets) for lane in phase.lanes))
        for tap in [[axis.taps[place] for axis, place in zip(member, places, strict=True)]]
        if ABSENT not in tap
        for target in [[axis.targets.start + m * axis.targets.step for axis, m in zip(member, steps, strict=True)]]
        for source in [
            [m * lane.stride + lane.offsets[at] for lane, m, at in zip(phase.lanes, steps, places, strict=True)]
        ]
    }


@pytest.mark.parametrize(("kernel", "stride", "padding", "rows"), LAYERS)
def test_the_same_cells_meet(
    kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...], rows: int
) -> None:
    phases = phases_of(kernel, stride, padding)
    whole = merged(phases, rows)
    assert whole is not None
    assert meetings([whole]) == meetings(phases)


def test_where_it_does_not_pay() -> None:
    phases = phases_of((7, 7), (2, 2), (3, 3))
    assert merged(phases, 5) is None  # more rows than a tile has
    assert merged(phases[:1], 1) is None  # one phase anyway
    assert merged(geometry_of(1, (2,), (3,), (1,)).adjoint((13,), (7,)), 1) is None  # one has more steps


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize(("kernel", "stride", "padding", "rows"), LAYERS)
def test_gradient(
    setting: str,
    dtype: Any,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    rows: int,
) -> None:
    random = np.random.default_rng(14)
    for wild in (False, True):
        of = Problem.__new__(Problem)
        far = tuple(6 * step for step in stride)
        near = tuple((n + 2 * p - k) // s + 1 for n, p, k, s in zip(far, padding, kernel, stride, strict=True))
        of.x, of.weight = (numbers(random, one, dtype, False) for one in ((2, rows, *far), (40, rows, *kernel)))
        of.output, of.bias = numbers(random, (2, 40, *near), dtype, wild, 1e3), numbers(random, (40,), dtype, False)
        of.groups, of.transposed = 1, False
        of.attributes = [stride, padding, (1,) * len(far), False, (0,) * len(far), 1]
        backward = convolution.convolution_backward, c_convolution.convolution_backward
        ((found, expected),) = both(*backward, of.backward((True, False, False)), [12, 13, 14], roles(dtype))
        assert_near(found, expected, 12, of.magnitudes()[1])
