"""The specs of a checkout, read once for all the pages that show something of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aclspec.codegen.load import Project, load_project


@cache
def project_of(root: Path) -> Project:
    """The project of a checkout."""
    return load_project(root / "specs")
