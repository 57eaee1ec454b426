"""Toys generated into a package of their own, and operators with their suites."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.testing import References
from tests.support.suites import own_suite

REFERENCED = [name for name in ops.names() if ops.get(name).info.compute.reference is not None]


def _compares(name: str) -> bool:
    """Whether a reference computes an output; one of formulas may leave each of them to tests by hand."""
    reference = ops.get(name).info.compute.reference
    return reference is not None and (reference.kind != "formula" or bool(reference.outputs))


COMPARED = list(filter(_compares, REFERENCED))
"""The operators whose spec names a reference."""
Toy = Callable[[str], References]


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder with the generated package and tests of the toys."""
    root = tmp_path_factory.mktemp("referenced")
    shutil.copytree(Path(__file__).parent / "specs", root / "specs")
    generate(root / "specs", root / "out", "referenced.ops")
    sys.path.insert(0, str(root / "out"))
    yield root / "out"
    sys.path.remove(str(root / "out"))


@pytest.fixture
def toy(toys: Path) -> Toy:
    """The reference of a toy, by the name of its module."""
    suites = read_suites(toys, toys / "tests")

    def references(name: str) -> References:
        operator = import_module(f"referenced.ops.{name}").OPERATOR
        return References(operator, suites[operator.name].suite)

    return references


@pytest.fixture(scope="session")
def own() -> Toy:
    """The reference of an operator of the project."""
    return lambda name: References(ops.get(name), own_suite(name).suite)
