"""Where the threads of the compiled kernels run, and that they are awake when the next call comes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.native import library, prelu_forward
from tests.native.test_kernels import roles

TASKS = Path("/proc/self/task")
pytestmark = pytest.mark.skipif(
    not TASKS.is_dir() or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two processors"
)


@pytest.fixture
def usable(compiled: library.Library) -> Iterator[set[int]]:
    """The processors that the caller may use, which he may use again in the end."""
    mask = os.sched_getaffinity(0)
    yield mask
    os.sched_setaffinity(0, mask)


@pytest.fixture
def call(compiled: library.Library, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """A call that is worth two threads, of some 50 microseconds."""
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "2")
    x, weight = np.ones((8, 384, 14, 14), np.float32), np.ones(384, np.float32)
    values: list[Any] = [x, weight, np.empty_like(x)]
    kernel: Callable[..., Any] = prelu_forward.prelu
    assert kernel(*values, roles(np.float32))
    return lambda: kernel(*values, roles(np.float32))


@pytest.fixture
def helper(compiled: library.Library, call: Callable[[], object]) -> Iterator[int]:
    """The thread that helps with the call, which may run where it could in the end."""
    found = helping(call)
    mask = os.sched_getaffinity(found)
    yield found
    os.sched_setaffinity(found, mask)


def helping(call: Callable[[], object]) -> int:
    """The first helper of the library that is called: of those of this name, the one whose time grows with the calls.

    Threads of other libraries, such as PyTorch's, may be busy for a while after their work is done.
    """
    call()
    time.sleep(0.1)  # a thread names itself when it runs for the first time
    helpers = [task.name for task in TASKS.iterdir() if name_of(task) == "aclspec-1"]
    before = {task: spent(task) for task in helpers}
    for _ in range(20_000):
        call()
        for task in helpers:
            if spent(task) - before[task] > 5:
                return int(task)
    raise AssertionError("no thread helped")


def name_of(task: Path) -> str:
    """The name of a thread, empty once it has ended."""
    try:
        return (task / "comm").read_text().strip()
    except OSError:
        return ""


def spent(task: str) -> int:
    """The ticks of a thread."""
    fields = (TASKS / task / "stat").read_text().rpartition(") ")[2].split()
    return int(fields[11]) + int(fields[12])


def slept(task: int) -> int:
    """How often a thread went to sleep of itself."""
    lines = (TASKS / str(task) / "status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("voluntary_ctxt_switches")).split()[1])


def test_a_helper_that_lies_on_the_caller_s_processor_is_sent_to_another(
    usable: set[int], helper: int, call: Callable[[], object]
) -> None:
    for _ in range(500):  # among other programs the caller seldom stays where it is
        os.sched_setaffinity(0, usable)
        os.sched_setaffinity(helper, {min(usable)})
        call()  # the helper is where it is held, and falls asleep there
        time.sleep(0.01)
        os.sched_setaffinity(0, {min(usable)})
        os.sched_setaffinity(0, usable)  # the caller stays where it is, for now
        call()
        if os.sched_getaffinity(helper) == usable - {min(usable)}:
            assert os.sched_getaffinity(0) == usable
            return
    raise AssertionError(f"The helper stays on the caller's processor ({os.sched_getaffinity(helper)}).")


def test_a_caller_of_one_processor_sends_nobody_away(usable: set[int], helper: int, call: Callable[[], object]) -> None:
    os.sched_setaffinity(helper, {min(usable)})
    os.sched_setaffinity(0, {min(usable)})
    call()
    assert os.sched_getaffinity(helper) == os.sched_getaffinity(0) == {min(usable)}


def test_calls_one_after_the_other_find_the_helper_awake(helper: int, call: Callable[[], object]) -> None:
    # Among other programs the caller may be kept waiting for longer than the helper waits for him.
    assert any(sleeps(helper, call, 300) < 150 for _ in range(60))


def sleeps(task: int, call: Callable[[], object], calls: int) -> int:
    """How often a thread goes to sleep of itself during so many calls."""
    before = slept(task)
    for _ in range(calls):
        call()
    return slept(task) - before
