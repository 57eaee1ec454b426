"""Goes through large arrays a block at a time, so that no kernel needs a second copy of one in a wider dtype."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Place: TypeAlias = tuple[Any, ...]
BLOCK = 1 << 17
"""Elements of a block: large enough to hide Python's overhead, small enough for its scratch to stay in the cache."""


def blocks(shape: tuple[int, ...], size: int | None = None) -> Iterator[Place]:
    """Slices that cover a shape in row-major order, each of at most ``size`` elements (`BLOCK`).

    They follow from the shape alone, so that a sum over them does not depend on how an array lies in memory.
    """
    size = size or BLOCK
    if prod(shape) <= size:
        yield (slice(None),) * len(shape) or (...,)  # an empty index would make a copy of the only element
        return
    split = next(axis for axis in range(len(shape)) if prod(shape[axis + 1 :]) <= size)
    step = size // prod(shape[split + 1 :])
    inner = (slice(None),) * (len(shape) - split - 1)
    for outer in np.ndindex(shape[:split]):
        leading = tuple(slice(at, at + 1) for at in outer)
        for start in range(0, shape[split], step):
            yield (*leading, slice(start, start + step), *inner)


def channels_first(array: Array) -> Array:
    """The same elements with axis 1 in front."""
    return array.swapaxes(0, 1)


def joined(array: Array, axes: int) -> Array | None:
    """A view with the last ``axes`` axes as one, where its elements follow each other, row by row, in memory."""
    step = array.itemsize
    for size, stride in zip(array.shape[: -axes - 1 : -1], array.strides[: -axes - 1 : -1], strict=True):
        if size > 1 and stride != step:
            return None
        step *= size
    pitch = array.strides[-axes - 1]
    if array.shape[-axes - 1] > 1 and (pitch < step or pitch % array.itemsize):
        return None
    return array.reshape(*array.shape[:-axes], prod(array.shape[-axes:]))


def join(array: Array, axes: int) -> Array:
    """The elements with the last ``axes`` axes as one: such a view, or else a contiguous copy."""
    view = joined(array, axes)
    return (
        np.ascontiguousarray(array).reshape(*array.shape[:-axes], prod(array.shape[-axes:])) if view is None else view
    )


def sum_rows(array: Array) -> Array:
    """The float64 sum of each row of a contiguous array, its first axis being the rows.

    # Note: the products add in float32, in an order that nobody documents. Sums in float64, rounded to float32 at the
    end, are as near to the exact sum as any such order can come, whatever the number of terms.
    """
    sums: Array = array.reshape(array.shape[0], -1).sum(axis=1, dtype=np.float64)
    return sums


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype to compute products of this dtype in: float32 below 32 bits, where it holds every product exactly."""
    return np.promote_types(dtype, np.float32)


class Scratch:
    """Buffers of one block, by name, made when first asked for and used again by every block."""

    def __init__(self, elements: int) -> None:
        """Buffers for blocks of at most ``elements`` elements."""
        self._elements = min(elements, BLOCK)
        self._buffers: dict[str, Array] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """The buffer of this name as a contiguous array of this shape, with whatever is in it."""
        buffer = self._buffers.get(name)
        if buffer is None:
            buffer = self._buffers[name] = np.empty(self._elements, dtype)
        return buffer[: prod(shape)].reshape(shape)

    def load(self, name: str, array: Array, dtype: np.dtype[Any]) -> Array:
        """The array itself where it is contiguous and of this dtype, else a copy of it that is both."""
        if array.dtype == dtype and array.flags.c_contiguous:
            return array
        copy = self.take(name, array.shape, dtype)
        np.copyto(copy, array, casting="unsafe")
        return copy

    def round(self, array: Array, dtype: np.dtype[Any]) -> None:
        """Round the elements of a contiguous array, in place, to the values that this dtype has."""
        if array.dtype != dtype:
            narrow = self.take("narrow", array.shape, dtype)
            np.copyto(narrow, array, casting="unsafe")
            np.copyto(array, narrow, casting="unsafe")

    def mask(self, condition: Array, like: Array) -> Array:
        """A boolean array as integers of the width of ``like``: all bits set where it is true, none elsewhere."""
        bits = self.take("mask", condition.shape, _bits(like))
        np.multiply(condition, bits.dtype.type(-1), out=bits)
        return bits


# A random mask makes np.where and copyto(where=) mispredict a branch an element; these two are 15 times as fast.


def clear(target: Array, mask: Array) -> None:
    """Set the elements under the mask to zero, whatever they are (NaN included)."""
    bits = target.view(mask.dtype)
    np.bitwise_and(bits, ~mask, out=bits)


def replace(target: Array, source: Array, mask: Array) -> None:
    """Take the elements under the mask from ``source``."""
    bits, other = target.view(mask.dtype), source.view(mask.dtype)
    np.bitwise_xor(bits, (bits ^ other) & mask, out=bits)


def _bits(array: Array) -> np.dtype[Any]:
    return np.dtype(f"i{array.itemsize}")
