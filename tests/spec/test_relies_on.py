"""What an inference may rely on: rules that refuse every call for which nothing follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.spec.project import Project
from aclspec.runtime.rules.interpreter import INFERRED, Environment
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.expected import expected_output

INFER = "  out: {shape: shape(self), dtype: dtype(self)}"


def relying(*rules: str) -> tuple[str, str]:
    """The edit by which what is inferred relies on some rules."""
    return INFER, f"{INFER[:-1]}, relies_on: [{', '.join(rules)}]}}"


CASES = {
    "no such rule": (
        [relying("sizes-positive", "«size-positive")],
        "A rule (size-positive) under relies_on does not exist; did you mean sizes-positive?",
    ),
    "the same twice": (
        [relying("sizes-positive", "«sizes-positive")],
        "A rule (sizes-positive) under relies_on is named twice.",
    ),
    "the product": ([relying("«product")], "A rule (product) under relies_on requires nothing."),
    "a shortcut": ([relying("«empty-input")], "A rule (empty-input) under relies_on requires nothing."),
    "an undefined outcome": (
        [relying("«not-nan")],
        "A rule (not-nan) under relies_on refuses no call: its outcome is undefined.",
    ),
    "an output": (
        [relying("«out-shape")],
        "A rule (out-shape) under relies_on speaks of an output (out), which is what is inferred.",
    ),
    "one product": (
        [relying("«length-sizes"), ("- {length: [sizes]}", "- {length: [sizes], products: [atlas_a2]}")],
        "A rule (length-sizes) under relies_on is enforced only on atlas_a2; "
        "expected one that is enforced on every product.",
    ),
    "one mode": (
        [relying("«length-sizes"), ("- {length: [sizes]}", "- {length: [sizes], enforced_by: [document]}")],
        "A rule (length-sizes) under relies_on is not enforced in library mode; "
        "expected one that is enforced in both modes.",
    ),
    "the dtype rows": (
        [relying("«dtype-self")],
        "A rule (dtype-self) under relies_on asks the dtype rows, which depend on the product; "
        "an inference does not know it.",
    ),
    "a rule after a shortcut": (
        [
            relying("«sizes-positive"),
            ("- id: sizes-positive", "- {shortcut: early, when: alpha == 2.0, outputs: zeros}\n  - id: sizes-positive"),
        ],
        "A rule (sizes-positive) under relies_on is not reached by a call that takes a shortcut before it (early).",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_refused(refused: Callable[..., None], case: str) -> None:
    edits, message = CASES[case]
    refused(message, *edits)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_what_lint_says(errors: Callable[..., tuple[object, ...]], repository: Path, lang: str) -> None:
    page = (repository / "site/docs" / lang / "reference/spec.md").read_text(encoding="utf-8")
    (found,) = errors(relying("out-shape"))
    assert f"```text\n{found}\n```" in page


def test_a_rule_with_mistakes_of_its_own_is_no_unknown_rule(errors: Callable[..., tuple[object, ...]]) -> None:
    found = errors(relying("sizes-positive"), ("all(s > 0 for s in sizes)", "all(s > zero for s in sizes)"))
    assert len(found) == 1
    assert "zero" in str(found[0])


SMALL = Tensor.parse("float32[2]")
CALL = {"self": SMALL, "bias": None, "sizes": (1,), "mode": 0, "alpha": 1.0, "wanted": True, "out": INFERRED}


def inferred(info: OperatorInfo, **changes: object) -> object:
    return expected_output(Environment(info, CALL | changes, "atlas_a2", "document"), "out")


def test_nothing_follows_where_a_rule_fails(load: Callable[..., Project]) -> None:
    info = load(relying("length-sizes", "sizes-positive")).operators[0].info
    assert inferred(info) == ((2,), "FLOAT", None)
    assert inferred(info, sizes=(0,)) is None
    assert inferred(info, sizes=(1, 1, 1)) is None
    assert inferred(info, sizes=None) is None  # the rule is undefined


def test_a_rule_that_does_not_apply_takes_nothing_away(load: Callable[..., Project]) -> None:
    info = load(relying("bias-bias")).operators[0].info
    wrong = Tensor.parse("float32[3]")
    assert inferred(info, bias=wrong) is None
    assert inferred(info, bias=wrong, mode=1) == ((2,), "FLOAT", None)
