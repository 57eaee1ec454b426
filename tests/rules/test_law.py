"""Every refusal follows the law of messages: the noun, its value, what it must be; one sentence, nothing of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from aclspec import ops
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.rules.sentences import Lang, failure
from aclspec.runtime.testing.amount import amount
from tests.agreement.test_agreement import derived_calls
from tests.support.operators import some

CALLS = amount(12, 40)
LONG = 200
"""Characters that the sentences of a rule have, but for few rules."""
LONGEST = 450
PRODUCTS = ("atlas_a2", "atlas_inference", "ascend_950")
SAYS = {
    "en": re.compile(r"\bmust\b|\bmay not\b|\bsupports\b|\bdoes not support\b"),
    "zh": re.compile("应|须|不能|不可|不得|支持"),
}
"""What a sentence says of what it must be."""
PYTHON = re.compile(r"\b(?:UNDEFINED|INFERRED|None|True|False|NaN|DT_(?!UNDEFINED)\w+|DType|Format)\b")
DTYPES = re.compile(r"(?:\b[A-Z][A-Z0-9_]+(?:, |、)){6}(?!and \d+ more|另有)")
"""Seven dtypes in a row."""
ITEMS = 7
"""Six elements of a list and how many more there are."""


def sentences(name: str, repository: Path) -> Iterator[tuple[str, Lang, str]]:
    """Each refusal of derived calls once: the rule, the language, the sentence."""
    operator = ops.get(name)
    info, calls = operator.info, derived_calls(operator, repository)
    found = set()
    for call in Random(name).sample(calls, min(CALLS, len(calls))):
        for product in PRODUCTS:
            for mode in MODES:
                for rule in map(info.rule, evaluate(info, call, product, mode).failing):
                    for lang in ("en", "zh"):
                        found.add((rule.id, lang, failure(info, rule, call, product, mode, lang)))
    yield from sorted(found)  # type: ignore[misc]


def broken(lang: Lang, text: str) -> Iterator[str]:
    """The parts of the law that a sentence breaks."""
    end, inside = ("。", "。") if lang == "zh" else (".", ". ")
    if not text.endswith(end) or inside in text[:-1]:
        yield "one complete sentence"
    if text[:1].isspace() or "  " in text:
        yield "plain spaces"
    if not SAYS[lang].search(text):
        yield "what it must be"
    if PYTHON.search(text):
        yield "nothing of Python"
    if len(text) > LONGEST:
        yield "its length"
    if DTYPES.search(text):
        yield "lists of at most six"
    for inner in re.findall(r"[(\[]([^()\[\]]*)[)\]]", text):
        if len(re.split(", |、", inner)) > ITEMS:
            yield "lists of at most six"


WITH_ALTERNATIVES = ("gather", "quant_matmul_v5", "cat", "reflection_pad2d_backward")
"""Operators with rules of which one of several conditions must hold, or one that a spec names."""


@pytest.mark.parametrize("name", sorted({*some(20, small=6), *WITH_ALTERNATIVES}))
def test_a_refusal_follows_the_law(name: str, repository: Path) -> None:
    found = list(sentences(name, repository))
    assert found
    assert [(rule, part, text) for rule, lang, text in found for part in broken(lang, text)] == []
    long = {rule for rule, lang, text in found if lang == "en" and len(text) > LONG}
    assert len(long) <= 1 + len({rule for rule, _, _ in found}) // 10


@pytest.mark.parametrize(
    ("lang", "text", "part"),
    [
        ("en", "The rank of self is 9; it must be at most 8", "one complete sentence"),
        ("en", "The rank of self is 9. It must be at most 8.", "one complete sentence"),
        ("en", "The rank of self is 9.", "what it must be"),
        ("en", "The size is None; it must be 1.", "nothing of Python"),
        ("en", "self is DT_DOUBLE; it must be FLOAT.", "nothing of Python"),
        ("en", "The shape is (1, 2, 3, 4, 5, 6, 7, 8); it must be (1).", "lists of at most six"),
        (
            "en",
            "self is A; it must be FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64 or BOOL.",
            "lists of at most six",
        ),
        ("en", "The size is 1; " + "it is long, " * 50 + "and must be 2.", "its length"),
        ("en", " The size is 1; it must be 2.", "plain spaces"),
        ("zh", "self 的维数为 9；应不超过 8", "one complete sentence"),
        ("zh", "self 的维数为 9。", "what it must be"),
    ],
)
def test_what_breaks_the_law(lang: Lang, text: str, part: str) -> None:
    assert part in list(broken(lang, text))


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The shape of out is (1, 2, 3, 4, 5, 6, and 2 more); it must be (1.5, 2), the shape of self."),
        ("zh", "out 的形状为 (1, 2)；应为 (2, 1)。"),
    ],
)
def test_what_keeps_it(lang: Lang, text: str) -> None:
    assert list(broken(lang, text)) == []
