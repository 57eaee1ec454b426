"""The device in a terminal: programs find it one after the other, it prints tracebacks, and a debugger stops in it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aclspec.cli.main import main
from tests.support.simulators import Simulator

HERE = Path(__file__).parent
VARIABLE = "ACLSPEC_DEVICE_SOCKET"
COMMAND = ("-m", "aclspec.cli", "simulator", "device", "--foreground")


@contextmanager
def device(*words: str, before: tuple[str, ...] = (), said: str = "") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A device, and the path of its socket; ``said`` is its standard input."""
    with subprocess.Popen(
        [sys.executable, *before, *COMMAND, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(said)
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith(f"export {VARIABLE}="):
                    break
            yield process, line.partition("=")[2].strip()
        finally:
            process.kill()


def compiled(simulator: Simulator, name: str) -> Path:
    return simulator.compile(HERE / "device" / f"{name}.cpp", f"-I{HERE}")


def test_programs_one_after_the_other(simulator: Simulator) -> None:
    """Each has its own memory, and a kernel that fails is answered and told with the place in it."""
    memory, fails = compiled(simulator, "memory"), compiled(simulator, "fails")
    with device("--programs", "3") as (process, path):
        for program, words, fault in ((memory, ("3",), ""), (fails, (), "error:aclnnPrelu"), (memory, ("3",), "")):
            done = simulator.run(program, *words, variables={VARIABLE: path, "ACLSPEC_SIMULATOR_FAULT": fault})
            assert done.status == 0, done
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    assert len(re.findall(r"^The program \(process \d+\) has begun\.$", out, re.MULTILINE)) == 3
    assert out.count("It has ended.") == 3
    assert "Traceback (most recent call last):" in out
    assert re.search(r"planted\.py\", line \d+, in disturb", out)
    assert "ZeroDivisionError: a planted fault" in out
    assert not Path(path).exists()


def test_its_end_is_told_to_the_program(simulator: Simulator) -> None:
    with device() as (process, path):
        variables = {**os.environ, "LD_LIBRARY_PATH": str(simulator.root / "lib64"), VARIABLE: path}
        with subprocess.Popen([compiled(simulator, "endless")], env=variables, stdout=subprocess.PIPE) as program:
            try:
                assert program.stdout is not None
                assert program.stdout.readline() == b"begun\n"
                process.send_signal(signal.SIGINT)
                out, _ = process.communicate(timeout=60)
                assert (process.returncode, out.splitlines()[-1]) == (0, "No program finds this device any more.")
                assert program.wait(60) == 33
            finally:
                program.kill()


def test_a_killed_program_is_not_its_end(simulator: Simulator) -> None:
    with device("--programs", "2") as (process, path):
        variables = {**os.environ, "LD_LIBRARY_PATH": str(simulator.root / "lib64"), VARIABLE: path}
        with subprocess.Popen([compiled(simulator, "endless")], env=variables, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == b"begun\n"
            program.kill()
        done = simulator.run(compiled(simulator, "memory"), "3", variables={VARIABLE: path})
        assert done.status == 0, done
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out.count("It has ended.")) == (0, 2)


def test_a_debugger_stops_in_a_kernel(simulator: Simulator) -> None:
    commands = "import aclspec.runtime.simulator.calls", "b aclspec.runtime.simulator.calls.phase_two", "c"
    before = ("-m", "pdb", *(word for one in commands for word in ("-c", one)))
    variables = {"ACLSPEC_SIMULATOR_FAULT": "error:aclnnPrelu"}
    with device("--programs", "1", before=before, said="p checked.operator.name\nclear 1\nc\nq\n") as (process, path):
        done = simulator.run(compiled(simulator, "fails"), variables=variables | {VARIABLE: path})
        assert done.status == 0, done
        out, _ = process.communicate(timeout=60)
    assert "'aclnnPrelu'" in out


def test_no_device_at_the_path(simulator: Simulator, tmp_path: Path) -> None:
    program = simulator.compile(HERE / "device" / "endless.cpp", f"-I{HERE}")
    for name, reason in (("none", "No such file or directory"), ("x" * 120, "File name too long")):
        done = simulator.run(program, variables={VARIABLE: str(tmp_path / name)})
        assert f"The device process cannot be started ({reason})." in done.err


def test_without_foreground(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulator", "device"]) == 2
    assert "say --foreground" in capsys.readouterr().err
