"""The trace as tables of words, for a terminal or a page."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.trace.report import ClauseRow, RuleRow, TraceReport

CLAUSE_COLUMNS = ("clause", "carried by", "tests", "place")
RULE_COLUMNS = ("rule", "clauses", "cases", "where")
COUNT_COLUMNS = ("document", "clauses", "carried", "tested", "waived", "open")


def clause_cells(row: ClauseRow) -> tuple[str, str, str, str]:
    """The cells of a clause."""
    return (row.id, carried_by(row), str(len(row.tests)), row.place.en)


def carried_by(row: ClauseRow) -> str:
    """What carries a clause, in a few words."""
    if row.carriers:
        return ", ".join(f"{carrier.kind} {carrier.name}" for carrier in row.carriers)
    return {"tested": "tests of the runtime", "waived": "waiver", "open": "nothing"}[row.fate]


def rule_cells(row: RuleRow) -> tuple[str, str, str, str]:
    """The cells of a rule."""
    where = f"{row.cells - len(row.untested)} of {row.cells}" if row.cells else ""
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


def text(report: TraceReport, rows: bool) -> str:
    """The trace as plain text: the counts, the rows if they are wanted, every dangling end, the outcome."""
    parts = [_aligned(COUNT_COLUMNS, count_cells(report))]
    if rows:
        parts.append(_aligned(CLAUSE_COLUMNS, map(clause_cells, report.clauses)))
        parts.append(_aligned(RULE_COLUMNS, map(rule_cells, report.rules)))
    parts += ["\n".join(map(str, report.ends))] if report.ends else []
    return "\n\n".join([*parts, summary(report)])


def _aligned(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [columns, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
