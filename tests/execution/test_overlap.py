"""Which arrays may have memory in common: as NumPy says of each two, in a time that does not grow with their pairs."""

from __future__ import annotations

import random
import time
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from aclspec import ops
from aclspec.runtime.tensors.overlap import any_overlap, overlapping_pairs

MANY = 20_000


def view(buffer: NDArray[np.uint8], rng: random.Random) -> NDArray[np.uint8]:
    """A view on a part of a buffer: of one or two axes, with steps forward or back, sometimes without elements."""
    low = rng.randrange(buffer.size)
    part = buffer[low : low + rng.choice((0, 1, 2, 5, 9, 40))]
    step = rng.choice((1, 1, 2, 3, -1, -2))
    if part.size and part.size % 2 == 0 and rng.random() < 0.5:
        return part.reshape(2, -1)[:: rng.choice((1, -1)), ::step]
    return part[::step]


@pytest.mark.parametrize("seed", range(40))
def test_as_numpy_says_of_each_two(seed: int) -> None:
    rng = random.Random(seed)
    buffers = [np.zeros(rng.choice((30, 300, 3000)), np.uint8) for _ in range(rng.randint(1, 3))]
    arrays, others = (
        [view(rng.choice(buffers), rng) for _ in range(count)] for count in (rng.randint(1, 30), rng.randint(1, 30))
    )
    expected = any(np.may_share_memory(one, other) for one in arrays for other in others)
    assert any_overlap(arrays, others) == expected
    pairs = [
        (later, earlier)
        for earlier, later in combinations(range(len(arrays)), 2)
        if np.may_share_memory(arrays[earlier], arrays[later])
    ]
    assert overlapping_pairs(arrays) == sorted(pairs)


def test_both_answers_for_many() -> None:
    """Neighbours in one buffer, which touch and have nothing in common, and one byte that is common."""
    buffer = np.zeros((2 * MANY, 4), np.uint8)
    arrays, others = list(buffer[::2]), list(buffer[1::2])
    started = time.perf_counter()
    assert not any_overlap(arrays, others)
    assert any_overlap([*arrays, buffer[7:8, 3:]], others)
    assert overlapping_pairs([*arrays, None, *others]) == []
    assert overlapping_pairs([*arrays, None, *others, buffer[7:8, 3:]]) == [(2 * MANY + 1, MANY + 4)]
    assert overlapping_pairs([buffer[:0]] * 100) == []
    assert time.perf_counter() - started < 20  # each two compared: several minutes


def test_a_call_with_many_tensors() -> None:
    """As many as no list has in CANN's own calls take seconds; an output in an input's memory is right as well."""
    buffer = np.arange(-MANY / 2, MANY / 2, dtype=np.float32)
    given, out = [buffer[at : at + 1] for at in range(MANY)], [np.zeros(1, np.float32) for _ in range(MANY)]
    expected = np.abs(buffer)
    started = time.perf_counter()
    ops.get("foreach_abs")(given, conformance="library", out=out)
    np.testing.assert_array_equal(np.concatenate(out), expected)
    shifted = [*given[1:], out[0]]  # each output in the memory of the next input
    ops.get("foreach_abs")(given, conformance="library", out=shifted)
    np.testing.assert_array_equal(np.concatenate(shifted), expected)
    assert time.perf_counter() - started < 60
