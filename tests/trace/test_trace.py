"""The trace of a tiny project is whole; then one thing is broken at a time, and the end that dangles is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.cli.main import main
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.trace import TraceReport, trace

SPEC = """\
op: aclnnTiny
header: aclnn_tiny.h
category: custom
summary: {en: A copy of self., zh: 复制 self。}
source: {document: "900", clauses: [900.interface.1]}
products:
  - {product: atlas_a2, clauses: [900.products.1]}
formula:
  - {id: out, latex: 'y = x', clauses: [900.function.1]}
params:
  - name: self
    type: tensor
    direction: in
    formats: [ND]
    doc: {en: The input., zh: 输入。}
    clauses: {noncontiguous: [900.param.self.1], formats: [900.param.self.2]}
  - name: out
    type: tensor
    direction: out
    formats: [ND]
    doc: {en: The output., zh: 输出。}
    clauses: {rank: [900.param.out.1]}
dtypes:
  - {row: {self: FLOAT, out: FLOAT}, products: [atlas_a2]}
checks:
  - {product: all}
  - {null: [self, out], clauses: [900.161001.1]}
  - {dtype: [self, out]}
  - {format: [self, out], enforced_by: [document]}
  - {rank: [self, out], by: out-shape}
  - {id: out-shape, require: shape(out) == shape(self), clauses: [900.161002.1]}
  - {shortcut: empty, when: is_empty(self), outputs: unwritten}
infer:
  out: {shape: shape(self), dtype: dtype(self)}
compute:
  kernel: tiny:copy
  precision: [{roles: {compute: FLOAT}, clauses: [900.function.2]}]
  tolerance: {out: {terms: 1, unit: FLOAT}}
notes:
  - id: table
    kind: note
    rules: [product, dtype-self, dtype-out, format-out, empty]
    doc: {en: The table., zh: 表。}
examples:
  - id: small
    title: {en: Small, zh: 小例}
    inputs: {self: {dtype: FLOAT, shape: [1], values: 1}}
    outputs: {out: {dtype: FLOAT, shape: [1], values: 1}}
"""
CLAUSES = (
    "interface.1",
    "products.1",
    "function.1",
    "function.2",
    "param.self.1",
    "param.self.2",
    "param.out.1",
    "161001.1",
    "161002.1",
    "phase2.1",
)
SUITE = """\
from aclspec.runtime.testing import Item, Items

ITEMS = Items.beside(__file__, OPERATOR)


@pytest.mark.parametrize("item", ITEMS.params())
def test(item: Item) -> None:
    item.run()
"""
CORPUS = """\
# Calls of aclnnTiny, written by `aclspec derive tiny`.
# --self tensor
# --out tensor, else inferred
# document: atlas_a2
# library: atlas_a2

## base
--self 'float32[2]' --out 'float32[2]'  # *

## passes
--self 'float32[2]'  # base: *
--self 'float32[2]:strides=3'  # self-strided: *

## product 161002 0000000000000000
# unlisted: document: atlas_a3
# unlisted: library: atlas_a3

## empty 0 0000000000000000
--self 'float32[0]'  # ends: *

## null-self 161001 0000000000000000
--self null --out 'float32[2]'  # fails: *

## null-out 161001 0000000000000000
--self 'float32[2]' --out null  # fails: *

## out-shape 161002 0000000000000000
--self 'float32[2]' --out 'float32[3]'  # fails: *

## dtype-self 161002 0000000000000000
# dtypes self: INT8; *

## dtype-out 161002 0000000000000000
# dtypes out: INT8; *

## format-self 161002 0000000000000000
# formats self: NCHW; document

## format-out 161002 0000000000000000
# formats out: NCHW; document
"""
HAND_WRITTEN = """\
import pytest


@pytest.mark.clause("900.phase2.1")
def test_phase_two():
    pass


class TestPrototype:
    @pytest.mark.parametrize("name", [pytest.param("a", marks=pytest.mark.clause("900.interface.1"))])
    def test_types(self, name):
        assert "aclnnTiny.out-shape"
"""
SPEC_FILE, CLAUSE_FILE = "specs/custom/tiny.yaml", "specs/clauses/900.yaml"
DERIVED, CALLS, WRITTEN = "generated/tests/test_tiny.py", "generated/calls/tiny.txt", "tests/test_life.py"


def clause(short: str) -> str:
    """The entry of a clause."""
    return f"  - {{id: 900.{short}, place: {{en: Somewhere, zh: 某处}}, says: {{en: Something., zh: 某事。}}}}\n"


@pytest.fixture
def root(tmp_path: Path, repository: Path) -> Path:
    """A project without a dangling end."""
    head = 'document: "900"\nfile: 900.txt\noperator: aclnnTiny\ntitle: {en: Tiny, zh: 小}\nclauses:\n'
    files = {
        SPEC_FILE: SPEC,
        CLAUSE_FILE: head + "".join(map(clause, CLAUSES)),
        DERIVED: SUITE,
        CALLS: CORPUS,
        WRITTEN: HAND_WRITTEN,
    }
    for common in (repository / "specs" / "common").glob("*.yaml"):
        files[f"specs/common/{common.name}"] = common.read_text(encoding="utf-8")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def traced(root: Path) -> TraceReport:
    return trace(load_project(root / "specs"), root)


def edit(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


def test_whole(root: Path) -> None:
    report = traced(root)
    assert report.ends == ()
    assert report.counts() == {"900": {"clauses": 10, "covered": 9, "tested": 1}}
    rows = {row.id: row for row in report.clauses}
    assert rows["900.phase2.1"].tests == (f"{WRITTEN}::test_phase_two",)
    assert rows["900.interface.1"].tests == (f"{WRITTEN}::TestPrototype::test_types",)
    assert rows["900.param.self.1"].tests == (
        f"{DERIVED}::test[passes-document]",
        f"{DERIVED}::test[passes-library]",
    )
    assert rows["900.param.out.1"].tests == (
        f"{DERIVED}::test[out-shape-document]",
        f"{DERIVED}::test[out-shape-library]",
    )
    assert rows["900.161001.1"].tests == (
        f"{DERIVED}::test[null-self-document]",
        f"{DERIVED}::test[null-self-library]",
        f"{DERIVED}::test[null-out-document]",
        f"{DERIVED}::test[null-out-library]",
    )
    assert rows["900.function.1"].tests == (f"{DERIVED}::test[example-small]",)
    assert rows["900.function.2"].tests == (f"{DERIVED}::test[numbers-1]",)
    assert rows["900.function.2"].anchors[-1] == "operators/tiny.html#precision"
    assert rows["900.161002.1"].anchors == (
        "operators/tiny/clauses.html#clause-900-161002-1",
        "operators/tiny.html#rule-out-shape",
    )
    rules = {row.id: row for row in report.rules}
    assert (rules["format-self"].targets, rules["format-self"].cases) == (1, 1)
    assert rules["out-shape"].clauses == ("900.param.out.1", "900.161002.1")


Break = Callable[[Path], None]


def replaced(name: str, old: str, new: str) -> Break:
    return lambda root: edit(root, name, old, new)


def removed(name: str) -> Break:
    return lambda root: (root / name).unlink()


def second_document(root: Path) -> None:
    """Clauses of a second document of the operator, whose page has room for one."""
    head = 'document: "901"\nfile: 901.txt\noperator: aclnnTiny\ntitle: {en: Tiny, zh: 小}\nclauses:\n'
    (root / "specs/clauses/901.yaml").write_text(head + clause("more.1").replace("900.", "901."), encoding="utf-8")


BREAKS: dict[str, tuple[Break, str, str, str]] = {
    "a clause that nothing covers": (
        replaced(SPEC_FILE, "clauses: [900.161001.1]", "clauses: []"),
        CLAUSE_FILE,
        "uncovered-clause",
        "900.161001.1",
    ),
    "a clause whose test is gone": (
        replaced(WRITTEN, "900.phase2.1", "900.interface.1"),
        CLAUSE_FILE,
        "uncovered-clause",
        "900.phase2.1",
    ),
    "a covered clause that no test proves": (
        replaced(CALLS, ":strides=3", ""),
        CLAUSE_FILE,
        "untested-clause",
        "900.param.self.1",
    ),
    "a clause both waived and covered": (
        replaced(CLAUSE_FILE, "id: 900.161002.1,", "id: 900.161002.1, waiver: {en: Because., zh: 因故。},"),
        CLAUSE_FILE,
        "waived-and-covered",
        "900.161002.1",
    ),
    "a test of an unknown clause": (
        replaced(WRITTEN, '("900.phase2.1")', '("900.phase2.1", "900.phase2.9")'),
        WRITTEN,
        "unknown-clause",
        "900.phase2.9",
    ),
    "a test whose clause cannot be read": (
        replaced(WRITTEN, '("900.phase2.1")', '("900.phase2.1", CLAUSE)'),
        WRITTEN,
        "unreadable-test",
        f"{WRITTEN}::test_phase_two",
    ),
    "a test of an unknown rule": (
        replaced(WRITTEN, "aclnnTiny.out-shape", "aclnnTiny.out-shapes"),
        WRITTEN,
        "unknown-rule",
        "aclnnTiny.out-shapes",
    ),
    "a case of an unknown rule": (
        replaced(CALLS, "## format-out", "## dtypes"),
        DERIVED,
        "unknown-rule",
        "aclnnTiny.dtypes",
    ),
    "a rule without a test in one mode": (
        replaced(CALLS, "--out 'float32[3]'  # fails: *", "--out 'float32[3]'  # fails: document"),
        SPEC_FILE,
        "untested-rule",
        "aclnnTiny.out-shape",
    ),
    "a rule without any test": (
        replaced(CALLS, "# ends: *", "# holds: *"),
        SPEC_FILE,
        "untested-rule",
        "aclnnTiny.empty",
    ),
    "a rule that nothing explains": (
        replaced(SPEC_FILE, "dtype-out, format-out", "format-out"),
        SPEC_FILE,
        "unexplained-rule",
        "aclnnTiny.dtype-out",
    ),
    "calls that no test function runs": (
        replaced(DERIVED, "ITEMS.params()", "[]"),
        "aclnnTiny",
        "missing-suite",
        "aclnnTiny",
    ),
    "an operator without derived calls": (removed(CALLS), "aclnnTiny", "missing-suite", "aclnnTiny"),
    "an operator without derived tests": (removed(DERIVED), "aclnnTiny", "missing-suite", "aclnnTiny"),
    "a clause that no page shows": (second_document, "specs/clauses/901.yaml", "missing-anchor", "901.more.1"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_dangling_end(root: Path, name: str) -> None:
    change, where, kind, subject = BREAKS[name]
    change(root)
    ends = [(end.where, end.kind, end.subject) for end in traced(root).ends]
    assert (where, kind, subject) in ends


def test_waiver(root: Path) -> None:
    edit(root, WRITTEN, "900.phase2.1", "900.interface.1")
    edit(root, CLAUSE_FILE, "id: 900.phase2.1,", "id: 900.phase2.1, waiver: {en: Only in C., zh: 仅 C 有。},")
    report = traced(root)
    assert report.ok
    assert report.counts() == {"900": {"clauses": 10, "covered": 9, "waived": 1}}


def test_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "--specs", str(root / "specs"), "--rows"]) == 0
    shown = capsys.readouterr().out
    assert "900.161002.1" in shown
    assert shown.endswith("10 clauses, 9 rules, 9 deciding cases: no dangling end.\n")
    second_document(root)
    assert main(["trace", "--specs", str(root / "specs"), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert [end["subject"] for end in report["dangling"]] == ["901.more.1", "901.more.1"]
    assert report["clauses"][0]["fate"] == "covered"
