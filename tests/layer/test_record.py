"""The recording: whole lines that fit the JSON Schema, of one process or of several, and none is lost."""

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

from aclspec.cli.catalog import find
from aclspec.codegen.layer.build import SOURCES
from aclspec.runtime.replay import lines as replay_lines
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import Recording, read
from tests.layer.conftest import SILENT, Layer, Stub

QUIET = {"ACLSPEC_LAYER_LOG": "/dev/null"}
SCHEMA = json.loads((SOURCES / "record.schema.json").read_text("utf-8"))


def written(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, each of which fits the schema."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    for line in found:
        checker.validate(line)
    assert found[0]["aclspec_record"] == 4
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """The calls of a file: for each phase two its phase one too, and phase one alone where no phase two follows it."""
    firsts: dict[tuple[int, int], dict[str, Any]] = {}
    found: list[dict[str, Any]] = []
    for line in written(path):
        if "aclspec_record" in line:
            assert not any(process == line["process"] for process, _ in firsts)
        elif "arguments" in line:
            firsts[line["process"], line["call"]] = line | {"second": None}
            found.append(firsts[line["process"], line["call"]])
        elif "call" not in line:
            found.append(line)
        elif (first := firsts[line["process"], line["call"]])["second"] is None:
            first.update(line)
        else:
            found.append(first | line)
    return found


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


def test_the_child_of_a_fork(layer: Layer, tmp_path: Path) -> None:
    """Its file is its own where the name says the process; else both write into one, under their own numbers."""
    for pattern, calls in (("calls", [3]), ("calls-%p-%r", [1, 2])):
        folder = tmp_path / pattern[:6].replace("-", "p")
        folder.mkdir()
        layer.run(layer.program("forks"), ACLSPEC_RECORD=str(folder / pattern), RANK="2", **layer.preload)
        assert sorted(len(lines(file)) for file in folder.iterdir()) == calls
        found = [line["process"] for file in folder.iterdir() for line in lines(file)]
        assert sorted(map(found.count, set(found))) == [1, 2]
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


@pytest.mark.parametrize(("way", "status"), [("kill", -signal.SIGKILL), ("exit", 3), ("fault", -signal.SIGSEGV)])
def test_nothing_is_lost_with_the_process(native_stub: Stub, tmp_path: Path, way: str, status: int) -> None:
    """Each phase that returned has its line, of a call too whose phase two did not come."""
    file = tmp_path / "calls"
    assert native_stub.run("ends", "50", way, variables={"ACLSPEC_RECORD": str(file)}).status == status
    found = lines(file)
    assert [line["call"] for line in found] == [*range(1, 51)]
    assert [line["second"] is not None for line in found] == [True] * 49 + [False]


@pytest.mark.parametrize(("way", "parts"), [("again", 2), ("fork", 3), ("exec", 3), ("spawn", 3)])
def test_several_processes_in_one_recording(native_stub: Stub, tmp_path: Path, way: str, parts: int) -> None:
    """Each makes as many calls, one of them after it has made another; their calls and data are told apart."""
    file, calls = tmp_path / "calls", 20
    variables = {"ACLSPEC_RECORD": str(file), "ACLSPEC_RECORD_DATA": "1", **QUIET}
    assert native_stub.run("ends", str(calls), way, variables=variables).status == 3
    entries = written(file)
    heads = [line for line in entries if "aclspec_record" in line]
    assert len({(head["process"], head["started"]) for head in heads}) == len(heads) == 2
    assert len({head["process"] for head in heads}) == (1 if way == "again" else 2)
    firsts = [line for line in entries if "arguments" in line]
    runs = [line for line in entries if "second" in line]
    assert (len(firsts), len(runs)) == (parts * calls, parts * (calls - 1))
    names = [name for run in runs for side in run["data"].values() for name in side.values()]
    assert len(set(names)) == len(names) == len(list((tmp_path / "calls.data").iterdir()))
    assert all(
        name.startswith(f"calls.data/{run['process']}-") for run in runs for name in run["data"]["inputs"].values()
    )
    found = read([file])
    assert (found.count, len(found.cached)) == (parts * calls, 0)
    assert sum(len(call.data) for call in found.calls) == parts * (calls - 1)


def test_a_line_that_was_cut_is_alone(native_stub: Stub, tmp_path: Path) -> None:
    """What another process writes behind it begins a new line."""
    file = tmp_path / "calls"
    file.write_text('{"operator": "aclnnA', "utf-8")
    native_stub.run("ends", "3", "exit", variables={"ACLSPEC_RECORD": str(file)})
    cut, _, rest = file.read_text("utf-8").partition("\n")
    assert cut == '{"operator": "aclnnA'
    file.write_text(rest, "utf-8")
    assert len(lines(file)) == 3


def test_a_cancelled_thread_keeps_no_lock(native_stub: Stub, tmp_path: Path) -> None:
    words, environment = native_stub.command("cancelled", variables={"ACLSPEC_RECORD": str(tmp_path / "calls")})
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "done\n"


NO_UTF8 = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
int main() {
  char layout[] = "\\xff\\xe4\\xb8\\xad\\xc0\\xaf";
  aclTensor *no = nullptr;
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  const int status = aclnnFlashAttentionScoreGradGetWorkspaceSize(
      no, no, no, no, no, no, no, no, no, no, no, no, nullptr, 1, 1, 0, 0, 1, layout, 0, 0, no, no, no, no, &size,
      &executor);
  std::printf("%d\\n", status);
  return 0;
}
"""


def test_a_text_that_is_no_utf8(layer: Layer, tmp_path: Path) -> None:
    """Its characters stay, its other bytes are escaped."""
    file = tmp_path / "calls"
    program = layer.simulator.compile(NO_UTF8)
    assert layer.run(program, ACLSPEC_RECORD=str(file), **layer.preload).out == "161001\n"
    (line,) = (line for line in lines(file) if "arguments" in line)
    assert line["arguments"]["inputLayout"] == "\xff中\xc0\xaf"


LONG = """
#include <cstdlib>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_flip.h"
aclTensor *vector_of(int64_t size) {
  return aclCreateTensor(&size, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &size, 1, nullptr);
}
int main(int count, char **arguments) {
  if (count < 4) return 1;
  const std::vector<int64_t> dims(std::atoi(arguments[1]), 0);
  std::string layout(std::atoi(arguments[2]), 'x');
  std::vector<aclTensor *> tensors(std::atoi(arguments[3]));
  for (auto &one : tensors) one = vector_of(1);
  aclTensor *no = nullptr, *self = vector_of(3), *out = vector_of(tensors.size());
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  const int flip = aclnnFlipGetWorkspaceSize(self, aclCreateIntArray(dims.data(), dims.size()), self, &size, &executor);
  const int grad = aclnnFlashAttentionScoreGradGetWorkspaceSize(
      self, no, no, no, no, no, no, no, no, no, no, no, nullptr, 1, 1, 0, 0, 1, layout.data(), 0, 0, no, no, no, no,
      &size, &executor);
  aclTensorList *all = aclCreateTensorList(tensors.data(), tensors.size());
  const int cat = aclnnCatGetWorkspaceSize(all, 0, out, &size, &executor);
  if (cat == 0) aclnnCat(nullptr, 0, executor, nullptr);
  return flip != 0 && grad != 0 && cat == 0 ? 0 : 2;
}
"""


def test_what_is_longer_than_a_reader_takes_is_cut(layer: Layer, tmp_path: Path) -> None:
    """What fits is whole; of what is longer by one the line is read, and the call is not judged by what is left."""
    most, longest = replay_lines.MOST_MEMBERS, replay_lines.LONGEST
    program = layer.simulator.compile(LONG)

    def recorded(*sizes: int) -> tuple[list[Any], Recording]:
        file = tmp_path / f"calls{sizes[0]}"
        variables = {"ACLSPEC_RECORD": str(file), "ACLSPEC_RECORD_DATA": "1", "RANK": "7" * 9000, **QUIET}
        assert layer.run(program, *map(str, sizes), **variables, **layer.preload).status == 0
        found = [line["arguments"] for line in lines(file)]
        return [found[0]["dims"], found[1]["inputLayout"], found[2]["tensors"]], read([file])

    whole, _ = recorded(most, longest, 2)
    assert [len(value) for value in whole] == [most, longest, 2]
    cut, recording = recorded(most + 1, longest + 1, most + 1)
    assert cut == [{"cut": most + 1}, {"cut": longest + 1}, {"cut": most + 1}]
    answers = [Judge(find).answer(call, "atlas_a2") for call in recording.calls]
    assert [(one.kind, one.reason.partition(":")[0]) for one in answers] == [
        ("not judged", f"The value of {name} was cut") for name in ("dims", "inputLayout", "tensors")
    ]
    assert [dict(call.missing) for call in recording.calls if call.launches] == [{"cut": 1}]


def test_what_the_layer_refuses_has_its_rule(layer: Layer, tmp_path: Path) -> None:
    file = tmp_path / "calls"
    variables = {"ACLSPEC_RECORD": str(file), "ACLSPEC_LAYER": "enforce", **QUIET}
    layer.run(layer.program("linked"), **variables, **layer.preload)
    refused = [line for line in lines(file) if line["status"]]
    assert refused
    assert all(line["rule"] for line in refused)


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
