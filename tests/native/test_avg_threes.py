"""Average pooling by three columns in steps of two: rows of every width, which end in every lane, and few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.kernels import avg_pool
from aclspec.runtime.native import avg_pool as c_avg_pool
from aclspec.runtime.native.library import Library
from tests.native.test_kernels import DTYPES, assert_same, both, numbers, roles

GEOMETRIES = [  # kernel, stride and padding of the rows, and which rows there are
    (3, 2, 1, (5, 6, 9, 10, 15)),
    (3, 2, 0, (7, 8)),
    (3, 3, 1, (8, 9)),
    (2, 2, 0, (4, 9)),
    (5, 2, 2, (9, 12)),
]


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_every_end_of_a_row(compiled: Library, dtype: Any, wild: bool) -> None:
    random = np.random.default_rng(31)
    widths = [*range(5, 71), 130]
    for kernel, stride, pad, heights in GEOMETRIES:
        for width in widths:
            height = int(random.choice(heights))
            x = numbers(random, (2, 2, height, width), dtype, wild)
            windows = [
                (size + 2 * p - k) // s + 1 for size, p, k, s in ((height, pad, kernel, stride), (width, 1, 3, 2))
            ]
            included = bool(random.random() < 0.5)
            attributes: list[Any] = [(kernel, 3), (stride, 2), (pad, 1), False, included, 0, 0]
            values = [x, *attributes, np.empty((2, 2, *windows), dtype)]
            with np.errstate(all="ignore"):
                found, expected = both(avg_pool.avg_pool2d, c_avg_pool.avg_pool2d, values, [8], roles(dtype))[0]
            assert_same(found, expected)
