"""``aclspec layer run`` in continuous integration: an exit status, a baseline, muted rules, findings as files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.layer_findings import Recordings
from aclspec.cli.main import main
from aclspec.codegen.layer.build import environment
from tests.layer.conftest import SILENT, Layer, Stub
from tests.layer.test_record import lines
from tests.support.simulators import Done

RULES = ["aclnnPreluBackward.weight-numel", "aclnnFlip.axes-in-range", "aclnnPreluBackward.null-grad-output"]
"""Of the program `linked`."""
ABS = """import ctypes
import sys

library = ctypes.PyDLL(None)


def forward():
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    library.aclnnAbsGetWorkspaceSize(None, None, ctypes.byref(size), ctypes.byref(executor))


forward()
if "again" in sys.argv:
    exec("forward()")
    forward()
"""


Run = Callable[..., Done]


@pytest.fixture
def run(layer: Layer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """``aclspec layer run`` with these words, in this process, where programs find the simulator."""
    for name in [name for name in os.environ if name.startswith(("ACLSPEC", "ASCEND"))]:
        monkeypatch.delenv(name)
    for name, value in (SILENT | {"LD_LIBRARY_PATH": str(layer.simulator.root / "lib64")}).items():
        monkeypatch.setenv(name, value)

    def run(*words: str, **variables: str) -> Done:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            status = main(["layer", "run", "--root", str(layer.root), *words])
        return Done(status, *capfd.readouterr())

    return run


def found(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_refused_call_fails_the_run(layer: Layer, run: Run, tmp_path: Path) -> None:
    program, file = layer.program("linked"), tmp_path / "findings"
    plain = layer.run(program)
    options = ("--fail-on", "refused", "--findings", str(file))
    done = run(*options, "--", str(program))
    assert (done.status, done.out) == (1, plain.out)
    assert [one["rule"] for one in found(file)] == RULES
    assert [one["count"] for one in found(file)] == [2, 1, 1]
    assert "aclspec: 3 findings of refused calls\n" in done.err
    assert f"{program}: aclnnFlip.axes-in-range: dims[0] (5)" in done.err
    assert run(*options, "--", "sh", "-c", "exit 3").status == 3


def test_a_baseline_of_known_findings(layer: Layer, run: Run, tmp_path: Path) -> None:
    program, baseline = str(layer.program("linked")), tmp_path / "baseline"
    known = ("--baseline", str(baseline))
    assert run(*known, "--write-baseline", "--", program).status == 0
    assert [one["rule"] for one in found(baseline)] == RULES
    assert run(*known, "--fail-on", "refused", "--", program).status == 0
    texts = baseline.read_text("utf-8").splitlines(keepends=True)
    baseline.write_text("".join(texts[1:]), "utf-8")
    done = run(*known, "--fail-on", "refused", "--", program)
    assert done.status == 1
    assert "aclspec: 1 finding of refused calls, 2 more in the baseline\n" in done.err


def test_muted_rules(layer: Layer, run: Run, tmp_path: Path) -> None:
    """By the option and by the variable; the library says nothing of them, and they are no findings."""
    program, file = str(layer.program("linked")), tmp_path / "findings"
    options = ("--findings", str(file), "--mute", "aclnnFlip.axes-in-range")
    done = run(*options, "--", program, ACLSPEC_LAYER_MUTE="aclnnPreluBackward.weight-numel")
    assert done.status == 0
    assert [one["rule"] for one in found(file)] == RULES[2:]
    assert not any(rule in done.err for rule in RULES[:2])


def test_a_muted_rule_is_not_enforced(layer: Layer) -> None:
    """Else the layer would refuse in silence."""
    program, rule = layer.program("oddities"), "aclnnSmoothL1Loss.value-reduction"
    enforced = layer.run(program, "refused", ACLSPEC_LAYER="enforce", **layer.preload)
    assert "is refused by the layer with 161002" in enforced.err
    muted = layer.run(program, "refused", ACLSPEC_LAYER="enforce", ACLSPEC_LAYER_MUTE=rule, **layer.preload)
    assert (muted.out, muted.err) == (layer.run(program, "refused").out, "")


def test_the_place_is_the_python_frame(layer: Layer, run: Run, native_stub: Stub, tmp_path: Path) -> None:
    """One finding a place; code without a file is of the program."""
    script, file, sarif = tmp_path / "a script.py", tmp_path / "findings", tmp_path / "sarif"
    script.write_text(ABS, "utf-8")
    options = ("--findings", str(file), "--sarif", str(sarif))
    words = (sys.executable, str(script), "again")
    preload = str(native_stub.folder / "libopapi.so")
    assert run(*options, "--", *words, LD_PRELOAD=preload).status == 0
    (one,) = found(file)
    assert (one["file"], one["line"], one["function"], one["count"]) == (str(script), 9, "forward", 3)
    (result,) = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": script.as_uri()}, "region": {"startLine": 9}}


def test_a_recording_of_ones_own_is_read(layer: Layer, run: Run, tmp_path: Path) -> None:
    """Each process of it, and nothing that was there before."""
    options = ("--record", str(tmp_path / "calls-%p.jsonl"), "--findings")
    program = str(layer.program("linked"))
    for name in ("first", "second"):
        run(*options, str(tmp_path / name), "--", "sh", "-c", f"{program}; {program}")
        assert [one["count"] for one in found(tmp_path / name)] == [4, 2, 2]
    recorded = sorted(tmp_path.glob("calls-*.jsonl"))
    assert [len(lines(path)) for path in recorded] == [6] * 4


def test_calls_of_an_earlier_run_do_not_count(layer: Layer, run: Run, tmp_path: Path) -> None:
    """A recording of one's own grows from run to run, and each run has the findings of its own calls."""
    file, findings = tmp_path / "calls", tmp_path / "findings"
    options = ("--fail-on", "refused", "--findings", str(findings), "--")
    refused, good = layer.program("linked"), layer.simulator.compile(PHASE_TWO.replace("at < 2", "at < 1"))
    for _ in range(2):
        assert run(*options, str(refused), ACLSPEC_RECORD=str(file)).status == 1
        assert [one["count"] for one in found(findings)] == [2, 1, 1]
    with file.open("a", encoding="utf-8") as end:
        end.write('{"operator": "aclnnA')  # cut, as by a disk that was full
    assert run(*options, str(good), ACLSPEC_RECORD=str(file)).status == 0
    assert found(findings) == []
    assert sum("second" in line for line in map(json.loads, file.read_text("utf-8").splitlines()[-2:])) == 1


def test_a_recording_that_stops_fails_the_run(layer: Layer, run: Run, native_stub: Stub, tmp_path: Path) -> None:
    """What it could not hold may have been refused; a baseline is not written from it either."""
    baseline = tmp_path / "baseline"
    script = ("sh", "-c", 'ulimit -f 4; exec "$0"', str(native_stub.folder / "signals"))
    libraries = {"LD_LIBRARY_PATH": f"{native_stub.folder}:{os.environ['LD_LIBRARY_PATH']}"}
    options = ("--mute", "aclnnAbs.null-self", "--fail-on", "refused")
    whole = run(*options, "--", *script[3:], **libraries)
    assert (whole.status, whole.err) == (0, "")
    stopped = run(*options, "--", *script, **libraries)
    assert stopped.status == 1
    assert " stopped (File too large), so that calls may be missing.\n" in stopped.err
    written = run("--baseline", str(baseline), "--write-baseline", "--", *script, **libraries)
    assert (written.status, baseline.exists()) == (1, False)


def test_a_recording_of_the_simulator_that_stops(
    layer: Layer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The launcher says so, since the layer records and says nothing."""
    variables = environment(layer.root) | {"ACLSPEC_LAYER_LOG": os.devnull}
    monkeypatch.setattr("aclspec.cli.simulator._layer", lambda before, report: variables)
    options = ("--root", str(layer.simulator.root.parent), "--record", str(tmp_path / "calls"))
    script = ("sh", "-c", 'ulimit -f 2; exec "$0"', str(layer.program("linked")))
    assert main(["simulator", "run", *options, "--", *script[3:]]) == 0
    assert "stopped" not in capfd.readouterr().err
    assert main(["simulator", "run", *options, "--", *script]) == 0
    assert " stopped (File too large), so that calls may be missing.\n" in capfd.readouterr().err


def test_reports_that_could_not_be_written_are_counted(run: Run, native_stub: Stub, tmp_path: Path) -> None:
    """The program closes its standard error, and has a file of its own in the place."""
    program = str(native_stub.folder / "descriptors")
    libraries = {"LD_LIBRARY_PATH": f"{native_stub.folder}:{os.environ['LD_LIBRARY_PATH']}"}
    for name, options, count in (("lost", (), 1), ("logged", ("--log", str(tmp_path / "log")), 0)):
        (tmp_path / name).mkdir()
        done = run(*options, "--", program, str(tmp_path / name), **libraries)
        assert done.status == 0
        assert done.err.count("reports of process ") == count
        assert done.err.count(" could not be written; --log names a file for them.\n") == count


def test_foreign_files_are_no_recordings(tmp_path: Path) -> None:
    """Only a number stands for %p, and only a regular file is read."""
    recordings = Recordings(str(tmp_path / "%p.jsonl"))
    for name in ("7.jsonl", "7.jsonl.8", "train.jsonl", "7.jsonl.old"):
        (tmp_path / name).touch()
    (tmp_path / "9.jsonl").symlink_to("missing")
    assert [path.name for path in recordings.written()] == ["7.jsonl", "7.jsonl.8"]


def test_refused_calls_alone_are_recorded(layer: Layer, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "calls"
    variables = {"ACLSPEC_RECORD": str(file), "ACLSPEC_RECORD_CALLS": "refused"}
    layer.run(layer.program("linked"), **variables, **layer.preload)
    assert [line["status"] for line in lines(file)] == [161002, 161002, 161002, 161001]


NO_RULE = ".".join(("aclnnFlip", "no"))
PHASE_TWO = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  const int64_t shape[1] = {3};
  void *memory = nullptr, *workspace = nullptr;
  aclrtMalloc(&memory, 12, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&workspace, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int at = 0; at < 2; at++) {
    aclTensor *self = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, at ? nullptr : memory);
    aclTensor *out = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, at ? nullptr : memory);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    const int first = aclnnAbsGetWorkspaceSize(self, out, &size, &executor);
    const int second = aclnnAbs(workspace, size, executor, nullptr);
    std::printf("%d %d\\n", first, second);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
  }
  aclrtFree(workspace);
  aclrtFree(memory);
  return aclFinalize();
}
"""


def test_a_call_whose_phase_two_is_refused(layer: Layer, run: Run, tmp_path: Path) -> None:
    """It is recorded with the arguments of its phase one, which was not."""
    program = layer.simulator.compile(PHASE_TWO)
    file = tmp_path / "findings"
    assert layer.run(program).out.splitlines() == ["0 0", "0 361001"]
    done = run("--findings", str(file), "--", str(program))
    assert "aclspec layer: aclnnAbs returned 361001 (ACLNN_ERR_RUNTIME_ERROR)\n  Phase two failed.\n" in done.err
    assert done.err.count(" - the simulator says nothing\n") == 1
    assert "1 refused by the simulator in phase two: aclnnAbs\n" in done.err
    (one,) = found(file)
    assert (one["rule"], one["status"][:6], one["count"]) == ("aclnnAbs", "361001", 1)
    assert "self=float32[3]" in one["call"]


def test_a_program_that_cannot_have_the_layer(layer: Layer, run: Run, tmp_path: Path) -> None:
    """A run without the layer has no findings, and does not pass for that."""
    program = layer.simulator.compile("int main() { return 0; }\n", "-static", libraries=())
    done = run("--fail-on", "refused", "--", str(program))
    assert done.status == 1
    assert "The layer was not loaded" in done.err
    baseline = tmp_path / "baseline"
    done = run("--baseline", str(baseline), "--write-baseline", "--", str(program))
    assert (done.status, baseline.exists()) == (1, False)
    assert "The layer was not loaded" in done.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--fail-on", "all"), "The value of --fail-on (all) is neither refused"),
        (("--write-baseline",), "--write-baseline needs --baseline"),
        (("--baseline", "b"), "--baseline needs --fail-on or --write-baseline"),
        (("--baseline", "b", "--fail-on", "refused"), "b cannot be used (no such file or directory)"),
        (("--baseline", __file__, "--fail-on", "refused"), "Line 1 of the baseline"),
        (("--baseline", "b", "--findings", "./b", "--fail-on", "refused"), "need files of their own"),
        (("--findings", "b", "--sarif", "b"), "need files of their own"),
        (("--sarif", "no/folder"), "The folder of the file (no/folder) does not exist."),
        (("--mute", NO_RULE), f"The rule ({NO_RULE}) is none of aclnnFlip"),
        (("--record", "/dev/null", "--findings", "f"), "is no file"),
        (("--record", "no/%p.jsonl", "--fail-on", "refused"), "no/%p.jsonl) cannot be written: its folder does not"),
    ],
)
def test_options_that_do_not_fit(
    layer: Layer, run: Run, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    """They are refused before the program runs."""
    ran = tmp_path / "ran"
    done = run(*options, "--", "touch", str(ran))
    assert (done.status, ran.exists()) == (2, False)
    assert sentence in done.err
