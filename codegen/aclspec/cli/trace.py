"""``aclspec trace``."""

from __future__ import annotations

import sys
from pathlib import Path

from aclspec.cli import findings, output
from aclspec.cli.checkout import existing, require_checkout
from aclspec.cli.errors import FINDING, GOOD
from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.folders import find_specs
from aclspec.codegen.load import load_project
from aclspec.codegen.trace import tables, trace


def perform(specs: Path | None, rows: bool, as_json: bool) -> int:
    """Follow every clause to its rule, its tests and the manual; a finding when an end dangles."""
    if specs is None:
        require_checkout("whose tests and pages could be followed", "--specs")
    root = existing(find_specs(specs)).resolve()
    try:
        with output.progress("following the clauses"):
            report = trace(load_project(root), root.parent)
    except SpecErrors as errors:
        findings.show(errors.findings, sys.stderr)
        return FINDING
    if as_json:
        output.show_json(report.to_json())
        return GOOD if report.ok else FINDING
    output.show(output.table("Clauses by document", tables.COUNT_COLUMNS, tables.count_cells(report)))
    if rows:
        output.show(output.table("Clauses", tables.CLAUSE_COLUMNS, map(tables.clause_cells, report.clauses)))
        output.show(output.table("Rules", tables.RULE_COLUMNS, map(tables.rule_cells, report.rules)))
    for end in report.ends:
        print(end)
    output.show(output.plain(tables.summary(report)))
    return GOOD if report.ok else FINDING
