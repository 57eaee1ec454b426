"""For each operator the scripts of its page say what Python says, rule by rule, in the same sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.testing.amount import amount
from tests.agreement.test_agreement import valid_calls
from tests.ask.calls import agree
from tests.ask.node import Node
from tests.support.operators import some

CALLS = amount(150, 1000, 4000)


@pytest.fixture(scope="module")
def node(program: Callable[[str], str], scripts: Path) -> Iterator[Node]:
    with Node(program("node"), scripts / "tables.js", sorted((scripts / "operators").glob("*.js"))) as running:
        yield running


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
