"""Rows reduced in bags, where a formula says too little: the rows of the largest elements, and who computes alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.bags import embedding_bag
from tests.support.numerics import peer

FLOAT = {"operand": DType.FLOAT, "accumulate": DType.FLOAT}


def reduced(
    weight: Any, indices: Any, offsets: Any, mode: int, factors: Any = None, ends: bool = False, padding: int = -1
) -> tuple[Any, Any, Any, Any]:
    """The four outputs of a call, filled with 77 before it."""
    bags = len(offsets) - ends
    out = np.full((bags, weight.shape[1]), 77, np.float32)
    bag_of, sizes, rows = (np.full(shape, 77) for shape in (len(indices), bags, out.shape if mode == 2 else bags))
    embedding_bag(weight, indices, offsets, False, mode, False, factors, ends, padding, out, bag_of, sizes, rows, FLOAT)
    return out, bag_of, sizes, rows


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("padding", [-1, 3])
def test_bags_are_those_of_pytorch(mode: int, ends: bool, padding: int) -> None:
    torch = peer()
    random = np.random.default_rng(mode)
    weight = random.standard_normal((6, 4)).astype(np.float32)
    indices, offsets = random.integers(0, 6, 12), np.array([0, 0, 3, 8, 12] if ends else [0, 3, 3, 8])
    factors = random.standard_normal(12).astype(np.float32) if mode == 0 else None
    given = [torch.from_numpy(one) for one in (weight, indices, offsets)]
    scale = None if factors is None else torch.from_numpy(factors)
    expected = torch.ops.aten._embedding_bag(*given, False, mode, False, scale, ends, padding)
    out, bag_of, sizes, rows = reduced(weight, indices, offsets, mode, factors, ends, padding)
    np.testing.assert_allclose(out, expected[0].numpy(), rtol=1e-5, atol=1e-6)
    kept = indices != padding
    assert [int((kept & (bag_of == bag)).sum()) for bag in range(len(out))] == sizes.tolist()
    if mode == 2:
        filled = sizes > 0
        assert rows[filled].tolist() == expected[3].numpy()[filled].tolist()
        assert not rows[~filled].any()
    else:
        assert (rows == 77).all()


def test_an_output_without_elements_stays_away() -> None:
    weight, out = np.ones((2, 3), np.float32), np.zeros((1, 3), np.float32)
    none, sizes, rows = np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    embedding_bag(
        weight, np.array([1, 0]), np.array([0]), False, 0, False, None, False, -1, out, none, sizes, rows, FLOAT
    )
    assert out.tolist() == [[2, 2, 2]]
    assert sizes.tolist() == [2]


@pytest.mark.parametrize("mode", [0, 1])
def test_sums_run_in_float64(mode: int) -> None:
    weight = np.array([[1e8], [1], [-1e8]], np.float32)
    out, *_ = reduced(weight, np.array([0, 1, 2]), np.array([0]), mode)
    assert out.tolist() == [[np.float32(1 if mode == 0 else 1 / 3)]]
