"""The scripts of the operators' pages, for a parameter of every type: they say what Python says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from tests.ask.calls import agree
from tests.ask.node import Node
from tests.parameter_types.conftest import Typed
from tests.parameter_types.test_generated import NAMES

CALLS = amount(300, 300, 20_000)


@pytest.fixture(scope="module")
def node(program: Callable[[str], str], typed: Typed) -> Iterator[Node]:
    folder = typed.out / "docs/assets/ask"
    scripts = sorted((folder / "operators").glob("*.js"))
    with Node(program("node"), folder / "tables.js", scripts, folder) as running:
        yield running


@pytest.mark.parametrize("name", NAMES)
def test_same_answers(node: Node, name: str, typed: Typed) -> None:
    operator = typed.get(name)
    tests = typed.out / "tests"
    suite = read_suites(tests, tests)[name].suite
    valid = [arguments(operator.info, suite.call(case)) for case in suite.valid]
    seen = agree(node, operator, valid, CALLS)
    assert {"holds", "fails", "works"} <= set(seen)
