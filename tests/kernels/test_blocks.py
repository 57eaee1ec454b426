"""Blocks of large arrays, axes that are joined, buffers that are used again."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.kernels.blocks import Scratch, blocks, join, joined, working_dtype

SHAPES: list[tuple[int, ...]] = [(), (1,), (7,), (0, 3), (2, 3), (5, 4), (3, 1, 4), (2, 3, 4), (1, 5, 1, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_cover_a_shape_in_order(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for size in range(1, array.size + 2):
        parts = [array[at] for at in blocks(shape, size)]
        assert all(np.shares_memory(part, array) or not part.size for part in parts)
        assert [one for part in parts for one in part.ravel().tolist()] == list(range(array.size))
        assert max(part.size for part in parts) <= size
        assert max(part.size for part in parts) * 2 > min(size, array.size) or not array.size
        if array.size <= size:
            assert list(blocks(shape, size)) == [(slice(None),) * len(shape) or (...,)]


def arrays() -> list[Any]:
    """Views of one array: permuted, with gaps, turned round, and with one element many times."""
    base = np.arange(360, dtype=np.float32).reshape(3, 4, 5, 6)
    found: list[Any] = [base.transpose(order) for order in permutations(range(4))]
    steps = (slice(None), slice(None, None, 3), slice(None, 1), slice(None, None, -1))
    found += [base[at] for at in product(steps, repeat=4)]
    found += [base[0, 0][np.newaxis], base[0, 0, 0][np.newaxis, np.newaxis]]  # the new axes have steps of 0
    found += [np.broadcast_to(base[:, :1], base.shape), np.broadcast_to(base[:1, :1], base.shape)]
    packed = np.zeros((3, 2), np.dtype([("byte", np.int8), ("row", np.float32, 4)]))
    return [*found, packed["row"]]


@pytest.mark.parametrize("axes", [1, 2])
def test_axes_are_joined_where_their_elements_follow_each_other(axes: int) -> None:
    for array in arrays():
        size, pitch = array.itemsize, array.strides[-axes - 1]
        inner = array[(0,) * (array.ndim - axes)]
        places = sum(
            (np.arange(n).reshape(-1, *(1,) * (axes - at - 1)) * inner.strides[at] for at, n in enumerate(inner.shape)),
            np.zeros((1,) * axes, int),
        )
        follow = places.ravel().tolist() == list(range(0, inner.size * size, size))
        apart = array.shape[-axes - 1] == 1 or (pitch >= inner.size * size and pitch % size == 0)
        expected = array.copy().reshape(*array.shape[:-axes], -1)
        view = joined(array, axes)
        assert (view is not None) == (follow and apart)
        if view is not None:
            assert np.shares_memory(view, array)
            assert np.array_equal(view, expected)
        either = join(array, axes)
        assert np.array_equal(either, expected)
        assert np.shares_memory(either, array) == (view is not None)


def test_buffers_are_used_again() -> None:
    scratch = Scratch(12)
    one = scratch.take("one", (3, 4), np.dtype(np.float32))
    assert np.shares_memory(one, scratch.take("one", (2, 2), np.dtype(np.float32)))
    assert not np.shares_memory(one, scratch.take("other", (2, 2), np.dtype(np.float32)))
    assert scratch.load("one", one, one.dtype) is one
    loaded = scratch.load("one", np.ones((4, 3)).T, one.dtype)
    assert np.shares_memory(loaded, one)
    assert (loaded == 1).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_numbers_are_rounded_in_place(dtype: Any) -> None:
    values = np.array([1 + 2.0**-12, 3], np.float32)
    Scratch(2).round(values, np.dtype(dtype))
    assert values.tolist() == [dtype(1 + 2.0**-12), 3]


def test_products_of_narrow_numbers_are_float() -> None:
    kinds = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
    assert [working_dtype(np.dtype(one)) for one in kinds] == [np.float32, np.float32, np.float32, np.float64]
