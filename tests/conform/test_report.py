"""The report of a run with faults: counts, programs, histograms, changes and proposals."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aclspec.cli.main import main
from aclspec.codegen.conform.measure import BINS
from aclspec.codegen.conform.page import render
from aclspec.codegen.conform.proposals import proposals
from aclspec.codegen.conform.report import ConformReport, read_report
from aclspec.codegen.conform.reproduction import cpp, python
from aclspec.codegen.conform.results import SCHEMA, rows_of
from aclspec.codegen.pipeline.load import load_operator, load_tables
from aclspec.codegen.source.folders import find_specs
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.sentences import Lang
from aclspec.runtime.testing.expected import arguments
from tests.conform import conftest
from tests.support.html_page import Page
from tests.support.simulated import environment
from tests.support.terminal import ESCAPES, obeyed, require_stripped

FAULTS = "status:aclnnPrelu.rank-self=561002,taken:aclnnPrelu=INT8,value:aclnnErf=1.02"


@pytest.fixture(scope="module")
def results(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "r.parquet"
    conftest.run(conftest.pieces_of(["prelu", "erf"]), conftest.simulated(root, FAULTS, "accuracy"), out)
    return out


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("older") / "r.parquet"
    conftest.run(conftest.pieces_of(["prelu", "erf"]), conftest.Settings("numpy", "accuracy"), out)
    return out


@pytest.fixture
def report(results: Path, older: Path) -> ConformReport:
    return read_report(results, older)


def test_counts_are_those_of_the_rows(results: Path, report: ConformReport) -> None:
    rows = [row for row in rows_of(results) if row["origin"] != "shrunk"]
    assert sum(one.agree + one.differ + one.skipped for one in report.counts) == len(rows)
    assert sum(one.differ for one in report.counts) == sum(kind.calls for kind in report.kinds)
    (rank,) = (one for one in report.counts if (one.operator, one.rule) == ("aclnnPrelu", "rank-self"))
    assert (rank.agree, rank.differ > 0) == (0, True)


def test_errors_are_counted_by_bin(results: Path, report: ConformReport) -> None:
    """Two percent are 2^18 of the numbers of FLOAT and more: the last bin; half a rounding of FLOAT16 is not."""
    (erf,) = (one for one in report.errors if one.operator == "aclnnErf")
    (prelu,) = (one for one in report.errors if one.operator == "aclnnPrelu")
    rows = [row for row in rows_of(results) if row["operator"] == "aclnnErf" and row["origin"] != "shrunk"]
    assert sum(erf.bins) == sum(row["compared"] for row in rows if row["ulp"])
    assert erf.bins[-1] > 0
    assert sum(prelu.bins[2:]) == 0
    assert prelu.worst is not None
    assert prelu.worst["worst_ulp"] <= 0.5


def test_changes_are_what_the_older_run_answered_differently(report: ConformReport) -> None:
    assert report.missing == 0
    status = [one for one in report.changes if one.least["rule"] == "rank-self"]
    assert {(one.before, one.after) for one in status} == {("161002", "561002")}
    assert {one.after for one in report.changes if one.least["operator"] == "aclnnErf"} == {"values"}
    assert sum(one.calls for one in report.changes) == sum(kind.calls for kind in report.kinds)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_stands_alone(report: ConformReport, lang: Lang) -> None:
    text = render(report, lang)
    page = Page(text)
    assert (page.open, page.fetched) == ([], [])
    assert len(page.ids) == len(set(page.ids))
    assert text.count("<h3 id=") == len(report.kinds)
    assert text.count('style="--share: ') >= 2  # the percentages of errors
    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert targets
    assert targets <= set(page.ids)
    if lang == "en":
        assert "expected 161002 by rule <code>rank-self</code>, answered 561002" in text
        assert "Changes against the older run" in text
    else:
        assert "应为 161002（规则 <code>rank-self</code>），实际为 561002" in text
        heads = re.findall(r"<h[12]>([^<]*)|<th>([^<]*)", unescape(text))
        assert [one for pair in heads for one in pair if re.fullmatch("[ -~]*[A-Za-z][ -~]*", one)] == []


def test_programs_show_the_disagreement(
    root: Path, report: ConformReport, tmp_path: Path, program: Callable[[str], str]
) -> None:
    (kind,) = (one for one in report.kinds if one.least["rule"] == "rank-self")
    variables = environment(
        root, ACLSPEC_SIMULATOR_FAULT=FAULTS, ACLSPEC_CONFORMANCE="library", ACLSPEC_PRODUCT=conftest.PRODUCT
    )
    done = subprocess.run(
        [conftest.PYTHON, "-c", python(kind.least, "simulator")],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "expected 161002, answered 561002: status" in done.stdout, done.stderr
    (tmp_path / "call.cpp").write_text(cpp(kind.least), encoding="utf-8")
    places = [f"-I{root / 'include'}", f"-L{root / 'lib64'}", "-lascendcl", "-lnnopbase", "-lopapi"]
    built = [program("g++"), "-std=c++17", "-Wall", "-Werror", "call.cpp", *places, "-o", "call"]
    subprocess.run(built, cwd=tmp_path, check=True)
    made = subprocess.run(
        [tmp_path / "call"],
        env=variables | {"LD_LIBRARY_PATH": str(root / "lib64")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.stdout == "phase one: 561002, expected 161002\n", made.stderr


@pytest.mark.parametrize("name", ["cat", "adds", "convolution_backward", "cast"])
def test_programs_of_every_kind_of_argument_compile(
    root: Path, tmp_path: Path, program: Callable[[str], str], name: str
) -> None:
    piece = conftest.pieces_of([name])[0]
    row = {"operator": piece.operator, "call": piece.calls[0], "expected": 0}
    (tmp_path / "call.cpp").write_text(cpp(row), encoding="utf-8")
    built = [program("g++"), "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "call.cpp", f"-I{root / 'include'}"]
    subprocess.run(built, cwd=tmp_path, check=True)


def test_proposals_apply_and_say_what_the_library_answers(report: ConformReport, tmp_path: Path) -> None:
    """The specs with the proposed diff load, and the rules then say what was answered."""
    text = "".join(proposals(report))
    assert "561002, not 161002" in text
    specs = tmp_path / "specs"
    shutil.copytree(find_specs(), specs)
    diff = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# "))
    subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    tables, _ = load_tables(specs)
    (path,) = specs.glob("*/prelu.yaml")
    operator, findings = load_operator(specs, path, tables)
    assert operator is not None, findings
    for kind in report.kinds:
        row = kind.least
        if row["operator"] != "aclnnPrelu":
            continue
        call = arguments(operator.info, conftest.literals(row["call"]))
        assert int(evaluate(operator.info, call, row["product"], "library").status) == row["actual"], row["call"]
    assert re.search(r"^\+.*status: ", text, re.MULTILINE)


def foreign(path: Path, text: str, run: bytes = b"{}") -> Path:
    """A file of results that somebody else wrote, with a text in each string of it."""
    call = {"self": "float32[2,3]:ND", "weight": "float32[1]:ND", "out": "float32[2,3]:ND"}
    rows = []
    for outcome, rule in (("agree", ""), ("status", "rank-self"), ("accepted", "dtype-self"), ("values", "")):
        for operator, more in (("aclnnPrelu", ""), ("aclnnPrelu", text), (f"aclnnPrelu{text}", text)):
            strings = {"id": more, "piece": more, "spec": more, "detail": f"a detail{more}", "worker": more}
            given = {f"{name}{more}": value for name, value in call.items()}
            rows.append(
                strings
                | {"operator": operator, "product": f"atlas_a2{more}", "origin": f"random{more}", "seed": 0}
                | {"call": json.dumps(given, indent=1), "size": 1.0, "rule": rule, "expected": 161002, "actual": 561002}
                | {"outcome": outcome, "compared": 1, "worst_ulp": 1.0, "ulp": [1] * BINS, "seconds": 0.0}
            )
        rows.append(rows[-1] | {"outcome": f"{outcome}{text}", "rule": f"{rule}{text}"})
    table = pa.Table.from_pylist(rows, SCHEMA).replace_schema_metadata({b"aclspec.run": run})
    pq.write_table(table, path)
    return path


def test_nothing_of_results_is_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = """'"><script>alert(1)</script><img src=x onerror=alert(1)></td></details></svg>$\\frac{$ {0} {% x %}"""
    run = json.dumps({"settings": {"backend": evil, "mode": evil}, "environment": {evil: evil}}).encode()
    pages = []
    for name, text in (("harmless", ""), ("hostile", evil)):
        results = foreign(tmp_path / f"{name}.parquet", text, run if text else b"{}")
        page = tmp_path / f"{name}.html"
        assert main(["conform", "report", str(results), "--against", str(results), "--html", str(page)]) == 0
        pages.append(Page(page.read_text(encoding="utf-8")))
    harmless, hostile = pages
    hostile.brings_no_more_than(harmless)


def test_a_proposal_has_no_line_of_the_results_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside comments there are only lines of the diff, with names that the operator has."""
    results = foreign(tmp_path / "r.parquet", "\n+++ b/specs/evil.yaml\n+evil: 1")
    assert main(["conform", "report", str(results), "--spec"]) == 0
    said = capsys.readouterr().out
    assert "rank-self answers 561002, not 161002" in said
    assert not [one for one in said.splitlines() if "evil" in one and not one.startswith("# ")]


def test_escapes_of_results_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = foreign(tmp_path / "r.parquet", ESCAPES)
    assert main(["conform", "report", str(results)]) == 0
    require_stripped(capsys.readouterr().out)
    assert main(["conform", "report", str(results), "--spec"]) == 0
    assert obeyed(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    "call",
    [
        '{"self": {"a": 1}, "weight": null, "out": "float32[2]"}',
        '{"self": ["complex64(1j)"], "weight": 1e400, "out": [[[]]]}',
        '{"self": "float32[99999999999999999999]", "weight": "float32[-1]", "out": "nonsense[2"}',
        '{"self": 1, "dtype": null, "extra": true}',
        '{"self": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "[1]",
        "no JSON",
    ],
)
@pytest.mark.parametrize("words", [["--html", "page.html"], ["--spec"], []])
def test_a_call_that_is_none(
    tmp_path: Path, call: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report without it, or one sentence."""
    monkeypatch.chdir(tmp_path)
    path = with_calls(foreign(tmp_path / "r.parquet", ""), call)
    status = main(["conform", "report", str(path), *words])
    said = capsys.readouterr().err
    assert (status, said.count("\n")) in ((0, 0), (2, 1)), said


def with_calls(path: Path, call: str) -> Path:
    """The results with one text in place of each call."""
    table = pq.read_table(path)
    at = table.schema.get_field_index("call")
    pq.write_table(table.set_column(at, SCHEMA.field("call"), [[call] * table.num_rows]), path)
    return path


@pytest.mark.parametrize("kind", ["text", "other columns", "metadata", "settings", "call"])
def test_a_file_that_holds_no_results(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.parquet"
    if kind == "text":
        path.write_text("no Parquet\n", encoding="utf-8")
    elif kind == "other columns":
        pq.write_table(pa.table({"id": ["x"]}), path)
    elif kind == "call":
        with_calls(foreign(path, ""), "[1]")
    else:
        foreign(path, "", b"no JSON" if kind == "metadata" else b'{"settings": []}')
    assert main(["conform", "report", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"aclspec: The file {path} ")
    assert said.count("\n") == 1
