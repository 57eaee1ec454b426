"""The recording: whole lines that fit the JSON Schema, one file a process, nothing lost but the last lines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from aclspec.codegen.layer.build import SOURCES
from aclspec.runtime.replay.recording import read
from tests.layer.conftest import SILENT, Layer, Stub

QUIET = {"ACLSPEC_LAYER_LOG": "/dev/null"}
SCHEMA = json.loads((SOURCES / "record.schema.json").read_text("utf-8"))


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file after its head, each of which fits the schema."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in found:
        checker.validate(line)
    assert found[0]["aclspec_record"] == 3
    return found[1:]


def test_every_call_is_a_line(layer: Layer, tmp_path: Path) -> None:
    file = tmp_path / "calls"
    layer.run(layer.program("linked"), ACLSPEC_RECORD=str(file), **layer.preload)
    found = lines(file)
    names = ["aclnnPreluBackward"] * 3 + ["aclnnFlip"] * 2 + ["aclnnPreluBackward"]
    assert [line["operator"] for line in found] == names
    assert [line["status"] for line in found] == [0, 161002, 161002, 0, 161002, 161001]
    assert [line["second"] is not None for line in found] == [True, False, False, True, False, False]
    assert found[1]["rule"] == "aclnnPreluBackward.weight-numel"
    assert found[1]["arguments"]["weight"] == {"dtype": "FLOAT", "shape": [3], "format": "ND"}
    assert found[3]["arguments"]["dims"] == [1]
    assert found[0]["second"]["executor"] == "new"


def test_executors(layer: Layer, tmp_path: Path) -> None:
    file = tmp_path / "calls"
    layer.run(layer.program("lives"), "repeatable", "never-run", ACLSPEC_RECORD=str(file), **layer.preload)
    found = lines(file)
    assert [line["second"] and line["second"]["executor"] for line in found] == ["new", "repeated", None]


def test_the_child_of_a_fork_has_a_file_of_its_own(layer: Layer, tmp_path: Path) -> None:
    for pattern in ("calls", "calls-%p-%r"):
        folder = tmp_path / pattern[:6].replace("-", "p")
        folder.mkdir()
        layer.run(layer.program("forks"), ACLSPEC_RECORD=str(folder / pattern), RANK="2", **layer.preload)
        assert sorted(len(lines(file)) for file in folder.iterdir()) == [1, 2]
        assert ("%p" in pattern) == all(file.name.endswith("-2") for file in folder.iterdir())


def test_arguments_of_every_kind(stub: Stub, tmp_path: Path) -> None:
    file = tmp_path / "calls"
    assert stub.run("hostile", "2000", "2", variables={"ACLSPEC_RECORD": str(file), **QUIET}).status == 0
    assert len(lines(file)) > 1000


def test_a_process_that_is_killed_leaves_whole_lines(stub: Stub, tmp_path: Path) -> None:
    """All but the last, which SIGKILL may cut between two pages of one write; `replay` reads all others and says so."""
    file = tmp_path / "calls"
    words, environment = stub.command("hostile", "100000000", variables={"ACLSPEC_RECORD": str(file)})
    running = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
    while not file.exists() or file.stat().st_size < 200000:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    whole, _, last = file.read_text("utf-8").rpartition("\n")
    found = read([file])
    assert len(found.notes) == (last != "")
    file.write_text(whole + "\n", "utf-8")
    assert len(lines(file)) >= found.count > 100


def test_a_full_disk_stops_the_recording_alone(stub: Stub, tmp_path: Path) -> None:
    variables = {"ACLSPEC_RECORD": "/dev/full", "ACLSPEC_LAYER_LOG": str(tmp_path / "log")}
    done = stub.run("hostile", "2000", variables=variables)
    assert done.status == 0
    assert (tmp_path / "log").read_text("utf-8").count("The recording stops: No space left on device.") == 1


def test_memory_is_bounded(native_stub: Stub) -> None:
    """More calls need no more memory."""
    peaks = []
    for calls in ("10000", "100000"):
        words, environment = native_stub.command("hostile", calls, variables=QUIET | {"ACLSPEC_RECORD": "/dev/null"})
        running = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        assert running.returncode == 0
        peaks.append(usage.ru_maxrss)
    assert peaks[1] < peaks[0] + 8192


@pytest.mark.parametrize("root", ["missing/calls", "/proc/none"])
def test_a_file_that_cannot_be_opened(layer: Layer, root: str) -> None:
    done = layer.run(layer.program("linked"), ACLSPEC_RECORD=root, **(layer.preload | SILENT))
    assert done.status == 0
    assert done.err.count("The recording stops") == 1
