"""A sentence of a page shows as code the names of parameters, and no word that only looks like one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aclspec.codegen.wording.marks import shown_marks, with_marks
from aclspec.codegen.wording.rules import requirement
from aclspec.runtime.language.nodes import InRows
from aclspec.runtime.rules.operator_info import OperatorInfo, Text
from aclspec.runtime.rules.sentences import NAME_MARK, Lang
from tests.rules.test_wording import CASES, LANGS
from tests.support.handmade import operator, rule


def shown(info: OperatorInfo, lang: Lang = "en") -> str:
    """What the only rule of an operator requires, with names in quotes."""
    return shown_marks(requirement(info, info.rules[0], lang, marks=True), lambda name: f"'{name}'")


def renamed(info: OperatorInfo, before: str, after: str) -> OperatorInfo:
    """The operator with another name for a parameter."""
    return replace(
        info,
        params=tuple(replace(one, name=after) if one.name == before else one for one in info.params),
    )


@pytest.mark.parametrize("lang", LANGS)
def test_marks_change_nothing_else(lang: Lang) -> None:
    for case in CASES:
        text, _, when = case.partition(" WHEN ")
        info = operator(rule(text, when or None))
        marked = requirement(info, info.rules[0], lang, marks=True)
        assert marked.replace(NAME_MARK, "") == requirement(info, info.rules[0], lang)


def test_words_of_phrases_are_no_names() -> None:
    named = renamed(operator(), "y", "dtype")
    assert shown(renamed(operator(rule("dtype(x) == dtype(out)")), "y", "dtype")) == (
        "The dtype of 'x' equals the dtype of 'out'."
    )
    rows = replace(named, rules=(rule(None, require=InRows(("dtype",))),))
    assert shown(rows) == "The dtype of 'dtype' is one that the product supports."
    assert shown(operator(rule("conv_out(groups, kernel[0], stride[0], 1, 1, 1) == 2"))) == (
        "The output size of a convolution (size: 'groups'; kernel: 'kernel[0]'; stride: 'stride[0]'; padding before: "
        "1; padding after: 1; dilation: 1) is 2."
    )
    assert shown(operator(rule("rank(x) > channels")), "zh") == "'x' 的维数大于 'x' 的通道数。"


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("the axis dim, counted from the start", "从头计数的轴 dim", "the axis 'dim', counted from the start"),
        ("the dtype to use: dtype, or none", "所用的类型：dtype", "the dtype to use: 'dtype', or none"),
        ("dtype is an integer dtype", "dtype 为整数类型", "'dtype' is an integer dtype"),
        ("the number of columns left out", "舍去的列数", "the number of columns left out"),
        ("the length of dim", "长度", "the length of 'dim'"),
    ],
)
def test_the_nouns_of_a_spec(english: str, chinese: str, expected: str) -> None:
    names = ("dim", "dtype", "out")
    assert shown_marks(with_marks(Text(english, chinese), names, "en"), lambda name: f"'{name}'") == expected
