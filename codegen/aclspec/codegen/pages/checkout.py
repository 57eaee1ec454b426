"""The specs of a checkout, read once for all pages, and again after a change while the site is served."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project


def stamp(root: Path) -> float:
    """The time of the last change of a spec or a table."""
    return max(path.stat().st_mtime for path in (root / "specs").rglob("*.yaml"))


def project_of(root: Path) -> Project:
    """The specs as they are now."""
    return _project(root, stamp(root))


@cache
def _project(root: Path, at: float) -> Project:
    return load_project(root / "specs")
