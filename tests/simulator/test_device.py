"""The device process beside a program: faults, the end of either, forks, memory, and what it inherits."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aclspec.runtime.testing.amount import amount
from tests.support.simulators import Done, Simulator

HERE = Path(__file__).parent
MARK = "ACLSPEC_TESTED_PROGRAM"
SECONDS = 5.0
"""How long a process may take to end on a busy machine."""


def compiled(simulator: Simulator, name: str) -> Path:
    return simulator.compile(HERE / "device" / f"{name}.cpp", f"-I{HERE}")


def good(done: Done) -> None:
    assert done.status == 0, done
    assert re.search(r"^\d+ expectations$", done.out, re.MULTILINE), done


def devices(mark: str) -> list[int]:
    """The processes that live and have the mark of a test in their environment, the program's aside."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                marked = mark.encode() in (folder / "environ").read_bytes()
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if marked and b"aclspec.runtime.simulator.device_process" in words:
                found.append(int(folder.name))
    return found


def gone(mark: str) -> bool:
    """Whether no device process of the mark is left, at once or soon."""
    until = time.monotonic() + SECONDS
    while devices(mark) and time.monotonic() < until:
        time.sleep(0.02)
    return not devices(mark)


@contextmanager
def running(simulator: Simulator, program: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program that has begun to call, and the mark of its device."""
    mark = uuid.uuid4().hex
    variables = {**os.environ, "LD_LIBRARY_PATH": str(simulator.root / "lib64"), MARK: mark}
    with subprocess.Popen([program, *words], env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, mark
        finally:
            process.kill()


WORDS = {11: "Segmentation fault", 7: "Bus error", 6: "Aborted", 9: "without a word", 15: "without a word"}


@pytest.mark.parametrize("strict", ["", "1"])
@pytest.mark.parametrize("number", amount([11, 9], list(WORDS), list(WORDS)))
def test_a_device_that_dies_is_a_failure_until_it_is_reset(simulator: Simulator, number: int, strict: str) -> None:
    variables = {"ACLSPEC_SIMULATOR_FAULT": f"signal:aclnnPrelu={number}"} | ({"ACLSPEC_STRICT": "1"} if strict else {})
    good(simulator.run(compiled(simulator, "dies"), WORDS[number], variables=variables))


@pytest.mark.parametrize("strict", ["", "1"])
def test_a_kernel_that_fails_is_a_failure_of_the_call(simulator: Simulator, strict: str) -> None:
    variables = {"ACLSPEC_SIMULATOR_FAULT": "error:aclnnPrelu"} | ({"ACLSPEC_STRICT": "1"} if strict else {})
    done = simulator.run(compiled(simulator, "fails"), variables=variables)
    good(done)
    told = "aclspec simulator: The simulator itself fails in aclnnPrelu (ZeroDivisionError: a planted fault)."
    assert done.err.splitlines()[0] == told


def test_forks(simulator: Simulator) -> None:
    good(simulator.run(compiled(simulator, "forks")))


def test_a_forked_process_keeps_no_device(simulator: Simulator) -> None:
    with running(simulator, compiled(simulator, "forks"), "60") as (process, mark):
        assert process.wait(60) == 0
        assert gone(mark)


def test_memory(simulator: Simulator) -> None:
    good(simulator.run(compiled(simulator, "memory"), amount("10", "30", "3000"), timeout=1200))


@pytest.mark.parametrize("strict", ["0", "1"])
@pytest.mark.parametrize(("value", "expected"), [("1", "visible"), ("0", "hidden"), (None, "hidden")])
def test_a_program_sees_device_memory_where_it_asks_to(
    simulator: Simulator, value: str | None, expected: str, strict: str
) -> None:
    asked = {} if value is None else {"ACLSPEC_DEVICE_VISIBLE": value}
    good(simulator.run(compiled(simulator, "visible"), expected, variables=asked | {"ACLSPEC_STRICT": strict}))


@pytest.mark.parametrize("limit", ["files", "memfd"])
def test_limits(simulator: Simulator, limit: str) -> None:
    good(simulator.run(compiled(simulator, "limits"), limit))


def test_the_files_and_the_session_of_the_process(simulator: Simulator) -> None:
    """It holds no end of a pipe of the program's, and the terminal's signals do not reach it."""
    with running(simulator, compiled(simulator, "endless")) as (process, mark):
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        (device,) = devices(mark)
        files = {int(path.name): os.readlink(path) for path in Path(f"/proc/{device}/fd").iterdir()}
        assert [files[number] for number in (0, 1)] == ["/dev/null"] * 2
        assert sorted(files)[:6] == list(range(6))
        pipes = {os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir()} - {"/dev/null"}
        shared = {one for one in pipes & set(files.values()) if "memfd" not in one}
        assert len(shared) == 1  # the pipe by which it is told of the end of the program
        assert os.getsid(device) == device != os.getsid(process.pid)
        variables = Path(f"/proc/{device}/environ").read_bytes().split(b"\0")
        names = {one.partition(b"=")[0].decode() for one in variables if one}
        assert "TORCH_DEVICE_BACKEND_AUTOLOAD" in names
        assert {name for name in names if name.startswith(("PYTHON", "ASCEND", "LD_PRELOAD", "PYTEST"))} == set()
    assert gone(mark)


def test_either_may_be_killed_at_any_moment(simulator: Simulator) -> None:
    """Nothing is left of the device of a killed program; the program of a killed device is told so."""
    program, rng = compiled(simulator, "endless"), random.Random(45)
    for at in range(int(amount("4", "16", "100"))):
        with running(simulator, program) as (process, mark):
            if rng.random() < 0.7:
                assert process.stdout is not None
                assert process.stdout.readline() == "begun\n"
            else:
                until = time.monotonic() + SECONDS
                while not devices(mark) and time.monotonic() < until:
                    time.sleep(0.01)
            time.sleep(rng.random() * 0.3)
            if at % 2:
                process.kill()
                process.wait()
            else:
                for device in devices(mark):
                    os.kill(device, signal.SIGKILL)
                assert process.wait(60) in (33, 34)
            assert gone(mark)
