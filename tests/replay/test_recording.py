"""Reading recordings: what is counted together, what is tolerated, and what is said of a broken file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aclspec.cli.main import main
from aclspec.runtime.replay.recording import RecordingError, read, read_lines
from tests.replay.conftest import HEAD, Write, line, prelu, tensor


def test_equal_calls_are_one(write: Write) -> None:
    first = write(prelu(2), prelu(2), prelu(3, status=161002, rule="aclnnPrelu.weight-numel"), name="a")
    found = read([first, write(prelu(2), prelu(2, product="atlas_a3"), name="b")])
    assert [(call.count, call.failed, call.product) for call in found.calls] == [
        (3, 0, "atlas_a2"),
        (1, 1, "atlas_a2"),
        (1, 0, "atlas_a3"),
    ]
    assert (found.files, found.count) == (2, 5)
    assert found.calls[0].nanoseconds == 6000
    assert found.calls[0].launch_nanoseconds == 9000


def test_phase_one_of_a_repeated_executor_counts_once(write: Write) -> None:
    again = {"status": 0, "nanoseconds": 7, "executor": "repeated"}
    cached = {"operator": "aclnnPrelu", "second": again | {"executor": "cached"}, "thread": 1}
    found = read([write(prelu(2), prelu(2, second=again), cached)])
    assert [call.count for call in found.calls] == [1]
    assert found.calls[0].launches == {0: 2}
    assert found.cached == {"aclnnPrelu": 1}


def phases(number: int, process: int, channels: int = 2) -> list[dict[str, Any]]:
    """The two lines of a call as version 4 has them."""
    first = prelu(channels) | {"call": number, "process": process}
    second = first.pop("second")
    return [first, {key: first[key] for key in ("operator", "call", "process", "thread")} | {"second": second}]


def head(process: int, started: int) -> dict[str, Any]:
    return HEAD | {"aclspec_record": 4, "process": process, "started": started}


def test_the_phases_of_a_call_are_found_together(write: Write) -> None:
    """The lines of processes are mixed; a run of what another process made counts as one that CANN had kept."""
    (a, a2), (b, b2), (c, c2) = phases(1, 7), phases(1, 8, 1), phases(2, 8, 1)
    again = a2 | {"second": a2["second"] | {"executor": "repeated"}}
    found = read([write(head(8, 1), a, b, c, a2, b2, again, c2, a2 | {"process": 8, "call": 9}, head=head(7, 1))])
    assert [(call.count, call.launches) for call in found.calls] == [(1, {0: 2}), (2, {0: 2})]
    assert found.cached == {"aclnnPrelu": 1}


def test_a_process_that_runs_another_program_begins_anew(write: Write) -> None:
    """Its number stays, so that call 1 is another; a head that comes again changes nothing."""
    first, second = phases(1, 7)
    found = read([write(first, head(7, 2), second, head=head(7, 1))])
    assert ([call.launches for call in found.calls], found.cached) == ([{}], {"aclnnPrelu": 1})
    found = read([write(first, head(7, 1), second, head=head(7, 1))])
    assert ([call.launches for call in found.calls], found.cached) == ([{0: 1}], {})


def test_a_cut_last_line_is_noted(write: Write) -> None:
    text = json.dumps(prelu(2))
    for cut in (1, 20, len(text) - 1):
        found = read([write(prelu(3), text[:cut])])
        assert (found.count, len(found.notes)) == (1, 1)
        assert found.notes[0].endswith("calls.jsonl is cut off and left out.")
    assert read([write(prelu(3), text)]).count == 2  # whole, but for its end of line


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_line_that_was_cut_before_another_process(write: Write, between: str) -> None:
    """Nothing but a head, or the blank line before it, makes a broken line one that was cut."""
    text = json.dumps(prelu(2))[:50] + between
    path = write(prelu(3), text, head(8, 1), prelu(2))
    found = read([path])
    assert (found.count, found.notes) == (2, [f"Line 3 of {path} is cut off and left out."])
    beyond = json.dumps(prelu(2) | {"thread": "t" * 9000})
    for bad in (write(prelu(3), text.strip() + "\n", prelu(2)), write(prelu(3), beyond + between, head(8, 1))):
        with pytest.raises(RecordingError, match="Line 3 of"):
            read([bad])


def test_a_file_without_calls(write: Write) -> None:
    assert read([write()]).notes == []
    assert "holds no call" in read([write(head=None)]).notes[0]
    assert "cut off" in read([write(json.dumps(HEAD)[:5], head=None)]).notes[0]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["not JSON\n"], "Line 2 of "),
        ([{"operator": 3, "second": None}], "its operator is missing or of another type"),
        ([prelu(2) | {"status": "0"}], "its status is missing or of another type"),
        ([prelu(2) | {"call": []}], "its call is missing or of another type"),
        ([prelu(2) | {"call": 1, "process": {}}], "its process is missing or of another type"),
        ([prelu(2) | {"second": {}}], "its status is missing or of another type"),
        ([prelu(2) | {"data": {"inputs": {"self": 3}, "outputs": {}}}], "a file without a name"),
        (["[1]\n"], "it is not a JSON object"),
        (["[" * 100000 + "\n"], "it is nested too deeply"),
        ([{"aclspec_record": 9, "process": 1, "rank": ""}], "has version 9; this aclspec reads 1, 2, 3 and 4."),
    ],
)
def test_a_broken_line(write: Write, lines: list[object], sentence: str) -> None:
    path = write(*lines, prelu(2))
    with pytest.raises(RecordingError) as caught:
        read([path])
    assert sentence in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_no_recording(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (write(prelu(2), head=None), write("hello\n", head=None)):
        assert main(["replay", str(path)]) == 2
        said = capsys.readouterr().err
        assert said == f"aclspec: The file {path} is not a recording: its first line is not a head.\n"
    assert main(["replay", str(path.parent / "missing")]) == 2
    assert "no such file" in capsys.readouterr().err


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*prelu(2), "x"]), inner, max_size=5),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(st.sampled_from([*prelu(2), "data"]), _JSON, max_size=3), raw=st.binary(max_size=20))
def test_any_line_is_read_or_refused(tmp_path: Path, changes: dict[str, object], raw: bytes) -> None:
    """Whatever stands in a file, it is a recording or a RecordingError, and the command shows it."""
    path = tmp_path / "any"
    text = json.dumps(HEAD) + "\n" + json.dumps(prelu(2) | changes) + "\n"
    path.write_bytes(text.encode() + raw)
    assert main(["replay", str(path), "--product", "all"]) == (0 if is_read(path) else 2)


def is_read(path: Path) -> bool:
    """Whether a file is a recording; RecordingError is the only error there may be."""
    try:
        read([path])
    except RecordingError:
        return False
    return True


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    """JSON that stands in for a value, so deep."""
    return opening * depth + "1" + closing * depth


HUGE = 10**400
RAW = json.dumps(prelu(2))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (RAW.replace('"thread": 1', f'"thread": {nested(400)}'), "it is nested too deeply; at most 16 levels are read"),
        (RAW.replace("[4, 2]", nested(900)), "it is nested too deeply"),
        (
            RAW.replace('"thread": 1', f'"thread": {nested(500, chr(123) + chr(34) + "a" + chr(34) + ":", "}")}'),
            "too deeply",
        ),
        (RAW.replace("2000", str(HUGE)), "its nanoseconds has more than 64 bits"),
        (RAW.replace("3000", str(-HUGE)), "its nanoseconds has more than 64 bits"),
        (RAW.replace('"status": 0', f'"status": {HUGE}'), "its status has more than 64 bits"),
        (RAW.replace("2000", "1" + "0" * 5000), "it has a number of thousands of digits"),
        (RAW.replace("[4, 2]", str([1] * 200_000)), "it has a list of 200000 elements; at most 16384 are read"),
        (
            json.dumps(line("aclnnCat", {"tensors": [tensor(2, 2)] * 100_000, "dim": 0, "out": tensor(2, 2)})),
            "it has a list of 100000 elements; at most 16384 are read",
        ),
        (RAW.replace("aclnnPrelu", "aclnn" + "A" * 2_000_000), "a text of 2000005 characters; at most 8192 are read"),
        (RAW.replace("atlas_a2", "\\ud800"), "it has half a character (a surrogate)"),
        (RAW.replace('"weight"', '"\\udfff"'), "it has half a character (a surrogate)"),
        ("[" + " " * (1 << 24) + "]", "it has more than 16777216 bytes"),
    ],
    ids=lambda value: value[:40] if len(value) < 100 else "",
)
def test_a_line_beyond_a_limit(write: Write, line: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(prelu(2), line + "\n", prelu(2))
    assert main(["replay", str(path), "--product", "all"]) == 2
    found = capsys.readouterr().err
    assert found.startswith(f"aclspec: Line 3 of {path} is not a recorded call: ")
    assert sentence in found
    assert found.count("\n") == 1
    assert len(found) < 200 + len(str(path))


@pytest.mark.parametrize(
    "hostile",
    [
        tensor(HUGE, 2),
        tensor(2**64 - 1, 2),
        tensor(*[2] * 10_000),
        tensor(4, 2, offset=HUGE),
        tensor(4, 2, strides=[2, 1], storage_shape=[HUGE]),
        {"dtype": "FLOAT", "value": HUGE},
        {"dtype": "INT64", "value": 2**63},
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_call_with_an_argument_that_is_no_value_is_not_judged(
    write: Write, hostile: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    others = {"self": tensor(4, 2), "other": tensor(4, 2), "alpha": {"dtype": "FLOAT", "value": 1}, "out": tensor(4, 2)}
    name = "alpha" if "value" in hostile else "other"
    path = write(line("aclnnAdd", others | {name: hostile}, status=161002))
    assert main(["replay", str(path), "--product", "all", "--backend", "numpy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {port["calls"]["not judged"] for port in found["ports"]} == {1}
    assert f"The value of {name} (" in found["failures"][0]["reasons"][0]


@pytest.mark.parametrize(
    "hostile",
    [
        tensor(10**12, 2),
        tensor(9 * 10**18, 9 * 10**18, 7),
        tensor(4, 2, strides=[2**62, 2**62], offset=2**62),
        tensor(4, 2, strides=[2, 1], storage_shape=[2**62] * 3),
        tensor(-4, -(2**63)),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_call_beyond_any_memory_is_judged_and_not_run(
    write: Write, hostile: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    for out, status in ((hostile, 0), (tensor(4, 2), 161002)):
        path = write(line("aclnnAdd", {"self": hostile, "other": hostile, "alpha": None, "out": out}, status=status))
        assert main(["replay", str(path), "--product", "all", "--backend", "numpy", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {port["calls"]["not judged"] for port in found["ports"]} == {0}
        assert all(run["verdict"] == "not run" for run in found["runs"])


def test_a_version_is_shown_in_short(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(prelu(2), head={"aclspec_record": "9" * 8000})
    assert main(["replay", str(path)]) == 2
    assert len(capsys.readouterr().err) < 200 + len(str(path))


def test_lines_within_a_process_that_cannot_be_read_are_noted() -> None:
    """The layer gives what a program passed, which may be longer than what is read of a recording."""
    call = {"operator": "aclnnAbs", "product": "atlas_a2", "arguments": {}, "process": 1, "call": 1}
    good = call | {"status": 161001, "rule": None, "nanoseconds": 1}
    long = good | {"arguments": {"self": "x" * 9000}}
    found = read_lines("\n".join(json.dumps(line) for line in (long, good)).encode())
    assert (found.count, found.notes) == (
        1,
        ["A refused call cannot be shown: it has a text of 9000 characters; at most 8192 are read."],
    )
