"""The form proposes the fixes that `explain` proposes: the same sentences in the same order, in both languages."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.runtime.abi.products import KEYS, read_product
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.testing.amount import amount
from tests.agreement.nearly import Nearby
from tests.agreement.test_agreement import valid_calls
from tests.answers.test_fixes import NEAREST
from tests.answers.test_forty_calls import CALLS, DEFAULTS
from tests.ask.calls import changed
from tests.ask.compare import texts_of
from tests.ask.node import Node
from tests.support.operators import some

RANDOM_CALLS = amount(8, 15, 50)
MOST_STEPS = 60_000  # the page gives up after more than three times as many


def proposed(operator: Operator, texts: dict[str, str], product: str) -> list[tuple[str, str]]:
    """The sentences of Python's fixes for a call of these texts, in both languages."""
    given: Any = {name: values.parse(operator.info.param(name), text) for name, text in texts.items()}
    found = [operator.explain(**given, product=product, lang=lang)[product].fixes for lang in ("en", "zh")]
    return list(zip(*[[fix.sentence for fix in fixes] for fixes in found], strict=True))


def spelled(operator: Operator, given: dict[str, Any]) -> dict[str, str]:
    """The texts of a call that is given by its Python names."""
    names = {param.snake: param.name for param in operator.params}
    out = given.pop("out", {})
    named = out if isinstance(out, dict) else {operator.outputs[0].name: out}
    return {names[name]: text(value) for name, value in given.items()} | {
        name: text(one) for name, one in named.items()
    }


def text(value: Any) -> str:
    """An argument as somebody types it."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "; ".join(map(text, value))
    return ",".join(map(text, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(("name", "alias", "changes"), [one[:3] for one in amount(CALLS[::4], CALLS)])
def test_the_forty_calls_get_the_same_fixes(node: Node, name: str, alias: str, changes: dict[str, Any]) -> None:
    operator, product = ops.get(name), read_product(alias).key
    texts = spelled(operator, DEFAULTS[name] | changes)
    found, steps = node.fixes(operator.info.snake, texts, product)
    assert found == proposed(operator, texts, product)
    assert steps < MOST_STEPS


@pytest.mark.parametrize(("name", "alias", "texts"), [one[:3] for one in NEAREST])
def test_what_is_nearest_in_meaning_is_the_same(node: Node, name: str, alias: str, texts: dict[str, str]) -> None:
    operator, product = ops.get(name), read_product(alias).key
    found, steps = node.fixes(operator.info.snake, texts, product)
    assert found == proposed(operator, texts, product)
    assert steps < MOST_STEPS


@pytest.mark.parametrize("name", some(12, small=3))
def test_random_calls_get_the_same_fixes(node: Node, name: str, repository: Path) -> None:
    operator = ops.get(name)
    nearby, random = Nearby(operator.info, valid_calls(operator, repository), seed=21), Random(21)
    for _ in range(RANDOM_CALLS):
        texts, product = texts_of(operator.info, changed(operator, nearby.call(), random)), random.choice(KEYS)
        found, steps = node.fixes(operator.info.snake, texts, product)
        assert found == proposed(operator, texts, product), (product, texts)
        assert steps < MOST_STEPS
