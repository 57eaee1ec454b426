"""The trace as a value: a row for each clause and each rule, every dangling end, and the cells of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from aclspec.codegen.compile.clauses import Carrier
from aclspec.codegen.spec.base import Text

EndKind: TypeAlias = Literal[
    "uncovered-clause",
    "unknown-clause",
    "waived-and-covered",
    "untested-clause",
    "untested-rule",
    "unexplained-rule",
    "unknown-rule",
    "missing-suite",
    "missing-anchor",
    "unreadable-test",
]


@dataclass(frozen=True, slots=True, order=True)
class DanglingEnd:
    """Something that leads nowhere: ``where`` is the file, or the operator, in which it hangs."""

    where: str
    kind: EndKind
    subject: str
    message: str

    def __str__(self) -> str:
        """``file: sentence [kind]``."""
        return f"{self.where}: {self.message} [{self.kind}]"


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """A clause with what covers it, the tests that prove it and its anchors in the manual.

    A test is ``file::function`` or, for a derived case, ``file::function[case]``, its product and mode left out.
    """

    id: str
    document: str
    operator: str
    place: Text
    says: Text
    waiver: Text | None
    carriers: tuple[Carrier, ...]
    tests: tuple[str, ...]
    anchors: tuple[str, ...]

    @property
    def fate(self) -> str:
        """``covered``, ``tested`` (by a test of the runtime alone), ``waived`` or ``open``."""
        if self.carriers:
            return "covered"
        return "tested" if self.tests else "waived" if self.waiver else "open"


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule with its clauses, the number of cases in which it decides, and the places where none does.

    ``targets`` counts the products and modes where the rule can fail, ``untested`` names those without a case.
    """

    operator: str
    id: str
    kind: str
    clauses: tuple[str, ...]
    targets: int
    cases: int
    untested: tuple[str, ...]
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceReport:
    """Every clause and every rule followed to its tests and its place in the manual."""

    clauses: tuple[ClauseRow, ...]
    rules: tuple[RuleRow, ...]
    ends: tuple[DanglingEnd, ...]

    @property
    def ok(self) -> bool:
        """Whether no end dangles."""
        return not self.ends

    def counts(self) -> dict[str, dict[str, int]]:
        """By document: how many clauses are covered, tested by the runtime's tests alone, waived and open."""
        found: dict[str, Counter[str]] = {}
        for row in self.clauses:
            found.setdefault(row.document, Counter()).update({"clauses": 1, row.fate: 1})
        return {document: dict(counter) for document, counter in found.items()}

    def to_json(self) -> dict[str, Any]:
        """The report as plain data for a program."""
        return {
            "ok": self.ok,
            "counts": self.counts(),
            "clauses": [_clause(row) for row in self.clauses],
            "rules": [asdict(row) for row in self.rules],
            "dangling": [asdict(end) for end in self.ends],
        }


def _clause(row: ClauseRow) -> dict[str, Any]:
    texts = {"place": row.place, "says": row.says, "waiver": row.waiver}
    return {**asdict(row), **{name: text and text.model_dump() for name, text in texts.items()}, "fate": row.fate}


CLAUSE_COLUMNS = ("clause", "covered by", "tests", "place")
RULE_COLUMNS = ("rule", "clauses", "cases", "where")
COUNT_COLUMNS = ("document", "clauses", "covered", "tested", "waived", "open")


def clause_cells(row: ClauseRow) -> tuple[str, str, str, str]:
    """The cells of a clause."""
    return (row.id, covered_by(row), str(len(row.tests)), row.place.en)


def covered_by(row: ClauseRow) -> str:
    """What covers a clause, in a few words."""
    if row.carriers:
        return ", ".join(f"{carrier.kind} {carrier.name}" for carrier in row.carriers)
    return {"tested": "tests of the runtime", "waived": "waiver", "open": "nothing"}[row.fate]


def rule_cells(row: RuleRow) -> tuple[str, str, str, str]:
    """The cells of a rule."""
    where = f"{row.targets - len(row.untested)} of {row.targets}" if row.targets else ""
    return (f"{row.operator}.{row.id}", ", ".join(row.clauses), str(row.cases), where)


def count_cells(report: TraceReport) -> Iterator[tuple[str, ...]]:
    """The cells of the counts, one line for each document."""
    for document, counts in report.counts().items():
        yield (document, *(str(counts.get(column, 0)) for column in COUNT_COLUMNS[1:]))


def summary(report: TraceReport) -> str:
    """The outcome in a sentence."""
    cases = sum(row.cases for row in report.rules)
    found = f"{len(report.clauses)} clauses, {len(report.rules)} rules, {cases} deciding cases"
    if report.ok:
        return f"{found}: no dangling end."
    return f"{found}: {len(report.ends)} dangling end{'s' * (len(report.ends) != 1)}."
