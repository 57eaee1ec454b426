"""Sentences of predicates of every shape, in both languages, as a person has read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec.codegen.wording.rules import clause, noun, with_sentences
from aclspec.runtime.api.explain import explain
from aclspec.runtime.language.nodes import InRows
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules import sentences
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import LetInfo, OperatorInfo, RowInfo, Text
from aclspec.runtime.rules.sentences import Lang
from tests.support import golden
from tests.support.handmade import call, operator, rule, tensor

GOLDEN = Path(__file__).parent / "golden"
CASES = (GOLDEN / "cases.txt").read_text(encoding="utf-8").splitlines()
LANGS: tuple[Lang, ...] = ("en", "zh")


def requirement(info: OperatorInfo, lang: Lang = "en") -> str:
    """What the only rule of an operator requires."""
    return sentences.requirement(info.rules[0], lang)


def failure(info: OperatorInfo, given: dict[str, object], product: str = "atlas_a2", lang: Lang = "en") -> str:
    """What a call is told on which the only rule of an operator fails."""
    return sentences.failure(info, info.rules[0], given, product, "document", lang)


def told(case: str) -> Iterator[str]:
    """The case, its outcome, what the manual says, and what a message says where the rule does not hold."""
    text, _, when = case.partition(" WHEN ")
    info = operator(rule(text, when or None))
    outcome = evaluate(info, call(), "atlas_a2", "document").outcomes["r"]
    yield f"{case}   [{outcome}]"
    for lang in LANGS:
        yield f"    {requirement(info, lang)}"
    for lang in LANGS:
        if outcome == "fails":
            yield f"    ! {failure(info, call(), lang=lang)}"


def test_every_shape() -> None:
    golden.check(GOLDEN / "wording.txt", "\n".join(line for case in CASES for line in told(case)) + "\n")


def in_rows(*params: str, product: str = "atlas_a2", lang: Lang = "en", **dtypes: str) -> str:
    one = rule(None, require=InRows(params))
    given = call(**{name: tensor((2, 3), dtype) for name, dtype in dtypes.items()})
    return failure(operator(one), given, product, lang)


def test_a_dtype_by_itself() -> None:
    assert in_rows("x", x="INT32") == "x is INT32; on atlas_a2 it must be FLOAT or FLOAT16."
    assert in_rows("x", x="BF16", product="atlas_training") == ("x is BF16; on atlas_training it must be FLOAT.")
    assert in_rows("x", x="INT32", lang="zh") == "x 为 INT32；在 atlas_a2 上应为 FLOAT 或 FLOAT16。"


def test_a_list_names_each_of_its_dtypes_once() -> None:
    rows = operator(rule(None, require=InRows(("x", "parts"))))
    for dtypes, told in (("FLOAT FLOAT", "parts is FLOAT"), ("INT8 UINT8 INT8", "parts are INT8, UINT8")):
        given = call(x=tensor((2,), "INT32"), parts=tuple(tensor((2,), one) for one in dtypes.split()))
        table = replace(rows, rows=(RowInfo((("x", ("FLOAT",)), ("parts", ("FLOAT16",))), ("atlas_a2",)),))
        assert failure(table, given).startswith(f"x is INT32, {told}; on atlas_a2 they must ")


def test_a_number_of_a_range_is_not_its_own_value() -> None:
    info = operator(rule("all(i == groups or dim(x, i) == 9 for i in range(0, 1))"))
    assert failure(info, call()) == "The size of axis 0 of x is 2; it must be 9, unless groups equals 0."


def test_dtypes_together() -> None:
    assert in_rows("x", "y", x="FLOAT", y="FLOAT16") == (
        "x is FLOAT, y is FLOAT16; on atlas_a2 they must have one dtype, FLOAT or FLOAT16."
    )
    assert in_rows("x", "y", x="FLOAT", y="FLOAT16", lang="zh") == (
        "x 为 FLOAT，y 为 FLOAT16；在 atlas_a2 上应为同一数据类型：FLOAT 或 FLOAT16。"
    )


def test_a_null_operand_is_not_told() -> None:
    one = rule("rank(y) == 3 and rank(x) == 5")
    assert failure(operator(one), call(x=None)) == "The rank of y is 2; it must be 3."


@pytest.mark.parametrize(
    ("text", "given", "told"),
    [
        ("not is_null(x) or not is_null(y)", {"x": None, "y": None}, "x and y are null; one of them must not be null."),
        ("is_null(x) == is_null(y)", {"y": None}, "x and y must both be null or both be given."),
        ("is_null(x) != is_null(y)", {}, "Exactly one of x and y must be null."),
        ("is_null(x) or rank(x) == 5", {}, "The rank of x is 2; it must be 5."),
        ("is_null(x) or flag", {"flag": False}, "x must be null, unless flag is true."),
        ("is_null(y) or not is_null(x)", {"x": None}, "y must be null when x is null."),
    ],
)
def test_null_pointers_of_which_one_must_be(text: str, given: dict[str, object], told: str) -> None:
    assert failure(operator(rule(text)), call(**given)) == told


def test_a_rule_that_refuses_a_product() -> None:
    info = operator(rule("false", products=("atlas_training",)))
    assert requirement(info) == "The operator supports atlas_a2."
    assert failure(info, call(), product="atlas_training") == "The product is atlas_training; it must be atlas_a2."


def test_nan_is_not_above_a_bound() -> None:
    one = rule("eps <= 1.0")
    info = operator(one)
    assert failure(info, call(eps=2.0)) == "eps is 2.0; it must be at most 1.0."
    assert failure(info, call(eps=float("nan"))) == "eps is nan; it must be at most 1.0."


def test_shapes_are_tuples_of_any_length() -> None:
    one = rule("shape(x) == shape(y)")
    given = call(x=tensor(()), y=tensor((2,)))
    assert failure(operator(one), given) == ("The shape of x is (); it must be (2,), the shape of y.")


def test_a_long_array_is_shortened() -> None:
    one = rule("stride == kernel")
    given = call(stride=tuple(range(100)))
    assert failure(operator(one), given) == ("stride is (0, 1, 2, 3, 4, 5, and 94 more); it must be kernel = (3, 2).")
    assert (
        failure(operator(one), given, lang="zh") == "stride 为 (0, 1, 2, 3, 4, 5, 另有 94 项)；应为 kernel = (3, 2)。"
    )
    assert failure(operator(one), call(stride=tuple(range(6)))).startswith("stride is (0, 1, 2, 3, 4, 5); ")


def test_a_long_array_is_whole_in_json() -> None:
    given = call(stride=tuple(range(9)))
    for lang in LANGS:
        verdict = explain(operator(rule("stride == kernel")), given, "atlas_a2", lang=lang)["atlas_a2"]
        (found,) = verdict.to_dict()["violations"]
        assert "(0, 1, 2, 3, 4, 5, 6, 7, 8)" in found["sentence"]
        assert "(0, 1, 2, 3, 4, 5, 6, 7, 8)" not in verdict.reasons[0]


def test_what_hardware_leaves_undefined() -> None:
    one = rule("all(k > 0 for k in kernel)", outcome="undefined")
    assert requirement(operator(one)) == "The result is undefined unless every element of kernel is greater than 0."
    assert requirement(operator(one), "zh") == "除非 kernel 的每个元素大于 0，否则结果未定义。"


@pytest.mark.parametrize(
    ("effect", "ending"), [("unwritten", "leaves its outputs unwritten"), ("zeros", "fills its outputs with zeros")]
)
def test_a_shortcut(effect: str, ending: str) -> None:
    one = rule(None, "is_empty(x) or is_empty(y)", kind="shortcut", effect=effect)
    sentence = f"When x or y is empty, the call succeeds with a workspace of 0 bytes and {ending}."
    assert requirement(operator(one)) == sentence
    assert failure(operator(one), call()) == sentence


def test_the_product_rule() -> None:
    one = rule(None, kind="product", name="product")
    info = operator(one)
    assert requirement(info) == "The operator supports atlas_a2 and atlas_training."
    assert failure(info, call(), "ascend_950") == "The product is ascend_950; it must be atlas_a2 or atlas_training."


def test_a_message_has_its_context_below_it() -> None:
    one = rule("groups == 5", name="groups-five")
    info = operator(one)
    text = sentences.message(info, info.rules[0], call(), "atlas_a2", "document", "aclnnEverythingGetWorkspaceSize")
    assert text.splitlines() == [
        "groups is 4; it must be 5.",
        " - while checking rule aclnnEverything.groups-five for atlas_a2",
        " - while calling aclnnEverythingGetWorkspaceSize",
    ]


def test_nouns_and_clauses_for_the_manual() -> None:
    info = operator()
    assert noun(info, parse("shape(x) if flag else [channels]")) == (
        "the shape of x when flag is true and [the channel count of x] otherwise"
    )
    assert clause(info, parse("not flag"), "zh") == "flag 为 false"


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("whether keys are in blocks", "Keys are in blocks.", "Keys are not in blocks."),
        ("whether x has groups", "x has groups.", "x does not have groups."),
        ("whether heads have an axis", "Heads have an axis.", "Heads do not have an axis."),
        ("whether tokens vanish", "Tokens vanish.", "It is not true that tokens vanish."),
        ("the global window", "The global window applies.", "The global window does not apply."),
    ],
)
def test_a_let_that_asks(question: str, yes: str, no: str) -> None:
    let = LetInfo("asked", parse("groups == 1"), "bool", Text(question, "key 是否分块"))
    for text, english, chinese in (("asked", yes, "key 分块。"), ("not asked", no, "key 不分块。")):
        info = with_sentences(replace(operator(rule(text)), lets=(let,)))
        assert requirement(info) == english
        assert requirement(info, "zh") == chinese


NAMED = replace(
    operator(rule("dim(x, 1) == dim(y, rank(y) - 1) and dim(parts[0], 0) == 1")),
    params=tuple(
        replace(
            param,
            formats=(),
            rank={"x": (2, 3), "y": (1, 2)}.get(param.name, (1, 1)),
            axes={"x": (("N", "C"), ("N", "C", "L")), "y": (("C",), ("G", "C")), "parts": (("N",),)}.get(
                param.name, ()
            ),
        )
        for param in operator().params
    ),
)


def with_axes(text: str, **changed: object) -> OperatorInfo:
    """An operator with one rule, whose tensor x has named axes unless that is changed."""
    params = [replace(param, **changed) if param.name == "x" else param for param in NAMED.params]  # type: ignore[arg-type]
    return with_sentences(replace(NAMED, params=tuple(params), rules=(rule(text),)))


def test_axes_by_their_names() -> None:
    given = call(x=tensor((2, 3)), y=tensor((4,)))
    info = with_axes("dim(x, 1) == dim(y, rank(y) - 1)")
    assert failure(info, given) == "C (axis 1) of x is 3; it must be 4, C (the last axis) of y."
    assert failure(info, given, lang="zh") == "x 的 C（第 1 轴）为 3；应为 4（即 y 的 C（最后一轴））。"
    assert requirement(info) == "C (axis 1) of x equals C (the last axis) of y."
    assert requirement(with_axes("dim(parts[0], 0) == 1")) == "N (axis 0) of parts[0] is 1."


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("dim(x, 1) == 3", {"formats": ((2, ("NCHW", "NHWC")),)}),  # the second name stands last in NHWC
        ("dim(x, 1) == 3", {"rank": (2, 4)}),  # 4 axes have no names
        ("dim(x, 1) == 3", {"axes": (("N", "C"), ("C", "H", "W"))}),
        ("dim(x, 1) == 3", {"axes": (("N", "8"), ("N", "8", "L"))}),
        ("dim(x, 2) == 3", {}),  # only one of the ranks has such an axis
        ("dim(x, groups) == 3", {}),
        ("dim(x, rank(x) - 1) == 3", {}),
    ],
)
def test_an_axis_without_one_name_is_told_by_its_place(text: str, changed: dict[str, object]) -> None:
    said = requirement(with_axes(text, **changed))
    assert "The size of " in said
    assert "(" not in said


def test_the_first_axis_has_its_name_in_every_format() -> None:
    info = with_axes("dim(x, 0) == 3", formats=((2, ("NCHW", "NHWC")),))
    assert requirement(info) == "N (axis 0) of x is 3."
