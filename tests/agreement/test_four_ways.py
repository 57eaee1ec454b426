"""Random calls are decided alike by the four that know the rules: evaluator, generated check, C and JavaScript.

All of it is a million calls, of every operator:

    ACLSPEC_TESTS=whole make test-all ARGS=tests/agreement/test_four_ways.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import Mode
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.suite import Suite
from tests.ask.calls import in_its_dtype
from tests.ask.compare import texts_of
from tests.ask.conftest import node  # noqa: F401 (a fixture)
from tests.ask.node import Decision, Node
from tests.c_checks.conftest import checks, checks_folder, suites  # noqa: F401 (fixtures)
from tests.c_checks.random_calls import random_calls
from tests.support.c_checks import CHECKED, Arguments, CChecks, as_in_c, decided

MILLION = 1_000_000
NAMES = amount(CHECKED[::8], CHECKED[::8], CHECKED)
CALLS = amount(100, 200, -(-MILLION // len(CHECKED)))
BATCH = 500
Asked = tuple[dict[str, Any], str, Mode]


def by_evaluator(operator: Operator, call: Mapping[str, Any], product: str, mode: Mode) -> Decision:
    report = evaluate(operator.info, call, product, mode)
    return report.first or report.shortcut, report.status


def by_check(operator: Operator, call: Mapping[str, Any], product: str, mode: Mode) -> Decision:
    found = operator.check(product, mode == "library", *call.values())
    if found is None:
        return None, Status.ACLNN_SUCCESS
    return found.rule.rpartition(".")[2], Status(found.status(mode == "library"))


def by_c(checks: CChecks, operator: Operator, call: Mapping[str, Any], product: str, mode: Mode) -> Decision:  # noqa: F811
    found = decided(checks.check(operator.snake, product, mode == "library", Arguments(operator.info, call)))
    assert found.unknown is None
    status = Status(found.library if mode == "library" else found.document)
    return found.rule and found.rule.rpartition(".")[2], status


def calls_of(operator: Operator, suite: Suite) -> Iterator[Asked]:
    """Random calls that C and a text can hold."""
    for call, product, mode in random_calls(operator, suite):
        yield {name: each(value) for name, value in as_in_c(call).items()}, product, mode


def each(value: Any) -> Any:
    return tuple(map(each, value)) if isinstance(value, tuple) else in_its_dtype(value)


@pytest.mark.parametrize("name", NAMES)
def test_same_decisions(name: str, checks: CChecks, node: Node, suites: Mapping[str, Suite]) -> None:  # noqa: F811
    operator, seen = ops.get(name), set()
    calls = islice(calls_of(operator, suites[operator.name]), CALLS)
    while asked := list(islice(calls, BATCH)):
        scripted = node.decide(
            operator.snake, [(texts_of(operator.info, call), product, mode) for call, product, mode in asked]
        )
        for (call, product, mode), by_script in zip(asked, scripted, strict=True):
            wanted = by_evaluator(operator, call, product, mode)
            found = by_check(operator, call, product, mode), by_c(checks, operator, call, product, mode), by_script
            assert found == (wanted,) * 3, f"{name} on {product} in {mode} mode: {call}"
            seen.add(wanted)
    assert len(seen) > min(len(operator.info.rules) // 8, CALLS // 10), seen  # the calls are not all alike
