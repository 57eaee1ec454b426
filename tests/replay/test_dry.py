"""What the dry device saw, as its file tells, and the places of recorded calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.catalog import find
from aclspec.codegen.reports.dry import text
from aclspec.runtime.replay.dry import dry_run, read_seen
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import read
from aclspec.runtime.replay.summary import port, summarize
from aclspec.runtime.replay.words import obstacle
from aclspec.runtime.rules.sentences import Lang
from tests.replay.conftest import Write, prelu

FRAME = {"file": "model.py", "line": 7, "function": "step"}
BINARY = {"file": "program", "offset": 4660, "function": "main"}


def lines(path: Path, *entries: dict[str, Any], cut: str = "") -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in entries) + cut, encoding="utf-8")
    return path


def test_peaks_and_copies(tmp_path: Path) -> None:
    """Of several processes each has its own peak; a line that is cut off is told."""
    peaks = [(0, 1, 10), (0, 1, 30), (0, 2, 5), (1, 2, 7)]
    entries = [{"device": device, "process": process, "peak": peak} for device, process, peak in peaks]
    copy = {"copied": 4, "function": "aclrtMemcpy", "python": FRAME, "process": 1}
    found = read_seen(lines(tmp_path / "seen", *entries, copy, copy, {"unseen": "aclnnX"}, cut='{"device": 0, "pe'))
    assert found.peaks == {0: 35, 1: 7}
    assert list(found.copies.values()) == [2]
    assert list(found.copied.values()) == [8]
    assert found.unseen == {"aclnnX": 1}
    assert len(found.notes) == 1
    assert "Line 8" in found.notes[0]
    assert read_seen(tmp_path / "none").peaks == {}


def test_obstacles_have_their_places(write: Write, tmp_path: Path) -> None:
    wrong = [prelu(3, status=161002, python=FRAME), prelu(3, status=161002, caller=BINARY)]
    recording = read([write(*wrong, wrong[0], prelu(2, caller=BINARY))])
    judge = Judge(find)
    summary = summarize(recording, judge)
    port(summary, recording, judge, ("atlas_a2",), lines={("program", 4660): "program.cpp:3"})
    assert [one.places for one in summary.ports[0].obstacles] == [{"model.py:7": 2, "program.cpp:3": 1}]
    copy = {"copied": 4, "function": "aclrtMemcpy", "caller": BINARY, "process": 1}
    found = dry_run(summary, recording, read_seen(lines(tmp_path / "seen", copy)), judge, 1 << 30)
    assert found.copies[0].place == "program+0x1234 (main)"
    assert found.longest == []


@pytest.mark.parametrize(("lang", "said"), [("en", "2 calls undocumented: 161002"), ("zh", "2 次调用文档未列")])
def test_the_report_names_what_no_document_lists(write: Write, tmp_path: Path, lang: Lang, said: str) -> None:
    recording = read([write(prelu(2), prelu(2))])
    judge = Judge(find, lang)
    summary = summarize(recording, judge)
    port(summary, recording, judge, ("atlas_200i_500_a2",))
    found = text(dry_run(summary, recording, read_seen(tmp_path / "none"), judge, 1 << 30), lang)
    assert said in found
    assert "{" not in found


@pytest.mark.parametrize(("status", "said"), [("", "3 calls without a kernel"), ("561103", "without a kernel: 561103")])
def test_calls_without_a_kernel_have_a_status_where_one_is_known(status: str, said: str) -> None:
    assert obstacle(3, "no kernel", status, "en").endswith(said)
