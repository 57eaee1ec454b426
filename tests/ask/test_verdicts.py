"""The cards say what `explain` says: the answer in both conformance modes, its reasons, and products by any name."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.runtime.abi.products import KEYS, aliases, read_product
from aclspec.runtime.api.answers import ProductVerdict
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.sentences import Lang
from tests.agreement.nearly import Nearby
from tests.agreement.test_agreement import valid_calls
from tests.ask.calls import changed
from tests.ask.compare import texts_of
from tests.ask.node import Node
from tests.support.operators import some

CALLS = 60


def said(operator: Operator, texts: dict[str, str], lang: Lang) -> list[tuple[str, str, list[list[str]]]]:
    """What Python says about a call of these texts."""
    given: Any = {name: values.parse(operator.info.param(name), text) for name, text in texts.items()}
    explanation = operator.explain(**given, product="all", lang=lang)
    return [(product, one.answer, reasons(one)) for product, one in explanation.items()]


def reasons(verdict: ProductVerdict) -> list[list[str]]:
    """The rules that fail with their sentences, or the case beside the rules that the call is."""
    decided = verdict.deciding
    found = [[rule.rule.rpartition(".")[2], rule.sentence] for rule in decided.violations]
    return [["", decided.note]] if decided.caveat is not None else found


@pytest.mark.parametrize("name", some(6, small=2))
def test_the_cards_say_what_explain_says(node: Node, name: str, repository: Path) -> None:
    operator = ops.get(name)
    nearby, random = Nearby(operator.info, valid_calls(operator, repository), seed=20), Random(20)
    answers = set()
    for at in range(CALLS):
        texts = texts_of(operator.info, changed(operator, nearby.call(), random))
        lang: Lang = "zh" if at % 2 else "en"
        wanted = said(operator, texts, lang)
        assert node.told(operator.info.snake, texts, lang) == wanted, texts
        answers |= {answer for _, answer, _ in wanted}
    assert len(answers) > 3  # works and refused, in two languages


@pytest.mark.parametrize("text", ["1:float16", "1.5:float16", "true:double", "3:int64", "1"])
def test_a_scalar_is_shown_in_its_dtype(node: Node, text: str) -> None:
    operator = ops.get("threshold_backward")
    texts = {"gradOutput": "float16[4]:ND", "self": "float16[4]:ND", "threshold": text, "out": "float16[4]:ND"}
    wanted = said(operator, texts, "en")
    assert any("The value of threshold" in sentence for _, _, reasons in wanted for _, sentence in reasons)
    assert node.told("threshold_backward", texts, "en") == wanted


@pytest.mark.parametrize("number", ["0", "1099511627776", "0.5", "true", "-3", "0:int64"])
def test_a_number_without_a_dtype_fits_as_in_python(node: Node, number: str) -> None:
    texts = {"start": number, "end": "5", "steps": "3"}
    wanted = said(ops.get("linspace"), texts, "en")
    assert node.told("linspace", texts, "en") == wanted
    assert ({product: answer for product, answer, _ in wanted}["atlas_inference"] == "works") == (":" not in number)


def test_products_go_by_every_name(node: Node) -> None:
    names = {*KEYS, *aliases(), "Ascend910B", "910b", "Ascend910B3", "Atlas 800T A2", "310P", "950", "910", "A9"}
    for name in sorted(names):
        found = node.product(name)
        if "refused" in found:
            with pytest.raises(
                ValueError, match=r"ambiguous" if found["refused"] == "ambiguous_product" else "neither"
            ):
                read_product(name)
        else:
            wanted = read_product(name)
            assert (found["key"], found["other"] is not None) == (wanted.key, bool(wanted.note)), name
