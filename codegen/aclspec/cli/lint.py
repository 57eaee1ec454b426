"""``aclspec lint``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from aclspec.cli import output
from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.cli.findings import document, show
from aclspec.codegen.findings import Finding, SpecErrors
from aclspec.codegen.load import find_specs, load_project


def perform(paths: Sequence[Path], as_json: bool) -> int:
    """Report what is wrong with spec files; a finding when anything is an error."""
    wanted = [existing(path) for path in paths] or [find_specs()]
    with output.progress("reading specs"):
        reports = [_lint(path) for path in wanted]
    findings = sorted({one for found, _ in reports for one in found}, key=lambda one: one.sort_key)
    operators = sum(count for _, count in reports)
    if as_json:
        output.show_json({"findings": [document(one) for one in findings]})
    else:
        show(findings)
        output.show(output.plain(_summary(findings, operators)))
    return FINDING if any(one.severity == "error" for one in findings) else GOOD


def existing(path: Path) -> Path:
    """A path that is there; a usage error for one that is not."""
    if not path.exists():
        raise UsageError(f"The path ({path}) does not exist")
    return path


def _lint(path: Path) -> tuple[Iterable[Finding], int]:
    """The findings of a folder of specs, or of one file in it, and how many operators were good."""
    root = path if path.is_dir() else path.resolve().parent.parent
    try:
        project = load_project(root)
    except SpecErrors as errors:
        return [one for one in errors.findings if path.is_dir() or _is_about(one, path)], 0
    names = [one for one in project.operators if path.is_dir() or one.path.resolve() == path.resolve()]
    if not names:
        raise UsageError(f"The path ({path}) has no operator's spec; one stands in <specs>/<category>/<operator>.yaml")
    return project.warnings, len(names)


def _is_about(finding: Finding, path: Path) -> bool:
    return Path(finding.file).resolve() == path.resolve()


def _summary(findings: Sequence[Finding], operators: int) -> str:
    errors = sum(one.severity == "error" for one in findings)
    if not findings:
        return f"{operators} operator{'' if operators == 1 else 's'}, nothing wrong"
    return f"{errors} errors, {len(findings) - errors} warnings"
