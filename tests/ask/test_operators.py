"""For each operator the scripts of its page say what Python says, rule by rule, in the same sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.testing.amount import amount
from tests.agreement.hostile import at_the_bound, is_refused_first
from tests.agreement.test_agreement import valid_calls
from tests.ask.calls import agree
from tests.ask.compare import assert_same, texts_of
from tests.ask.node import Node, Place
from tests.support.operators import some

CALLS = amount(150, 1000, 4000)


@pytest.mark.parametrize("name", some(10, small=5))
def test_same_answers(node: Node, name: str, repository: Path) -> None:
    operator = ops.get(name)
    seen = agree(node, operator, valid_calls(operator, repository), CALLS)
    # A rule is off in a mode or on a product that it does not name, and does not apply where its guard is false.
    off = any(len(rule.status) < len(MODES) or rule.products for rule in operator.info.rules)
    guarded = any(rule.when is not None for rule in operator.info.rules)
    expected = {"holds": True, "fails": True, "works": True, "off": off, "n/a": guarded}
    assert {outcome for outcome, is_seen in expected.items() if is_seen} <= set(seen)
    # A rule is skipped after one that decides: the refusal of an unlisted product, or a shortcut that others follow.
    refused = not set(KEYS) <= dict(operator.info.products).keys()
    followed = any(rule.kind == "shortcut" for rule in operator.info.rules[:-1])
    assert ("skipped" in seen) == (refused or followed)
    assert len(seen) > min(len(operator.info.rules) // 3, CALLS // 6), seen  # the calls are not all alike


@pytest.mark.parametrize("name", some(60, small=6))
def test_the_rule_of_the_language_comes_first(node: Node, name: str, repository: Path) -> None:
    info = ops.get(name).info
    places: list[Place] = [(info.products[0][0], mode) for mode in MODES]
    for call, fits in at_the_bound(info, valid_calls(ops.get(name), repository)[0]):
        answer = node.ask(info.snake, texts_of(info, call), places)
        assert_same(answer, info, call, places)
        for verdict in answer["verdicts"]:
            status = Status[verdict["status"]]
            assert is_refused_first(verdict.get("first"), status, fits), (name, call)


NUMBERS = {
    "9223372036854775807": True,
    "9223372036854775808": False,
    "-9223372036854775809:int64": False,
    "18446744073709551615:uint64": True,
    "18446744073709551616:uint64": False,
    "1e30": True,
}
"""Texts of a scalar, and whether its dtype has the number."""


@pytest.mark.parametrize(("text", "is_taken"), NUMBERS.items())
def test_integers_beyond_int64_are_refused(node: Node, text: str, is_taken: bool) -> None:
    texts = {"self": "int64[2]", "other": text, "alpha": "1", "out": "int64[2]"}
    answer = node.ask("adds", texts, [(KEYS[0], "document")])
    assert ("refused" not in answer) == is_taken
    assert is_taken or "is outside its range" in answer["refused"][0]
