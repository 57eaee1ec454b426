"""The cells of windows against the definition, cell by cell, negative paddings and windows without cells included."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from aclspec.runtime.kernels.windows import COLS, Axis, over_windows, overlap, pool_of

AXES = [Axis(*values) for values in product((1, 2, 5), (1, 3, 4), (1, 2, 5), (1, 2, 7), (-1, 0, 2), (1, 2, 3))]


def covered(axis: Axis) -> list[list[int]]:
    """The cells of each window; a negative padding cuts off as many at the end."""
    end = axis.size + min(0, axis.padding)
    places = [
        [window * axis.stride - axis.padding + tap * axis.dilation for tap in range(axis.kernel)]
        for window in range(axis.count)
    ]
    return [[place for place in window if 0 <= place < end] for window in places]


def test_the_cells_of_a_window() -> None:
    for axis in AXES:
        assert [list(range(axis.size))[axis.cells(window)] for window in range(axis.count)] == covered(axis)


def test_the_windows_of_a_kernel_cell() -> None:
    for axis in AXES:
        found: list[list[int]] = [[] for _ in range(axis.count)]
        for cells, windows in axis.taps():
            pairs = zip(range(axis.size)[cells], range(axis.count)[windows], strict=True)
            for cell, window in pairs:
                found[window].append(cell)
        assert found == covered(axis)


def test_windows_are_combined_either_way() -> None:
    rng = np.random.default_rng(31)
    ways = set()
    for axis in AXES:
        cells: Any = rng.integers(-9, 10, (2, 1, axis.size))
        for combine, start in ((np.add, 0), (np.maximum, -99)):
            expected = [[combine.reduce(row[window], initial=start) for window in covered(axis)] for row in cells[:, 0]]
            assert over_windows(combine, start, axis, COLS, cells)[:, 0].tolist() == expected
        ways.add((axis.goes_by_tap, [] in covered(axis)))
    assert len(ways) == 4


def test_fewer_kernel_cells_than_windows_are_gone_through() -> None:
    assert Axis(9, 3, 3, 3, 0).goes_by_tap
    assert not Axis(9, 2, 3, 3, 0).goes_by_tap
    assert Axis(1, 2, 2**62, 1, 0).goes_by_tap  # one kernel cell of them all is inside


def test_a_third_number_stands_for_no_axis() -> None:
    pool = pool_of((8, 9), (3, 4), [2, 3, 7], [], [1, 0, 5])
    assert (pool.rows, pool.cols) == (Axis(8, 3, 2, 2, 1), Axis(9, 4, 3, 3, 0))
    assert overlap(-3, 2, 4, 9) == (2, 4)
