"""Which cells meet in a convolution, against the definition, step by step."""

from __future__ import annotations

from itertools import combinations, pairwise, product

from aclspec.runtime.kernels.conv_lanes import Geometry, Lane, Phase, covers, pads

SIZES = (1, 2, 5)


def leaves(phase: Phase, size: int) -> bool:
    """Whether some step of the only lane meets a cell outside a source of this size."""
    lane = phase.lanes[0]
    places = [step * lane.stride + offset for step in range(lane.steps) for offset in lane.offsets]
    return any(not 0 <= place < size for place in places)


def test_padding_is_what_lies_outside() -> None:
    ways = set()
    for stride, padding, dilation in product((1, 2, 3), (-1, 0, 1, 3), (1, 2)):
        geometry = Geometry((stride,), (padding,), (dilation,))
        for count, kernel, size in product((1, 2, 4), (1, 2, 3), SIZES):
            phases = [*geometry.forward([count], [kernel]), *geometry.adjoint([count], [kernel])]
            for phase in phases:
                assert pads([phase], [size]) == leaves(phase, size)
                ways.add(leaves(phase, size))
            assert pads(phases, [size]) == any(leaves(phase, size) for phase in phases)
    assert ways == {False, True}


def test_a_kernel_without_cells_has_no_phase() -> None:
    geometry = Geometry((1, 1), (0, 0), (1, 1))
    assert geometry.forward([3, 3], [2, 0]) == []
    assert len(geometry.forward([3, 3], [2, 2])) == 1


def test_runs_have_the_cells_that_steps_meet() -> None:
    chosen = [offsets for n in (1, 2, 3) for offsets in combinations((-2, -1, 0, 1, 3, 7), n)]
    for offsets, start, count, size in product([*chosen, (3, -1, 0)], (0, 2), (1, 2, 4), SIZES):
        lane, steps = Lane(9, 1, offsets, ()), slice(start, start + count)
        runs = list(lane.runs(steps, size))
        assert sorted(number for run in runs for number, _ in run.offsets) == list(range(len(offsets)))
        for run in runs:
            cells = dict(zip(range(run.length)[run.inside], range(size)[run.cells], strict=True))
            for number, first in run.offsets:
                for step in range(count):
                    place = offsets[number] + start + step
                    assert cells.get(first + step) == (place if 0 <= place < size else None)
            assert {first + step for _, first in run.offsets for step in range(count)} == set(range(run.length))
        ends = [[offsets[number] for number, _ in run.offsets] for run in runs]
        assert all(low[-1] + count < high[0] for low, high in pairwise(ends))


def test_what_no_tap_reads_is_not_covered() -> None:
    ways = set()
    for stride, padding, dilation, kernel, inputs in product((1, 2, 3), (0, 1, 2), (1, 2), (1, 2, 3), (1, 2, 3, 6)):
        phases = list(Geometry((stride,), (padding,), (dilation,)).adjoint([inputs], [kernel]))
        cells = [
            cell
            for phase in phases
            for member in phase.lanes[0].members
            for cell in range(inputs)[member.cells(slice(0, phase.lanes[0].steps))]
        ]
        assert len(cells) == len(set(cells))
        assert covers(phases, [inputs]) == (len(cells) == inputs)
        ways.add(len(cells) == inputs)
    assert ways == {False, True}
