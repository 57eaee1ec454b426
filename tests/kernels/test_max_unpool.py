"""Maxima and gradients that go back to their places: equal places, batches, layouts, several axes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import adaptive_pool
from tests.support.numerics import peer

Array = np.ndarray[Any, np.dtype[Any]]


def places(shape: tuple[int, ...], axes: int, cells: int) -> Array:
    """Different places for the elements of each plane of a shape."""
    rng = np.random.default_rng(2)
    count, each = int(np.prod(shape[:-axes])), int(np.prod(shape[-axes:]))
    return np.stack([rng.permutation(cells)[:each] for _ in range(count)]).reshape(shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("shape", "size"),
    [((2, 2, 3), (3, 4)), ((2, 3, 2, 1), (2, 1)), ((2, 2, 1, 3), (3, 2, 4)), ((2, 2, 2, 1, 2), (1, 4, 2))],
)
def test_maxima_stand_in_their_places_and_zeros_elsewhere(
    shape: tuple[int, ...], size: tuple[int, ...], index: Any, dtype: Any
) -> None:
    torch, axes = peer(), len(size)
    x = np.asfortranarray(np.random.default_rng(1).integers(1, 9, shape).astype(dtype))
    at = np.asfortranarray(places(shape, axes, int(np.prod(size))).astype(index))
    out = np.full((*shape[:-axes], *size), 7, dtype, "F")
    if axes == 2:
        adaptive_pool.max_unpool(x, at, size, out, {"axes": 2})  # type: ignore[dict-item]
        expected = torch.ops.aten.max_unpool2d(*tensors(torch, x, at), size)
    else:
        adaptive_pool.max_unpool3d(x, at, size, [1, 1, 1], [0, 0, 0], out, {"axes": 3})  # type: ignore[dict-item]
        expected = torch.ops.aten.max_unpool3d(*tensors(torch, x, at), size, [1, 1, 1], [0, 0, 0])
    assert out.tolist() == expected.tolist()


def tensors(torch: Any, x: Array, at: Array) -> tuple[Any, Any]:
    """What PyTorch's own unpooling takes."""
    return torch.from_numpy(x.astype(np.float64)), torch.from_numpy(at.astype(np.int64))


def test_of_two_maxima_with_one_place_the_last_stays() -> None:
    out = np.empty((1, 1, 3), np.float32)
    x, at = np.array([[[1, 2, 3]]], np.float32), np.array([[[2, 0, 2]]])
    adaptive_pool.max_unpool(x, at, (1, 3), out, {"axes": 2})  # type: ignore[dict-item]
    assert out.tolist() == [[[2, 0, 3]]]


@pytest.mark.parametrize(
    ("dtype", "name"), [(np.float32, "FLOAT"), (np.float16, "FLOAT16"), (ml_dtypes.bfloat16, "BF16")]
)
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 1, 5, 3)])
def test_gradients_of_one_maximum_add_up(shape: tuple[int, ...], dtype: Any, name: str) -> None:
    rng = np.random.default_rng(3)
    gradient = rng.standard_normal((*shape[:-2], 2, 3)).astype(dtype)
    at = rng.integers(0, shape[-2] * shape[-1] // 3, gradient.shape)
    out = np.full(shape, 7, dtype)
    roles = {"operand": DType[name], "accumulate": DType.FLOAT, "result": DType[name], "axes": 2}
    adaptive_pool.adaptive_max_pool_backward(gradient, out, at, out, roles)  # type: ignore[arg-type]
    expected = np.zeros((*shape[:-2], shape[-2] * shape[-1]))
    for plane in np.ndindex(*shape[:-2]):
        for window in np.ndindex(2, 3):
            expected[(*plane, at[plane + window])] += float(gradient[plane + window])
    np.testing.assert_array_equal(out, expected.reshape(shape).astype(np.float32).astype(dtype))
