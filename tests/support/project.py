"""The project's own specs, loaded once in each process: five seconds for a hundred operators."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project

SPECS = Path(__file__).parents[2] / "specs"


@cache
def own_project() -> Project:
    """All of ``specs/``."""
    return load_project(SPECS)
