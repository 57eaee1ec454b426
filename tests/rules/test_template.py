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
    "on {$}": "On atlas_a2",
    "{?flag|yes|no}, {?not flag|yes|no}, {?dim(x, 7) == 1|yes|no}": "Yes, no, no",
    "{@all(k > 2 for k in kernel)|kernel[{#k}] is {k}}": "kernel[1] is 2",
    "none{@any(k > 9 for k in kernel)|never}": "None",
    r"\{a\|b\} \\ {groups}": r"{a|b} \ 4",
}


@pytest.mark.parametrize("template", FILLED)
def test_placeholders(template: str) -> None:
    assert filled(template, Environment(operator(), call(), "atlas_a2", "document"), "en") == FILLED[template]


def test_dtype_rows() -> None:
    environment = Environment(operator(), call(x=tensor((2,), "INT8")), "atlas_a2", "document")
    assert filled("{%x}.", environment, "en") == ("x is INT8; on atlas_a2 it must be FLOAT or FLOAT16.")


def test_an_escaped_text_is_itself() -> None:
    text = r"a {b} | c \ d"
    assert read_template(escaped(text)) == (text,)
    assert read_template(Slots().template(text)) == (text,)


@pytest.mark.parametrize("template", ["{groups", "{?flag|a", "a | b", "}"])
def test_a_broken_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"A (template|placeholder)"):
        read_template(template)


def test_what_is_undefined_is_not_blamed() -> None:
    """Of several conditions of one subject only those that are false count, in a list or for its elements."""
    for text in ("groups > 4 and groups < dim(x, 7)", "all(g > 4 and g < dim(x, 7) for g in [groups])"):
        info = operator(rule(text))
        assert failure(info, info.rules[0], call(), "atlas_a2", "document") == "groups is 4; it must be greater than 4."
    info = operator(rule("all(g < dim(x, g) for g in [groups, rank(x), 1])"))
    assert failure(info, info.rules[0], call(x=tensor((2, 0))), "atlas_a2", "document") == (
        "The size of axis 1 of x is 0; it must be greater than 1."
    )


def test_templates_are_short() -> None:
    info = operator(rule("numel(y) == 1 or numel(y) == channels"), rule("2 <= rank(x) <= 3", name="s"))
    assert info.rules[0].failure == Text(
        "The number of elements of y is {numel(y)}; it must be 1 or the channel count of x ({channels}).",
        "y 的元素个数 为 {numel(y)}；应为 1 或 x 的通道数 ({channels})。",
    )
    assert info.rules[1].failure is not None
    assert info.rules[1].failure.en == "The rank of x is {rank(x)}; it must be at least 2 and at most 3."
