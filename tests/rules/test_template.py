"""Templates of failure sentences: what each placeholder writes, and that a template is read as it was written."""

from __future__ import annotations

import pytest

from aclspec.codegen.wording.slots import Slots
from aclspec.runtime.rules.interpreter import Environment
from aclspec.runtime.rules.operator_info import Text
from aclspec.runtime.rules.sentences import failure, filled
from aclspec.runtime.rules.template import escaped, read_template
from tests.support.handmade import call, operator, rule, tensor

FILLED = {
    "the rank is {rank(x)}": "The rank is 2",
    "shape{~shape(x)}, size{~numel(x)}, none{~dim(x, 7)}": "Shape (2, 3), size (6), none",
    "sum ({=rank(x) + 2 * -groups})": "Sum (2 + 2 * (-4) = -6)",
    "single ({=-groups})": "Single (-4)",
    "strides {/x}": "Strides (3, 1)",
    "on {$}": "On atlas_a2",
    "{?flag|yes|no}, {?not flag|yes|no}, {?dim(x, 7) == 1|yes|no|unknown}, {?dim(x, 7) == 1|yes|no}": (
        "Yes, no, unknown, no"
    ),
    "{&flag|a|groups == 4|b|groups == 5|c}": "A and b",
    "{&groups == 5|a|groups == 6|b, c}": "A, or b, c",
    "{&|a||b||c}": "A, and b, and c",
    "{@all(k > 2 for k in kernel)|kernel[{#k}] is {k}}": "kernel[1] is 2",
    "{@any(k > 9 for k in kernel)|never|none is}": "None is",
    r"\{a\|b\} \\ {groups}": r"{a|b} \ 4",
}


@pytest.mark.parametrize("template", FILLED)
def test_placeholders(template: str) -> None:
    assert filled(template, Environment(operator(), call(), "atlas_a2", "document"), "en") == FILLED[template]


def test_dtype_rows() -> None:
    environment = Environment(operator(), call(x=tensor((2,), "INT8")), "atlas_a2", "document")
    assert filled("{%x}.", environment, "en") == (
        "The dtype of x (INT8) is not one that atlas_a2 supports (FLOAT, FLOAT16)."
    )


def test_an_escaped_text_is_itself() -> None:
    text = r"a {b} | c \ d"
    assert read_template(escaped(text)) == (text,)
    assert read_template(Slots().template(text)) == (text,)


@pytest.mark.parametrize("template", ["{groups", "{&flag|a", "a | b", "}"])
def test_a_broken_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"A (template|placeholder)"):
        read_template(template)


def test_what_is_undefined_is_not_blamed() -> None:
    """Of several conditions of one subject only those that are false count, in a list or for its elements."""
    for text in ("groups > 4 and groups < dim(x, 7)", "all(g > 4 and g < dim(x, 7) for g in [groups])"):
        info = operator(rule(text))
        assert failure(info, info.rules[0], call(), "atlas_a2", "document") == "groups (4) is not greater than 4."
    info = operator(rule("all(g < dim(x, g) for g in [groups, rank(x), 1])"))
    assert failure(info, info.rules[0], call(x=tensor((2, 0))), "atlas_a2", "document") == (
        "1 is not less than the size of axis 1 of x (0)."
    )


def test_templates_are_short() -> None:
    info = operator(rule("numel(y) == 1 or numel(y) == channels"), rule("2 <= rank(x) <= 3", name="s"))
    assert info.rules[0].failure == Text(
        "The number of elements of y ({numel(y)}) is neither 1 nor the channel count of x ({channels}).",
        "y 的元素个数 ({numel(y)}) 既不为 1，也不为 x 的通道数 ({channels})。",
    )
    assert info.rules[1].failure is not None
    assert info.rules[1].failure.en == (
        "{&not 2 <= rank(x)|the rank of x ({rank(x)}) is less than 2|"
        "not rank(x) <= 3|the rank of x ({rank(x)}) is greater than 3}."
    )
