"""Which arrays of many may have memory in common: by the ranges of their addresses, in the time of sorting them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 64
"""Comparisons up to which each array is compared with each."""


def any_overlap(arrays: Sequence[NDArray[Any]], others: Sequence[NDArray[Any]]) -> bool:
    """Whether an array may have memory in common with one of the others."""
    if len(arrays) * len(others) <= _FEW:
        return any(np.may_share_memory(one, other) for one in arrays for other in others)
    starts, ends = _merged(map(_range, others))
    for low, high in map(_range, arrays):
        at = bisect_right(starts, high - 1) - 1  # the last range that starts before this one ends
        if low < high and at >= 0 and low < ends[at]:
            return True
    return False


def overlapping_pairs(arrays: Sequence[NDArray[Any] | None]) -> list[tuple[int, int]]:
    """The places of each two arrays that may have memory in common, the later one first, in their order."""
    ranges = [(*_range(one), at) for at, one in enumerate(arrays) if one is not None]
    found: list[tuple[int, int]] = []
    open_ones: list[tuple[int, int]] = []
    for low, high, at in sorted(one for one in ranges if one[0] < one[1]):
        open_ones = [(end, other) for end, other in open_ones if end > low]
        found += [(max(at, other), min(at, other)) for _, other in open_ones]
        open_ones.append((high, at))
    return sorted(found)


def _range(array: NDArray[Any]) -> tuple[int, int]:
    """The first address of an array and that behind its last byte; twice the same for one without elements."""
    low: int = array.__array_interface__["data"][0]
    if not array.size:
        return low, low
    high = low + array.itemsize
    for size, step in zip(array.shape, array.strides, strict=True):
        if step < 0:
            low += (size - 1) * step
        else:
            high += (size - 1) * step
    return low, high


def _merged(ranges: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The starts and the ends of ranges that together are those given and do not touch, in their order."""
    starts: list[int] = []
    ends: list[int] = []
    for low, high in sorted(one for one in ranges if one[0] < one[1]):
        if ends and low <= ends[-1]:
            ends[-1] = max(ends[-1], high)
        else:
            starts.append(low)
            ends.append(high)
    return starts, ends
