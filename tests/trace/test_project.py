"""The project's own specs, tests and manual: every clause and every rule leads all the way, in both directions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.trace import TraceReport, trace
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.abi.products import KEYS
from tests.support.project import own_project

pytestmark = pytest.mark.all


@pytest.fixture(scope="module")
def report() -> TraceReport:
    root = Path(__file__).parents[2]
    return trace(own_project(), root)


def test_no_end_dangles(report: TraceReport) -> None:
    assert [str(end) for end in report.ends] == []


def test_every_clause_is_covered_or_waived(report: TraceReport) -> None:
    assert {row.fate for row in report.clauses} <= {"covered", "tested", "waived"}
    assert all(row.tests for row in report.clauses if row.fate != "waived")


def test_every_rule_decides_wherever_it_can(report: TraceReport) -> None:
    cannot = {
        f"{info.name}.{rule.id}"
        for info in (ops.get(name).info for name in ops.names())
        for rule in info.rules
        if rule.outcome == "undefined" or (rule.kind == "product" and dict(info.products).keys() == set(KEYS))
    }
    without = {f"{row.operator}.{row.id}" for row in report.rules if not row.cases}
    assert [row.id for row in report.rules if row.untested] == []
    assert without - cannot == set()


def test_every_rule_and_clause_stands_in_the_manual(report: TraceReport) -> None:
    for anchors in [*(row.anchors for row in report.clauses), *(row.anchors for row in report.rules)]:
        assert anchors
        assert all(re.fullmatch(r"operators/[\w/]+\.html#[\w-]+", anchor) for anchor in anchors)


def test_what_the_report_calls_undecided_is_shown_by_no_call() -> None:
    """Calls that were found for another rule, or for a bound, count too."""
    root = Path(__file__).parents[2]
    suites = read_suites(root, root / "generated" / "tests")
    report = (root / "generated" / "report.md").read_text("utf-8")
    sentences = re.findall(r"whether the rule (\w+)\.(\S+) can fail first in (\w+) mode on (.*?): none", report)
    assert f"| rules not decided | {len(sentences)} |" in report
    for operator, rule, mode, where in sentences:
        never = {cell.product for cell in suites[operator].suite.gaps.get(rule, ()) if cell.mode == mode}
        assert set(re.findall(r"atlas_\w+", where)) <= never, f"{operator}.{rule}"
