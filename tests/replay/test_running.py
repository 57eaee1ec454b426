"""Running calls again: on recorded and on random data, against the tolerance, on each backend; and the page."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.cli.catalog import find
from aclspec.cli.main import main
from aclspec.codegen import reports
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import Recording, read
from aclspec.runtime.replay.running import Run, run_again
from aclspec.runtime.rules.inference import completed
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.expected import arguments
from tests.replay.conftest import Write, line, prelu, tensor
from tests.replay.test_judging import as_recorded
from tests.support.html_page import Page
from tests.support.suites import own_suite

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


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside that of the recording, with the data that a hostile recording is after."""
    folder = tmp_path.with_name(f"{tmp_path.name}-outside")
    folder.mkdir()
    np.save(folder / "self.npy", SELF)
    return folder


@pytest.mark.parametrize("way", ["absolute", "parent", "inner parent", "link", "folder link", "pipe", "device", ""])
def test_data_is_read_from_regular_files_below_the_recording(
    write: Write, tmp_path: Path, outside: Path, way: str
) -> None:
    """Each other way to the same numbers is refused; a pipe that nobody writes to is not waited for."""
    path = with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=OUT)
    (tmp_path / "inner").mkdir()
    (tmp_path / "link.npy").symlink_to(outside / "self.npy")
    (tmp_path / "folder").symlink_to(outside)
    (tmp_path / "device").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    names = {
        "absolute": str(outside / "self.npy"),
        "parent": f"../{outside.name}/self.npy",
        "inner parent": f"inner/../../{outside.name}/self.npy",
        "link": "link.npy",
        "folder link": "folder/self.npy",
    }
    name = names.get(way, way)
    path.write_text(path.read_text(encoding="utf-8").replace('"self.npy"', json.dumps(name)), encoding="utf-8")
    (run,) = runs(path)
    assert run.verdict == "not run"
    assert run.note == f"The data of self ({name}) is no regular file below the folder of the recording."


def test_data_in_a_folder_below_the_recording(write: Write, tmp_path: Path) -> None:
    """As the layer writes it; the recording itself may be reached by a link."""
    path = with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=OUT)
    (tmp_path / "calls.data").mkdir()
    (tmp_path / "self.npy").rename(tmp_path / "calls.data" / "self.npy")
    path.write_text(path.read_text(encoding="utf-8").replace('"self.npy"', '"./calls.data/self.npy"'), encoding="utf-8")
    link = tmp_path.with_name(f"{tmp_path.name}-link")
    link.symlink_to(tmp_path)
    (run,) = runs(link / path.name)
    assert (run.verdict, run.data) == ("agrees", "recorded")


@pytest.mark.parametrize(
    "shape", ["(4, 2, 1152921504606846976)", "{}" + "[0]" * 3000, "-" * 9000 + "1", "(4, 2), 'more': 1"]
)
def test_data_whose_head_claims_too_much(write: Write, tmp_path: Path, shape: str) -> None:
    path = with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=OUT)
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little")
    (tmp_path / "self.npy").write_bytes(head + text + SELF.tobytes())
    (run,) = runs(path)
    assert (run.verdict, run.note) == ("not run", "The data of self (self.npy) cannot be read.")


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


def with_outputs(info: OperatorInfo, given: Mapping[str, Any]) -> dict[str, Any]:
    """The call with the outputs that follow from its inputs, where these have other shapes than the given ones."""
    asked = {param.name: INFERRED for param in info.params if param.direction == "out"}
    whole: Mapping[str, Any] = completed(info, {**given, **asked})
    changed = (name for name in asked if isinstance(whole[name], Tensor) and whole[name].shape != given[name].shape)
    return {**given, **{name: whole[name] for name in changed}}


@pytest.mark.parametrize("name", SAMPLE)
def test_random_data(name: str) -> None:
    """The first valid calls of an operator agree with what its spec says, on random data."""
    operator, recording = ops.get(name), Recording()
    suite = own_suite(name).suite
    from aclspec.runtime.replay.recording import Answered, RecordedCall

    for case in suite.valid[:4]:
        given = with_outputs(operator.info, arguments(operator.info, suite.call(case)))
        call = RecordedCall(
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
    words = ["--product", "A3", "--backend", "numpy", "--html", str(out), "--lang", lang]
    assert main(["replay", str(path), *words]) == 0
    text = out.read_text("utf-8")
    page = Page(text)
    assert (page.open, page.fetched) == ([], [])
    assert len(page.ids) == len(set(page.ids))
    assert heading in page.text
    assert "aclnnPrelu.weight-numel" in page.text
    assert "</td><img src=x>" in page.text
    assert not re.search(r"https?://", text)


def marked(value: Any, text: str) -> Any:
    """A line with a text in each string of it and in each name of an argument, but where a string has to be known."""
    if isinstance(value, dict):
        return {name: marked(inner, text) for name, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner, text) for inner in value]
    return f"{value}{text}" if isinstance(value, str) else value


def test_nothing_of_a_recording_is_markup(write: Write, tmp_path: Path) -> None:
    """Each string that a recording has is hostile in turn: the page has the tags and attributes of a harmless one."""
    evil = """'"><script>alert(1)</script><img src=x onerror=alert(1)></td></table></svg>$\\frac{$ {0} {% x %}"""
    data = {"inputs": {"self": "a.npy", "weight": {"missing": "limit"}}, "outputs": {"out": "b.npy"}}
    lines = []
    for text in ("", evil):
        lines += [
            marked(prelu(2, data=data), text),
            marked(prelu(3, status=161002, rule="aclnnPrelu.weight-numel"), text),
            prelu(3, status=161002, rule=f"aclnnPrelu.weight-numel{text}", product=f"atlas_a2{text}"),
            line(f"aclnnPrelu{text}", {f"self{text}": tensor(2, dtype=f"FLOAT{text}", format=f"ND{text}")}, status=1),
            prelu(2, data=marked(data, text)),
            prelu(2, data={"missing": f"limit{text}"}),
        ]
    pages = []
    for name, used in (("harmless", lines[:6]), ("hostile", lines)):
        path, out = write(*used, name=name), tmp_path / f"{name}.html"
        main(["replay", str(path), "--product", "A3", "--backend", "numpy", "--html", str(out)])
        pages.append(Page(out.read_text(encoding="utf-8")))
    harmless, hostile = pages
    hostile.brings_no_more_than(harmless)


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


def test_no_text_is_made_markup() -> None:
    """The templates of reports mark nothing as safe, and no module gives what is text the type of markup."""
    folder = Path(reports.__file__).parent
    templates = [path.read_text(encoding="utf-8") for path in (folder / "templates").iterdir()]
    assert len(templates) == 4
    assert [one for one in templates if re.search(r"\|\s*safe\b|autoescape", one)] == []
    modules = [*folder.glob("*.py"), *(folder.parent / "conform").glob("*.py")]
    assert [path.name for path in modules if "Markup" in path.read_text(encoding="utf-8").replace("`Markup`", "")] == []
