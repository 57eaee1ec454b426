"""The whole generated suite of every operator a second time, through the bridge, with its own checks off.

Every status comes from the library through its C interface, and so does every value: equal statuses, equal bits.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from aclspec.runtime.testing import Cell, Numbers, Outcome, Runner
from tests.support.simulated import Simulator

SUITES = sorted((Path(__file__).parents[2] / "generated" / "tests").glob("test_*.py"))
each = pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem.removeprefix("test_"))


class Library:
    """A suite, to be run on what the library answers."""

    def __init__(self, path: Path, simulator: Simulator, patch: pytest.MonkeyPatch) -> None:
        spec = importlib.util.spec_from_file_location(f"suite_of_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        self.module: ModuleType = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.simulator, self.patch = simulator, patch
        self.own: Runner = self.module.RUN
        self.runner = Runner(self.own.suite, self.own.operator, "npu")
        self.numbers = Numbers(self.runner, self.module.NUMBERS)
        patch.setenv("ACLSPEC_NPU_CHECKS", "off")

    @contextmanager
    def cell(self, cell: Cell) -> Iterator[None]:
        """The device is of the product of a cell, and the library of its mode."""
        self.simulator.become(cell.product)
        self.patch.setenv("ACLSPEC_CONFORMANCE", cell.mode)
        yield


@pytest.fixture
def library(suite: Path, simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> Library:
    return Library(suite, simulator, monkeypatch)


@each
def test_statuses(library: Library) -> None:
    suite = library.runner.suite
    checked = 0
    for cell in suite.cells:
        with library.cell(cell):
            checked += library.runner.check_statuses(cell)
    assert checked == len(suite.cases) * len(suite.cells) > 0


@each
def test_products_that_are_not_listed(library: Library) -> None:
    for cell, text in library.runner.suite.refused.items():
        outcome = Outcome.parse(text)
        with library.cell(cell):
            for case in (*library.own.suite.valid[:1], *library.own.suite.violations[:3]):
                library.runner.check_status(case, cell, outcome)


@each
def test_numbers(library: Library) -> None:
    computing = library.numbers.computing()
    for case, cell in (param.values for param in computing):
        with library.cell(cell):
            library.numbers.check_computing(case, cell)
    assert computing


@each
def test_nan_and_infinity(library: Library) -> None:
    for case, cell in (param.values for param in library.numbers.special()):
        with library.cell(cell):
            library.numbers.check_special(case, cell)


@each
def test_examples(library: Library) -> None:
    examples = library.numbers.examples()
    for example, cell in (param.values for param in examples):
        with library.cell(cell):
            library.numbers.check_example(example, cell)
    assert examples
