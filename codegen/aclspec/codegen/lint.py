"""Everything that there is to say about specs, errors and warnings, for the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from aclspec.codegen.findings import START, Finding, display_path
from aclspec.codegen.folders import COMMON, LOCK, find_specs
from aclspec.codegen.load import Loader
from aclspec.codegen.lock import check_lock


def lint(paths: Iterable[Path] = ()) -> list[Finding]:
    """The findings of directories and single files; without any path, of the specs that are found."""
    findings: set[Finding] = set()
    for path in list(paths) or [find_specs()]:
        if path.is_dir():
            findings.update(_lint_directory(path))
        elif path.is_file():
            name = display_path(path)
            findings.update(finding for finding in _lint_directory(root_of(path)) if finding.file == name)
        else:
            findings.add(Finding(display_path(path), START, "no-file", f"The path ({path}) does not exist."))
    return sorted(findings, key=lambda finding: finding.sort_key)


def root_of(file: Path) -> Path:
    """The directory of specs that a file belongs to: the one with the tables, else the one above its category."""
    parents = file.resolve().parents
    return next((parent for parent in parents if (parent / COMMON / "products.yaml").is_file()), parents[1])


def _lint_directory(root: Path) -> list[Finding]:
    loader = Loader(root)
    project = loader.load()
    findings = list(loader.findings)
    whole = not any(finding.severity == "error" for finding in findings)
    if project is not None and whole and (root / LOCK).is_file():
        findings += check_lock(project)
    return findings
