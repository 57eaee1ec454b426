"""How findings about specs are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from aclspec.codegen.findings import Finding


def show(findings: Iterable[Finding], stream: TextIO | None = None) -> None:
    """One finding a line, as ``file:line:column: sentence``, which editors follow; never folded."""
    for finding in findings:
        print(finding, file=stream)


def document(finding: Finding) -> dict[str, object]:
    """A finding for programs."""
    return {
        "file": finding.file,
        "line": finding.at.line,
        "column": finding.at.column,
        "kind": finding.kind,
        "severity": finding.severity,
        "message": finding.message,
        "context": finding.context,
    }
