"""The derived calls of the project's own operators, each read when a test first asks for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aclspec.codegen.trace.sources import SuiteFile, read_suite

TOP = Path(__file__).parents[2]


@cache
def own_suite(snake: str) -> SuiteFile:
    """The generated test file of an operator, by its snake_case name, and the suite of its corpus."""
    found = read_suite(TOP, TOP / "generated" / "tests" / f"test_{snake}.py")
    assert found is not None, snake
    return found
