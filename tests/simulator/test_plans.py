"""The simulator's plans: a phase two in other memory than the last one looks at no tensor, and finds out bad memory."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.simulator import calls, plans
from aclspec.runtime.simulator.plans import Plan

G = np.array([[1.0, -2, 3], [-4, 5, -6]], np.float32)
X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5, 0.25, 2], np.float32)
ROOM = 64
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _no_plans() -> None:
    plans._plans.clear()


def described(array: Any) -> tuple[Any, ...]:
    """A tensor as C describes it, in no memory."""
    shape, strides = array.shape, tuple(step // array.itemsize for step in array.strides)
    return int(DType.FLOAT), int(Format.ND), shape, strides, 0, shape, (1, 0)


def phase_one() -> Plan:
    values = tuple(described(array) for array in (G, X, W, X, W))
    status, _, plan, message = calls.phase_one("aclnnPreluBackward", "atlas_a2", "document", values, b"key")
    assert (status, message) == (0, None)
    assert isinstance(plan, Plan)
    return plan


def memory(array: Any = None, room: int = ROOM, start: int = 0) -> tuple[Any, int]:
    """So many bytes, with the elements of an array from a place on."""
    held = bytearray(b"\xa5" * room)
    if array is not None:
        held[start : start + array.nbytes] = array.tobytes()
    return memoryview(held), start


def phase_two(plan: Plan, memories: list[Any], later: bool = False) -> tuple[int, str | None]:
    places = next(_numbers).to_bytes(8, "little")  # never those of an earlier call
    status, _, _, message = calls.phase_two(plan, tuple(memories), places, later)
    return status, message


def check(memories: list[Any], g: Any = G, x: Any = X) -> None:
    (held, start), (other, at) = memories[3:]
    np.testing.assert_array_equal(np.frombuffer(held, np.float32, 6, start).reshape(2, 3), np.where(x > 0, g, W * g))
    wanted = (np.minimum(x, 0).astype(np.float64) * g).sum(axis=0)
    np.testing.assert_allclose(np.frombuffer(other, np.float32, 3, at), wanted, rtol=1e-6)


def fresh(g: Any = G, x: Any = X, start: int = 0) -> list[Any]:
    return [*(memory(array, start=start) for array in (g, x, W)), memory(start=start), memory(start=start)]


def test_other_memory_is_no_reason_to_look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = phase_one()
    first = fresh()
    assert phase_two(plan, first) == (0, None)
    check(first)
    monkeypatch.setattr(calls, "with_memory", None)
    for start in (0, 32, 4):
        again = fresh(2 * G, -X, start)
        assert phase_two(plan, again) == (0, None)
        check(again, 2 * G, -X)


def test_bad_memory_is_found_out_after_a_plan() -> None:
    plan = phase_one()
    assert phase_two(plan, fresh()) == (0, None)
    for at, bad, text in (
        (0, memory(room=20), "20 bytes follow its address"),
        (3, memory(room=64, start=48), "16 bytes follow its address"),
        (1, (1, 0), "is null"),
        (4, (2, 0), "is not in device memory"),
        (2, (3, 0), "is freed"),
    ):
        memories = fresh()
        memories[at] = bad
        status, message = phase_two(plan, memories)
        assert status != 0
        assert message is not None
        assert text in message
        untouched = next(one for place, one in enumerate(memories) if place > 2 and place != at)
        assert set(bytes(untouched[0])) == {0xA5}, "nothing is written"
    again = fresh()
    assert phase_two(plan, again) == (0, None)
    check(again)


def test_memory_out_of_order_or_over_each_other_goes_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = phase_one()
    assert phase_two(plan, fresh()) == (0, None)
    crooked = fresh(start=1)
    assert phase_two(plan, crooked) == (0, None)
    check(crooked)
    over = fresh()
    over[3] = over[1]
    assert phase_two(plan, over) == (0, None)
    check(over)
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "1")
    other = fresh()
    assert phase_two(plan, other) == (0, None)
    check(other)


def test_a_look_ahead_computes_nothing() -> None:
    plan = phase_one()
    assert phase_two(plan, fresh()) == (0, None)
    memories = fresh()
    assert phase_two(plan, memories, later=True) == (0, None)
    assert set(bytes(memories[3][0])) == {0xA5}
