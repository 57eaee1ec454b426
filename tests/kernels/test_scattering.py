"""Values that are written to named places: which of several for one place stays."""

from __future__ import annotations

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import advanced_indexing, scattering


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_the_last_of_several_values_stays_whatever_the_strides_of_the_indices(axes: tuple[int, int]) -> None:
    random = np.random.default_rng(6)
    indices = tuple(random.integers(0, size, (9, 5)) for size in (2, 3))
    stored = tuple(np.ascontiguousarray(index.transpose(axes)).transpose(axes) for index in indices)
    values = random.standard_normal((1, 5))
    expected, target = np.zeros((2, 3)), np.zeros((2, 3))
    for place in np.ndindex(9, 5):
        expected[indices[0][place], indices[1][place]] = values[0, place[1]]
    precision = {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE}
    advanced_indexing.index_put(target, stored, values, False, False, precision)
    assert target.tolist() == expected.tolist()


@pytest.mark.parametrize("dim", [0, 1])
def test_no_index_changes_nothing_whatever_its_shape(dim: int) -> None:
    values, out = np.ones((2, 3)), np.zeros((2, 3))
    roles = {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE}
    scattering.scatter(values, dim, np.zeros(0, np.int64), np.zeros(0), 0, out, roles)
    assert (out == 1).all()
