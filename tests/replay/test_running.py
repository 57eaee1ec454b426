"""Running calls again: on recorded and on random data, against the tolerance, on each backend; and the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.cli.catalog import find
from aclspec.cli.main import main
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import Recording, read
from aclspec.runtime.replay.running import Run, run_again
from aclspec.runtime.testing.expected import arguments
from tests.replay.conftest import Write, line, prelu, tensor
from tests.replay.test_judging import as_recorded, suites  # noqa: F401 (a fixture)
from tests.support.html_page import Page

SELF = np.array([[-1, 2], [3, -4], [5, 6], [-7, 8]], np.float32)
WEIGHT = np.array([0.5, 0.25], np.float32)
OUT = np.where(SELF < 0, SELF * WEIGHT, SELF)


def runs(path: Path, backend: str = "numpy") -> list[Run]:
    return run_again(read([path]), Judge(find), backend)


def with_data(write: Write, tmp_path: Path, call: dict[str, Any], **arrays: Any) -> Path:
    """A recording of one call with data; the names of outputs end in _out."""
    names: dict[str, dict[str, str]] = {"inputs": {}, "outputs": {}}
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
        names["outputs" if name.endswith("_out") else "inputs"][name.removesuffix("_out")] = f"{name}.npy"
    return write(call | {"data": names})


def test_recorded_data(write: Write, tmp_path: Path) -> None:
    (run,) = runs(with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=OUT))
    assert (run.verdict, run.data) == ("agrees", "recorded")
    assert run.worst is not None
    assert run.worst.ratio < 1


@pytest.mark.parametrize(("by", "verdict"), [(2**-24, "agrees"), (2**-18, "differs"), (np.nan, "differs")])
def test_a_recorded_output_that_is_off(write: Write, tmp_path: Path, by: float, verdict: str) -> None:
    """One element of what the device gave is moved, by less and by more than the tolerance."""
    wrong = OUT.copy()
    wrong[1, 1] *= 1 + by
    (run,) = runs(with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=wrong))
    assert run.verdict == verdict
    if verdict == "differs":
        assert run.worst is not None
        assert (run.worst.output, run.worst.at) == ("out", (1, 1))
        assert run.note.startswith("out as recorded (")


def test_raw_integers_are_the_dtype_of_the_line(write: Write, tmp_path: Path) -> None:
    kind = DType.BF16.numpy
    arguments = {
        name: tensor(*shape, dtype="BF16") for name, shape in (("self", (4, 2)), ("weight", (2,)), ("out", (4, 2)))
    }
    raw = {
        name: array.astype(kind).view(np.uint16)
        for name, array in (("self", SELF), ("weight", WEIGHT), ("out_out", OUT))
    }
    (run,) = runs(with_data(write, tmp_path, line("aclnnPrelu", arguments), **raw))
    assert (run.verdict, run.data) == ("agrees", "recorded")


@pytest.mark.parametrize(
    ("arrays", "note"),
    [
        ({"self": SELF, "out_out": OUT}, "The data of weight was not recorded."),
        ({"self": SELF[:2], "weight": WEIGHT, "out_out": OUT}, "of another shape or dtype than the call"),
        ({"self": SELF.astype("f8"), "weight": WEIGHT, "out_out": OUT}, "of another shape or dtype than the call"),
        ({"self": np.array([None]), "weight": WEIGHT, "out_out": OUT}, "cannot be read"),
    ],
)
def test_data_that_does_not_fit(write: Write, tmp_path: Path, arrays: dict[str, Any], note: str) -> None:
    (run,) = runs(with_data(write, tmp_path, prelu(2), **arrays))
    assert run.verdict == "not run"
    assert note in run.note


def test_calls_that_are_not_run(write: Write) -> None:
    huge = {"self": tensor(1 << 20, 1 << 20), "weight": tensor(1), "out": tensor(1 << 20, 1 << 20)}
    refused = prelu(3)  # CANN took it, and the rules refuse it
    found = runs(write(line("aclnnNoSuch", {}), refused, line("aclnnPrelu", huge), prelu(3, status=161002)))
    assert [run.verdict for run in found] == ["not run"] * 3
    assert [run.note.partition(" ")[0] for run in found] == ["The", "The", "The"]
    assert "refused by aclnnPrelu.weight-numel" in found[1].note
    assert "is not one to make numbers for" in found[2].note


COMPUTED = [name for name in ops.names() if ops.get(name).has_kernel]
SAMPLE = sorted({*COMPUTED[::6], "max"})  # an out of aclnnMax has the shape [] or [1]


@pytest.mark.parametrize("name", SAMPLE)
def test_random_data(name: str, suites: Any) -> None:  # noqa: F811
    """The first valid calls of an operator agree with what its spec says, on random data."""
    operator, recording = ops.get(name), Recording()
    suite = suites[operator.name].suite
    from aclspec.runtime.replay.recording import Answered, Call

    for case in suite.valid[:4]:
        given = arguments(operator.info, suite.call(case))
        call = Call(
            operator.name, operator.info.products[0][0], {key: as_recorded(one) for key, one in given.items()}, ""
        )
        call.answers[Answered(0, None)] = 1
        recording.calls.append(call)
    found = run_again(recording, Judge(find), "numpy")
    assert [(run.verdict, run.note, run.call) for run in found if run.verdict in ("differs", "failed")] == []
    assert any(run.verdict == "agrees" for run in found) or all("Complex" in run.note for run in found), found


def test_the_command_ends_with_1_where_outputs_differ(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=OUT + 1)
    assert main(["replay", str(path), "--backend", "numpy"]) == 1
    assert "1 call run again: 0 agrees, 1 differs, 0 failed, 0 not run" in capsys.readouterr().out
    assert main(["replay", str(path), "--backend", "simulator", "--root", str(tmp_path)]) == 2
    assert "is not a simulator; build it with" in capsys.readouterr().err
    assert main(["replay", str(path), "--backend", "gpu"]) == 2


@pytest.mark.parametrize(("lang", "heading"), [("en", "Run again"), ("zh", "重新运行")])
def test_the_page(write: Write, tmp_path: Path, lang: str, heading: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It has what the report has, fetches nothing, and shows no markup of a recording as its own."""
    hostile = line("aclnn<script>alert(1)</script>", {"<b>": "</td><img src=x>"}, status=161002)
    path = write(prelu(2), prelu(3, status=161002), hostile)
    out = tmp_path / "page.html"
    words = ["--product", "all", "--backend", "numpy", "--html", str(out), "--lang", lang]
    assert main(["replay", str(path), *words]) == 0
    text = out.read_text("utf-8")
    page = Page(text)
    assert (page.open, page.fetched) == ([], [])
    assert len(page.ids) == len(set(page.ids))
    assert heading in page.text
    assert "aclnnPrelu.weight-numel" in page.text
    assert "</td><img src=x>" in page.text
    assert text.count("<svg") == 3
    assert not re.search(r"https?://(?!www\.w3\.org|matplotlib\.org)", text)


def test_the_page_needs_matplotlib(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in ("aclspec.runtime.replay.page", "aclspec.runtime.replay.plots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["replay", str(write(prelu(2))), "--html", str(tmp_path / "page.html")]) == 2
    assert "pip install 'aclspec[report]'" in capsys.readouterr().err


@pytest.mark.whole
def test_a_large_recording(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """100,000 lines, a quarter of them different."""
    import time

    calls = [prelu(2) for _ in range(100_000)]
    for at in range(0, len(calls), 4):
        calls[at]["arguments"]["self"] = tensor(at + 1, 2)
    path = write(*calls)
    started = time.process_time()
    assert main(["replay", str(path), "--product", "all", "--json"]) == 0
    assert time.process_time() - started < 60
    assert json.loads(capsys.readouterr().out)["different"] == 25_001


def test_progress_is_told(write: Write) -> None:
    told: list[str] = []
    tell: Callable[[str], None] = told.append
    read([write(*[prelu(2)] * 2100)], tell)
    assert told == ["calls.jsonl: 1000 lines", "calls.jsonl: 2000 lines"]
