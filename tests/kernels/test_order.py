"""Elements chosen by rank: NaN, equal elements, one axis of several, and the places that are named."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import order
from tests.support.numerics import EXACT, peer

NAN = float("nan")


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int8])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_the_kth_smallest_is_that_of_the_sorted_axis(dtype: Any, dim: int) -> None:
    x = np.random.default_rng(3).integers(-4, 5, (4, 5, 3)).astype(dtype)
    shape = [size for axis, size in enumerate(x.shape) if axis != dim % 3]
    for k in range(1, x.shape[dim] + 1):
        values, indices = np.empty(shape, dtype), np.empty(shape, np.int64)
        order.kth_smallest(x, k, dim, False, values, indices, EXACT)
        expected = np.sort(x.astype(np.float64), dim).take(k - 1, dim)
        assert values.astype(np.float64).tolist() == expected.tolist()
        named = np.take_along_axis(x, np.expand_dims(indices, dim), dim).squeeze(dim)
        assert named.astype(np.float64).tolist() == expected.tolist()


def test_of_equal_elements_those_in_front_come_first() -> None:
    values, indices = np.empty((), np.float32), np.empty((), np.int64)
    for k, place in ((1, 1), (2, 3), (3, 0), (4, 2)):
        order.kth_smallest(np.array([2, 1, 2, 1], np.float32), k, 0, False, values, indices, EXACT)
        assert indices == place


@pytest.mark.parametrize("numbers", [[1, NAN, 3, 2], [NAN, NAN], [NAN, 5], [4, 3, 2, 1], [7]])
def test_medians_without_nan_are_those_of_pytorch(numbers: list[float]) -> None:
    torch = peer()
    x = np.array([numbers, numbers[::-1]], np.float32)
    values, indices = np.empty(2, np.float32), np.empty(2, np.int64)
    order.nan_median_along(x, 1, False, values, indices, EXACT)
    expected = torch.nanmedian(torch.from_numpy(x), 1).values.numpy()
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(np.take_along_axis(x, indices[:, None], 1)[:, 0], expected)
    out = np.empty(1, np.float32)
    order.nan_median(x, out, EXACT)
    np.testing.assert_array_equal(out, torch.nanmedian(torch.from_numpy(x)).numpy()[None])


def test_a_nan_is_larger_than_every_number_in_a_median() -> None:
    out = np.empty((), np.float32)
    for numbers, expected in (([NAN, 1, 2], 2), ([NAN, NAN, 2], NAN), ([np.inf, NAN, 3, 4], 4)):
        order.median(np.array(numbers, np.float32), out, EXACT)
        np.testing.assert_equal(float(out), float(expected))


def test_slices_are_filled_on_every_axis_and_in_every_layout() -> None:
    x = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    order.fill_slices_in_place(x, -2, [0, -1], -1.0, EXACT)
    assert (x[:, [0, 2]] == -1).all()
    assert (x[:, 1] == np.arange(24.0).reshape(2, 3, 4)[:, 1]).all()
    scalar = np.array(5, np.int32)
    order.fill_slices_in_place(scalar, 0, np.array([0]), 7.9, EXACT)
    assert scalar == 7


@pytest.mark.parametrize("shape", [(), (3,), (2, 1), (2, 3)])
def test_a_masked_scatter_is_that_of_pytorch(shape: tuple[int, ...]) -> None:
    torch, rng = peer(), np.random.default_rng(5)
    x, mask, source = np.asfortranarray(rng.standard_normal((2, 3))), rng.integers(0, 2, shape) != 0, np.arange(8.0)
    expected = torch.from_numpy(x.copy()).masked_scatter(torch.from_numpy(np.array(mask)), torch.from_numpy(source))
    order.scatter_masked(x, mask, source, EXACT)
    assert x.tolist() == expected.tolist()


def test_places_that_source_is_too_short_for_stay() -> None:
    x = np.zeros(3)
    order.scatter_masked(x, np.ones(3, bool), np.array([7.0]), EXACT)
    assert x.tolist() == [7, 0, 0]


@pytest.mark.parametrize("accumulate", [False, True])
def test_a_put_is_that_of_pytorch(accumulate: bool) -> None:
    torch, rng = peer(), np.random.default_rng(6)
    x, index, source = (
        np.asfortranarray(rng.standard_normal((4, 3))),
        rng.permutation(12)[:6].reshape(2, 3),
        np.arange(6.0),
    )
    if accumulate:
        index = index % 4
    expected = torch.from_numpy(x.copy()).put(
        torch.from_numpy(index), torch.from_numpy(source.reshape(2, 3)), accumulate
    )
    order.put(x, index, source, accumulate, EXACT)
    np.testing.assert_allclose(x, expected.numpy(), rtol=1e-15)
    logical = np.array([False, True])
    order.put(
        logical, np.array([0, 0]), np.array([True, True]), accumulate, {"operand": DType.BOOL, "accumulate": DType.BOOL}
    )
    assert logical.tolist() == [True, True]
