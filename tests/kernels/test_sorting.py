"""Sorted elements where random numbers say too little: NaN, numbers near each other, and numbers that rounding ties."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels import topk

BF16 = ml_dtypes.bfloat16


def sorted_places(values: Any, descending: bool, operand: DType | None = None) -> list[int]:
    """The indices that `sort` writes."""
    out, indices = np.empty_like(values), np.empty(values.shape, np.int64)
    roles = {"operand": BY_NUMPY[values.dtype] if operand is None else operand}
    topk.sort(values, True, 0, descending, out, indices, roles)
    places: list[int] = indices.tolist()
    return places


@pytest.mark.parametrize("dtype", [BF16, np.float16, np.float32, np.float64])
def test_nan_is_larger_than_every_number(dtype: Any) -> None:
    values = np.array([1, np.nan, np.inf, -np.inf, np.nan, 0], dtype)
    assert sorted_places(values, descending=False) == [3, 5, 0, 2, 1, 4]
    assert sorted_places(values, descending=True) == [1, 4, 2, 0, 5, 3]


def test_the_keys_lose_no_digit() -> None:
    assert sorted_places(np.array([2e38, 1e38, 3e-40], BF16), descending=False) == [2, 1, 0]
    assert sorted_places(np.array([2**53 + 1, 2**53], np.int64), descending=False) == [1, 0]


def test_numbers_that_rounding_ties_keep_their_order() -> None:
    assert sorted_places(np.array([2**24 + 1, 2**24], np.int64), descending=False, operand=DType.FLOAT) == [0, 1]


@pytest.mark.parametrize("shape", [(7, 9), (3, 4, 6)])
def test_the_experts_of_a_row_are_those_of_pytorch(shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(len(shape))
    x, finished = rng.standard_normal(shape).astype(np.float32), rng.random(shape[:-1]) < 0.5
    expected = torch.topk(torch.softmax(torch.from_numpy(x.astype(np.float64)), -1), 3)
    found = ops.moe_gating_top_k_softmax(x, finished, 3)
    np.testing.assert_allclose(found.y_out, expected.values.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(found.expert_idx_out[~finished], expected.indices.numpy()[~finished])
    assert (found.expert_idx_out[finished] == shape[-1]).all()
    rows = finished.size
    pairs = {(place % rows, place // rows) for place in found.row_idx_out.ravel().tolist()}
    assert pairs == {(row, at) for row in range(rows) for at in range(3)}
    assert found.row_idx_out.reshape(rows, 3)[1].tolist() == [1, 1 + rows, 1 + 2 * rows]
