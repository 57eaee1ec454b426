"""What Python says about a call, in the form in which the scripts of the page answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aclspec.codegen.render.javascript.presets import argument_text
from aclspec.runtime.rules.interpreter import INFERRED, evaluate
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.rules.sentences import failure
from tests.ask.node import Place


def texts_of(info: OperatorInfo, call: Mapping[str, object]) -> dict[str, str]:
    """The texts of a call; an inferred output has none."""
    return {
        param.name: argument_text(param, call[param.name]) for param in info.params if call[param.name] is not INFERRED
    }


def said(info: OperatorInfo, call: Mapping[str, object], place: Place) -> dict[str, Any]:
    """The outcome of every rule, what decides, and the sentences of the rules that fail."""
    product, mode = place
    report = evaluate(info, call, product, mode)
    rules = [info.rule(rule) for rule in report.failing]
    told: dict[str, Any] = {
        "outcomes": list(report.outcomes.values()),
        "status": report.status.name,
        "sentences": [[failure(info, rule, call, product, mode, lang) for lang in ("en", "zh")] for rule in rules],
    }
    told |= {"first": report.first} if report.first else {}
    return told | ({"shortcut": report.shortcut} if report.shortcut else {})


def assert_same(
    answer: Mapping[str, Any], info: OperatorInfo, call: Mapping[str, object], places: Sequence[Place]
) -> None:
    """The scripts' verdicts are Python's, sentences included."""
    assert "refused" not in answer, (call, answer)
    for place, found in zip(places, answer["verdicts"], strict=True):
        wanted = said(info, call, place)
        assert found == wanted, f"{info.name} at {place}: { {name: str(value) for name, value in call.items()} }"
