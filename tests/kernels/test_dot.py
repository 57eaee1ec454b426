"""The product of two vectors: how it is summed, which random numbers within the tolerance do not show."""

from __future__ import annotations

import numpy as np

from aclspec import ops


def test_floats_are_summed_in_more_than_float() -> None:
    assert float(ops.dot(np.array([2.0**24, 1, 1], np.float32), np.ones(3, np.float32)).out) == 2.0**24 + 2


def test_integers_wrap_around_and_are_not_rounded() -> None:
    largest = np.full(3, 2**31 - 1, np.int32)
    exact = 3 * (2**31 - 1) ** 2
    assert int(ops.dot(largest, largest).out) == (exact + 2**31) % 2**32 - 2**31


def test_a_sum_is_rounded_to_float_before_it_becomes_float16() -> None:
    """In FLOAT it lies in the middle between two numbers of FLOAT16, of which the even one is taken."""
    left = np.array([1.0, 2.0**-11, 2.0**-14], np.float16)
    right = np.array([1.0, 1.0, 2.0**-14], np.float16)
    assert float(ops.dot(left, right).out) == 1.0
