"""Philox4x32-10, a counter-based generator of random numbers, and uniform and normal numbers drawn with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.kernels.blocks import BLOCK

Words = NDArray[np.uint32]
Doubles = NDArray[np.float64]

ROUNDS = 10
WIDTH = 4
"""Words of 32 bits in a block, as many as in its counter."""
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


def philox(counters: NDArray[np.uint64], key: int) -> Words:
    """The blocks of counters (4, n), each of 32 bits, under a key of 64 bits, as (n, 4).

    - Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
    """
    zero, one, two, three = counters
    low, high = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(ROUNDS):
        first, second = zero * _MULTIPLIERS[0], two * _MULTIPLIERS[1]
        zero = (second >> _HALF) ^ one ^ np.uint64(low)
        two = (first >> _HALF) ^ three ^ np.uint64(high)
        one, three = second & _LOW, first & _LOW
        low, high = (low + _WEYL[0]) & 0xFFFFFFFF, (high + _WEYL[1]) & 0xFFFFFFFF
    return np.stack((zero, one, two, three), -1).astype(np.uint32)


class Stream:
    """The random numbers of one seed and offset, from the first on.

    The seed is the key, the offset the upper half of the counter, and the number of a block its lower half, so that no
    two seeds or offsets share a block.
    """

    def __init__(self, seed: int, offset: int) -> None:
        """The numbers of a seed and an offset; 64 bits of each count."""
        self._key, self._offset = seed & (1 << 64) - 1, offset & (1 << 64) - 1

    def words(self, first: int, count: int) -> Words:
        """A number of words of 32 bits, from one on whose number is a multiple of 4."""
        blocks = np.arange(first // WIDTH, (first + count + WIDTH - 1) // WIDTH, dtype=np.uint64)
        upper = (np.full(blocks.shape, self._offset >> shift & 0xFFFFFFFF, np.uint64) for shift in (0, 32))
        return philox(np.stack((blocks & _LOW, blocks >> _HALF, *upper)), self._key).reshape(-1)[:count]

    def fractions(self, first: int, count: int) -> Doubles:
        """A number of numbers from 0 up to but not including 1, of 53 bits, from one on whose number is even."""
        pairs = self.words(2 * first, 2 * count).astype(np.uint64).reshape(count, 2)
        wide: Doubles = ((pairs[:, 0] << np.uint64(21)) | (pairs[:, 1] >> np.uint64(11))) * 2.0**-53
        return wide

    def normals(self, first: int, count: int) -> Doubles:
        """A number of numbers of the standard normal distribution, from one on whose number is even.

        - Source: Box and Muller, A note on the generation of random normal deviates (1958).
        """
        pairs = self.fractions(first, count + count % 2).reshape(-1, 2)
        radius, angle = np.sqrt(-2 * np.log1p(-pairs[:, 0])), 2 * np.pi * pairs[:, 1]
        return np.stack((radius * np.cos(angle), radius * np.sin(angle)), -1).reshape(-1)[:count]


def spans(count: int) -> Iterator[tuple[int, int]]:
    """Where each block of numbers begins, and how many it has."""
    for first in range(0, count, BLOCK):
        yield first, min(BLOCK, count - first)
