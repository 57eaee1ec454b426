"""Values that are written to named places: which of several for one place stays."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("with_values", [True, False])
@pytest.mark.parametrize("reduce", range(6))
@pytest.mark.parametrize("dim", [0, 1, -2])
def test_reductions_one_element_after_the_other(dim: int, reduce: int, with_values: bool, dtype: Any) -> None:
    random = np.random.default_rng(8)
    values: Any = random.integers(-5, 6, (3, 4)).astype(dtype)
    source: Any = random.integers(-5, 6, (4, 5)).astype(dtype)
    index = random.integers(0, 3, (3, 4))
    groups: dict[tuple[int, ...], list[Any]] = {}
    for at in np.ndindex(3, 4):
        place = [*at]
        place[dim] = index[at]
        groups.setdefault(tuple(place), [values[tuple(place)]] if with_values else []).append(source[at])
    expected = values.copy()
    for found, group in groups.items():
        mean = sum(group) // len(group) if dtype is np.int64 else sum(group) / len(group)
        expected[found] = [group[-1], sum(group), np.prod(group), max(group), min(group), mean][reduce]
    wide = DType.DOUBLE if dtype is np.float64 else DType.INT64
    out: Any = np.zeros((3, 4), dtype)
    scattering.scatter_reduce(
        values, dim, index, source, reduce, with_values, out, {"operand": wide, "accumulate": wide}
    )
    np.testing.assert_allclose(out, expected, 1e-13)


def test_reductions_of_truth_values_and_of_nothing() -> None:
    roles = {"operand": DType.BOOL, "accumulate": DType.BOOL}
    out = np.zeros(2, np.bool_)
    for reduce, wanted in ((3, [True, False]), (4, [False, False])):
        scattering.scatter_reduce(
            np.array([True, False]), 0, np.array([0, 0]), np.array([True, False]), reduce, False, out, roles
        )
        assert out.tolist() == wanted
    scattering.scatter_reduce(
        np.array([True, False]), 0, np.zeros(0, np.int64), np.zeros(0, np.bool_), 4, False, out, roles
    )
    assert out.tolist() == [True, False]
