"""Sums over a channel in half precision: within their bound of float64, and no overflow on the way."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.native import batch_norm, prelu
from tests.native.test_kernels import roles, setting

UNIT = 2.0**-24
HALVES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
__all__ = ["setting"]
pytestmark = pytest.mark.usefixtures("setting")


def spread(random: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers of both signs, the largest a million times the smallest."""
    return (random.standard_normal(shape) * 10.0 ** random.uniform(-3, 3, shape)).astype(dtype)


def reduced(g: Any, x: Any, mean: Any) -> tuple[Any, Any]:
    """The sums of gradients, and of gradients times centred elements."""
    sums = [np.empty(x.shape[1], np.float32) for _ in range(4)]
    values = [g, x, mean, np.ones_like(mean), None, True, True, True, *sums]
    kernel: Any = batch_norm.batch_norm_reduce_backward
    assert kernel(*values, roles(x.dtype.type))
    return sums[0], sums[1]


@pytest.mark.parametrize("dtype", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("cells", [64, 196, 255, 257, 33_000])
def test_sums_are_within_eight_units_of_absolute_terms(dtype: Any, cells: int) -> None:
    random = np.random.default_rng(cells)
    g, x = (spread(random, (3, 4, cells), dtype) for _ in range(2))
    mean = spread(random, (4,), np.float32)
    terms = g.astype(np.float32), (x.astype(np.float32) - mean[:, None]) * g.astype(np.float32)
    for found, of in zip(reduced(g, x, mean), terms, strict=True):
        exact = of.astype(np.float64).sum((0, 2))
        bound = 8 * UNIT * np.abs(of.astype(np.float64)).sum((0, 2)) + UNIT * np.abs(exact)
        assert np.all(np.abs(found - exact) <= bound)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_terms_of_different_lanes_and_blocks_are_all_there(name: str) -> None:
    """One element at a time is not 0, wherever it lies."""
    for cells in (65, 290):
        g = np.eye(cells, dtype=HALVES[name]).reshape(1, cells, cells)
        sums = reduced(g, g, np.zeros(cells, np.float32))
        assert [one.tolist() for one in sums] == [[1.0] * cells] * 2


def test_no_overflow_where_the_sum_has_none() -> None:
    """Sixteen elements of a lane that float32 cannot add up."""
    cells = 512
    large = np.zeros((1, 2, cells), ml_dtypes.bfloat16)
    large[0, 0, ::32], large[0, 0, 1::32] = 3e38, -3e38
    large[0, 1, :256:32], large[0, 1, 256::32] = 3e38, -3e38
    sums, products = reduced(large, np.ones_like(large), np.zeros(2, np.float32))
    assert sums.tolist() == products.tolist() == [0.0, 0.0]
    weight, outputs = np.ones(2, large.dtype), [np.empty_like(large), np.empty(2, large.dtype)]
    values = [large, -np.ones_like(large), weight, *outputs]
    kernel: Any = prelu.prelu_backward
    assert kernel(*values, {"product": DType.BF16, "accumulate": DType.FLOAT})
    assert outputs[1].astype(np.float32).tolist() == [0.0, 0.0]


def test_means_that_make_products_near_the_largest_number() -> None:
    x, mean = np.zeros((1, 1, 256), np.float16), np.full(1, -2e34, np.float32)
    g = np.full((1, 1, 256), 8192, np.float16)
    g[..., 1::2] *= -1
    assert reduced(g, x, mean)[1].tolist() == [0.0]
