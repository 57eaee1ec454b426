"""Functions of the kernels' library, bound: they get the arrays of a call, or leave it to Python."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.native import build
from aclspec.runtime.native.keys import CompiledKeys, binder, load_keys
from aclspec.runtime.native.library import Library
from tests.native import fences
from tests.native.test_kernels import Random

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p))
KINDS = (fences.rows, fences.pools)


class Recorder:
    """A C function that notes the pointers that it is given, and answers a status."""

    def __init__(self, count: int, status: int = 0) -> None:
        self.count, self.status = count, status
        self.seen: list[list[int | None]] = []
        self.entry = ENTRY(self._call)
        self.address = ctypes.cast(self.entry, ctypes.c_void_p).value

    def _call(self, given: Any) -> int:
        self.seen.append(given[: self.count])
        return self.status


@pytest.fixture
def keys(compiled: Library) -> CompiledKeys:
    """The module that was built for the session's tests."""
    found = load_keys(build.folder(), ())
    assert found is not None
    return found


def left(values: Sequence[Any]) -> Any:
    """What the recorders below leave to Python."""
    return "otherwise", values


def checked(status: int) -> Any:
    """What is told of a status."""
    return "checked", status


def test_arrays_and_pointers_come_in_their_order(keys: CompiledKeys) -> None:
    one, other = np.ones(3), np.ones((2, 2))[1]
    told = Recorder(4)
    run = keys.bind(told.address, (1, -1, 0, -1), (0, 4711, 0, 0), left, checked, None)
    assert run((one, other, "more")) is None
    assert run([other, one]) is None
    assert told.seen == [
        [other.ctypes.data, 4711, one.ctypes.data, None],
        [one.ctypes.data, 4711, other.ctypes.data, None],
    ]


@pytest.mark.parametrize(
    "values",
    [
        *((), (np.ones(3),), (np.ones(3), None), (None, np.ones(3)), (np.ones(3), [1.0]), 5, {}),
        *((np.ones(3), np.ones(6)[::2]), (np.ones((2, 2)).T, np.ones(3)), (np.ones(3), np.ma.array([1.0]))),
    ],
    ids=str,
)
def test_other_values_are_left_to_python(keys: CompiledKeys, values: Any) -> None:
    told = Recorder(2)
    run = keys.bind(told.address, (0, 1), (0, 0), left, checked, None)
    assert run(values) == ("otherwise", values)
    assert not told.seen


def test_a_status_is_checked(keys: CompiledKeys) -> None:
    told = Recorder(1, -1)
    assert keys.bind(told.address, (0,), (0,), left, checked, None)([np.ones(1)]) == ("checked", -1)

    def refuse(status: int) -> None:
        raise MemoryError(status)

    with pytest.raises(MemoryError):
        keys.bind(told.address, (0,), (0,), left, refuse, None)([np.ones(1)])


@pytest.mark.parametrize(
    "given",
    [("1", (), ()), (1, (0,), ()), (1, (0,) * 17, (0,) * 17), (1, ("a",), (0,)), (1, (0,), ("a",)), (1,)],
    ids=str,
)
def test_what_cannot_be_bound_is_refused(keys: CompiledKeys, given: Any) -> None:
    rest = (left, checked, None) if len(given) == 3 else ()
    with pytest.raises((TypeError, ValueError)):
        keys.bind(*given, *rest)


def test_it_holds_what_it_points_to_and_no_array(keys: CompiledKeys) -> None:
    kept, array, told = object(), np.ones(3), Recorder(1)
    before = [sys.getrefcount(one) for one in (kept, array, left, checked)]
    runs = [keys.bind(told.address, (0,), (0,), left, checked, kept) for _ in range(10)]
    for run in runs:
        run([array])
        run([array, array])
        run([None])
    held = [sys.getrefcount(one) for one in (kept, array, left, checked)]
    assert held == [before[0] + 10, before[1], before[2] + 10, before[3] + 10]
    del run, runs
    gc.collect()
    assert [sys.getrefcount(one) for one in (kept, array, left, checked)] == before


def prepared(random: Random, dtype: Any) -> Iterator[tuple[Callable[[Sequence[Any]], None], list[Any], list[int]]]:
    """What computes calls that the library takes, their values, and the places of the outputs."""
    for kind in KINDS:
        for prepare, values, written, precision in kind(random, dtype):
            run = prepare(*values, precision)
            if run is not None:
                yield run, values, written


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_bits_without_the_module(
    compiled: Library, monkeypatch: pytest.MonkeyPatch, dtype: str, seed: int
) -> None:
    computed: list[list[bytes]] = []
    for bind in (binder(), None):
        monkeypatch.setattr("aclspec.runtime.native.calls.binder", lambda bind=bind: bind)
        computed.append([])
        for run, values, written in prepared(np.random.default_rng(seed), np.dtype(dtype)):
            assert isinstance(run, type(len)) == (bind is not None)
            for at in written:
                values[at] = np.zeros_like(values[at])
            run(values)
            computed[-1] += [values[at].tobytes() for at in written]
    assert len(computed[0]) > 8
    assert computed[0] == computed[1]
