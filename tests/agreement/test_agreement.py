"""The generated checks and the interpreter agree: the same deciding rule and status, in every mode on every product."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from aclspec import ops
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import Memory, evaluate
from aclspec.runtime.rules.operator_info import MODES, Mode
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from tests.agreement.nearly import Call, Nearby
from tests.support.operators import some
from tests.support.suites import own_suite

CALLS = amount(5_000, 20_000)
PLACES: tuple[tuple[str, Mode], ...] = tuple((product, mode) for mode in MODES for product in KEYS)


def valid_calls(operator: Operator, repository: Path) -> list[Call]:
    """The valid calls that were derived from the spec, as the checks see them."""
    return derived_calls(operator, repository, violating=False)


def derived_calls(operator: Operator, repository: Path, violating: bool = True) -> list[Call]:
    """The calls that were derived from the spec, valid and, if wanted, violating, as the checks see them."""
    suite = replace(own_suite(operator.info.snake).suite, info=operator.info)
    broken = (*suite.violations, *suite.boundaries) if violating else ()
    values = [arguments(operator.info, suite.call(case)) for case in (*suite.valid, *broken)]
    return [dict(zip((param.name for param in operator.params), call.values(), strict=True)) for call in values]


def decided(operator: Operator, call: Call, product: str, mode: Mode, memory: Memory) -> str | None:
    """The rule that decides a call, after both have been asked and were of one mind; ``memory`` is of this call."""
    verdict = operator.check(product, mode == "library", *call.values())
    report = evaluate(operator.info, call, product, mode, memory)
    rule = report.first or report.shortcut
    expected = None if rule is None else (f"{operator.name}.{rule}", int(report.status))
    found = None if verdict is None else (verdict.rule, verdict.status(mode == "library"))
    assert found == expected, f"{operator.name} on {product} in {mode} mode: {call}"
    return rule


@pytest.mark.parametrize("name", some(8, small=2))
@pytest.mark.parametrize("everywhere", [8, pytest.param(1, marks=pytest.mark.whole)])
def test_agreement(name: str, everywhere: int, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Derived calls and one random call in ``everywhere`` run in every mode on every product, others in one place."""
    operator = ops.get(name)
    nearby = Nearby(operator.info, derived_calls(operator, repository), seed=2026)
    place = Random(7)
    counts: Counter[str | None] = Counter()
    for at in range(-len(nearby.given), CALLS):
        call, memory = nearby.given[at] if at < 0 else nearby.call(), Memory()
        for product, mode in PLACES if at < 0 or at % everywhere == 0 else (place.choice(PLACES),):
            counts[decided(operator, call, product, mode, memory)] += 1
    with capsys.disabled():
        print(f"\n{operator.name}: {CALLS} calls, {counts.total()} verdicts; how often each rule decided:")
        for rule in operator.info.rules:
            print(f"  {counts[rule.id]:6} {rule.id}")
        print(f"  {counts[None]:6} (none: the call is computed)")
    expected = [rule.id for rule in operator.info.rules if rule.outcome == "error"]
    if set(KEYS) <= dict(operator.info.products).keys():  # no product is left that could be refused
        expected = [rule for rule in expected if operator.info.rule(rule).kind != "product"]
    never = [rule for rule in expected if not counts[rule]]
    assert not never, f"No call was decided by {', '.join(never)}."
