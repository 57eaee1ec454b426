"""Strides, offset and storage shape of a view: aclnn counts all three in elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


class Layout(NamedTuple):
    """Where a view's elements stand in its storage."""

    strides: tuple[int, ...]
    offset: int
    storage_shape: tuple[int, ...]

    @classmethod
    def checked(
        cls,
        shape: tuple[int, ...],
        strides: Sequence[int] | None,
        offset: int,
        storage_shape: Sequence[int] | None,
        data_shape: tuple[int, ...] | None,
    ) -> Layout:
        """The layout of these arguments of a Tensor; ValueError or TypeError when they make no sense together."""
        if data_shape is not None and is_negative(shape):
            raise ValueError(f"The shape of a tensor with data ({shape}) has a negative dimension.")
        steps = contiguous_strides(shape) if strides is None else dims(strides, "strides")
        if len(steps) != len(shape):
            raise ValueError(f"The number of strides ({len(steps)}) is not the number of dimensions ({len(shape)}).")
        start = int64(offset, "offset")
        end = start + span(shape, steps)
        storage = (end,) if data_shape is None else data_shape
        if storage_shape is not None:
            storage = dims(storage_shape, "storage_shape")
        if data_shape is not None and prod(storage) != prod(data_shape):
            raise ValueError(
                f"The number of elements of storage_shape ({prod(storage)}) is not that of data ({prod(data_shape)})."
            )
        if end > prod(storage):
            raise ValueError(
                f"The view ends at element {end} and leaves its storage, which has {prod(storage)} elements."
            )
        return cls(steps, start, storage)

    def is_contiguous(self, shape: tuple[int, ...]) -> bool:
        """Whether the elements of a view of this shape stand one after the other in row-major order."""
        if any(size <= 0 for size in shape):
            return True
        expected = contiguous_strides(shape)
        return all(d == 1 or s == e for d, s, e in zip(shape, self.strides, expected, strict=True))

    def view(self, storage: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The view on this storage, without a copy; ValueError when the storage itself is not contiguous."""
        if not storage.flags.c_contiguous:
            raise ValueError("The storage of a Tensor (data) is not contiguous, so that offsets into it mean nothing.")
        flat = storage.reshape(-1)[self.offset :]
        steps = tuple(step * storage.itemsize for step in self.strides)
        return np.lib.stride_tricks.as_strided(flat, shape, steps, writeable=storage.flags.writeable)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major strides of a shape, in elements; an axis without elements counts as one element."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The elements from the first to the last of a view, both counted; 0 for one without elements."""
    if any(size <= 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def is_negative(shape: tuple[int, ...]) -> bool:
    """Whether a dimension is negative: aclCreateTensor takes such a shape, and the checks of an operator refuse it."""
    return any(size < 0 for size in shape)


def dims(values: Sequence[int], noun: str, low: int = 0) -> tuple[int, ...]:
    """A sequence of sizes or strides as a tuple of ints, none of them below ``low``."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"The value of {noun} ({values!r}) is not a sequence of integers.")
    return tuple(int64(value, f"{noun}[{at}]", low) for at, value in enumerate(values))


def int64(value: object, noun: str, low: int = 0) -> int:
    """An int from ``low`` to the largest int64."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"The value of {noun} ({value!r}) is not an integer.")
    number = index(value)
    if number < low == 0:
        raise ValueError(f"The value of {noun} ({number}) is negative.")
    if not low <= number <= INT64_MAX:
        raise ValueError(f"The value of {noun} ({number}) is beyond the range of int64.")
    return number
