"""The sentences of all rules of two operators, as a person has read them, and the form of those of all others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.rules.sentences import Lang, failure, requirement
from aclspec.runtime.tensors.tensor import Tensor
from tests.support import golden
from tests.support.operators import infos

TOP = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
OPERATORS = {info.name: info for info in infos()}
LANGS: tuple[Lang, ...] = ("en", "zh")
READ = ("aclnnPreluBackward", "aclnnBatchNormReduceBackward")
SHAPES: dict[str, tuple[int, ...]] = {
    "gradOutput": (4, 2),
    "self": (4, 2),
    "gradInput": (4, 2),
    "gradOut": (4, 2),
    "input": (4, 2),
}
CHANGED: dict[str, dict[str, dict[str, Any]]] = {
    "grad-input-shape": {"gradInput": {"shape": (4, 3)}},
    "weight-numel": {"weight": {"shape": (3,)}},
    "grad-weight-per-channel": {"gradWeight": {"shape": (2, 1)}},
    "grad-weight-shared": {"weight": {"shape": (1, 1)}},
    "grad-output-broadcast": {"gradOutput": {"shape": (3, 2)}},
    "format-agree": {"gradOut": {"format": "NCHW"}},
    "channels-positive": {"input": {"shape": (4, 0)}},
    "grad-out-shape": {"gradOut": {"shape": (4, 2, 1)}},
    "late-grad-out-shape": {"gradOut": {"shape": (4, 2, 1)}},
    "dtypes": {"gradOutput": {"dtype": "FLOAT16"}, "gradOut": {"dtype": "FLOAT16"}},
}
BY_PREFIX: dict[str, dict[str, Any] | None] = {
    "null-": None,
    "dtype-": {"dtype": "INT32"},
    "format-public-": {"format": "FRACTAL_NZ"},
    "format-": {"format": "NCHW"},
    "rank-": {"shape": (1,) * 9},
    "shape-": {"shape": (3, 1)},
    "late-shape-": {"shape": (3,)},
}


def good(info: OperatorInfo) -> dict[str, dict[str, Any] | bool]:
    """A call that no rule of the two operators refuses."""
    return {
        param.name: {"shape": SHAPES.get(param.name, (2,)), "dtype": "FLOAT", "format": "ND"}
        if param.type == "tensor"
        else True
        for param in info.params
    }


def bad(info: OperatorInfo, rule: RuleInfo) -> dict[str, object]:
    """A call that breaks one rule."""
    parts = good(info)
    for name, change in CHANGED.get(rule.id, {}).items():
        if name in parts:
            parts[name] = {**parts[name], **change}  # type: ignore[dict-item]
    prefix = next((one for one in BY_PREFIX if rule.id.startswith(one) and rule.id not in CHANGED), None)
    call: dict[str, object] = {}
    for name, part in parts.items():
        aimed = prefix is not None and rule.id == prefix + kebab(name)
        edit = BY_PREFIX[prefix] if prefix is not None and aimed else {}
        call[name] = part if isinstance(part, bool) else None if edit is None else Tensor(**{**part, **edit})
    return call


def kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def lines(info: OperatorInfo, rule: RuleInfo) -> Iterator[str]:
    """The rule, what the manual says of it, and the message of a call that breaks it."""
    yield rule.id
    for lang in LANGS:
        yield f"    {requirement(rule, lang)}"
    if rule.kind == "shortcut":
        return
    product = "atlas_inference" if rule.kind == "product" else "atlas_training"
    mode: Mode = "document" if "document" in dict(rule.status) else "library"
    call = bad(info, rule)
    assert rule.id in evaluate(info, call, product, mode).failing
    for lang in LANGS:
        yield f"    ! {failure(info, rule, call, product, mode, lang)}"


@pytest.mark.parametrize("name", READ)
def test_sentences(name: str) -> None:
    info = OPERATORS[name]
    call = {part: value if isinstance(value, bool) else Tensor(**value) for part, value in good(info).items()}
    assert not evaluate(info, call, "atlas_training", "document").failing
    text = "\n".join(line for rule in info.rules for line in lines(info, rule)) + "\n"
    golden.check(GOLDEN / f"{info.snake}.txt", text)


@pytest.mark.parametrize("name", OPERATORS)
def test_form(name: str) -> None:
    """Of every operator: a capital or a parameter's name, one full stop, no trace of the machinery."""
    info = OPERATORS[name]
    params = {param.name for param in info.params}
    for rule in info.rules:
        english, chinese = requirement(rule, "en"), requirement(rule, "zh")
        assert english.endswith(".")
        assert chinese.endswith("。")
        first = re.match(r"\w+", english)
        assert english[0].isupper() or not english[0].isalpha() or (first is not None and first[0] in params)
        for text in (english, chinese):
            assert not re.search(r"  |\{|\}|Undefined|INFERRED|None", text), text
