"""An operator's rules in their order: outcomes, the deciding failure, shortcuts, modes, products, dtype rows."""

from __future__ import annotations

from typing import Any

import pytest

from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import InRows
from aclspec.runtime.rules.interpreter import INFERRED, Environment, Report, evaluate
from aclspec.runtime.rules.operator_info import Mode, RuleInfo
from tests.support.handmade import call, operator, rule, tensor

PRODUCT = RuleInfo("product", "product", (), (("document", "ACLNN_ERR_PARAM_INVALID"),))


def shortcut(when: str, **changes: Any) -> RuleInfo:
    return rule(None, when, name="empty", kind="shortcut", effect="unwritten", **changes)


def report(*rules: RuleInfo, product: str = "atlas_a2", mode: Mode = "document", **changes: Any) -> Report:
    return evaluate(operator(*rules), call(**changes), product, mode)


def rows(*params: str, **changes: Any) -> RuleInfo:
    return rule(None, name="rows", require=InRows(params), **changes)


def test_the_first_failure_decides_and_the_rest_is_still_told() -> None:
    null = (("document", "ACLNN_ERR_PARAM_NULLPTR"), ("library", "ACLNN_ERR_PARAM_NULLPTR"))
    found = report(
        rule("groups == 4", name="a"),
        rule("groups == 5", name="b"),
        rule("is_null(x)", name="c", status=null),
        rule("kernel[9] == 1", name="d"),
    )
    assert dict(found.outcomes) == {"a": "holds", "b": "fails", "c": "fails", "d": "n/a"}
    assert found.failing == ("b", "c")
    assert found.first == "b"
    assert found.status is Status.ACLNN_ERR_PARAM_INVALID


def test_a_call_without_a_failure_succeeds() -> None:
    found = report(rule("flag"))
    assert (found.status, found.first, found.failing, found.shortcut) == (Status.ACLNN_SUCCESS, None, (), None)


@pytest.mark.parametrize(
    ("when", "outcome"), [("flag", "fails"), ("not flag", "n/a"), ("kernel[9] == 1", "n/a"), ("is_null(y)", "n/a")]
)
def test_a_rule_applies_only_when_its_guard_is_true(when: str, outcome: str) -> None:
    assert report(rule("groups == 5", when)).outcomes["r"] == outcome


def test_a_rule_belongs_to_its_modes_and_products() -> None:
    library = rule("false", name="library", status=(("library", "ACLNN_ERR_INNER_NULLPTR"),))
    other = rule("false", name="other", products=("atlas_training",))
    assert dict(report(library, other).outcomes) == {"library": "off", "other": "off"}
    assert report(library, mode="library").status is Status.ACLNN_ERR_INNER_NULLPTR
    assert report(other, product="atlas_training").first == "other"


def test_a_status_may_differ_by_mode() -> None:
    differing = rule("false", status=(("document", "ACLNN_ERR_PARAM_INVALID"), ("library", "ACLNN_ERR_PARAM_NULLPTR")))
    assert report(differing).status == 161002
    assert report(differing, mode="library").status == 161001


def test_what_hardware_leaves_undefined_is_never_checked() -> None:
    assert report(rule("false", outcome="undefined")).outcomes["r"] == "off"


def test_an_unlisted_product_is_the_only_complaint() -> None:
    rules = (rule("false", name="before"), PRODUCT, rule("false", name="after"))
    found = report(*rules, product="ascend_950")
    assert dict(found.outcomes) == {"before": "skipped", "product": "fails", "after": "skipped"}
    assert found.failing == ("product",)
    assert report(*rules).outcomes["product"] == "holds"
    in_library = report(*rules, product="ascend_950", mode="library")
    assert dict(in_library.outcomes) == {"before": "fails", "product": "off", "after": "fails"}


def test_a_shortcut_ends_the_checks() -> None:
    found = report(rule("flag", name="a"), shortcut("groups == 4"), rule("false", name="late"))
    assert dict(found.outcomes) == {"a": "holds", "empty": "holds", "late": "skipped"}
    assert (found.status, found.shortcut) == (Status.ACLNN_SUCCESS, "empty")


def test_a_shortcut_not_taken_changes_nothing() -> None:
    for when in ("groups == 5", "kernel[9] == 1"):
        found = report(shortcut(when), rule("false", name="late"))
        assert dict(found.outcomes) == {"empty": "n/a", "late": "fails"}
        assert found.shortcut is None


def test_a_shortcut_after_a_failure_saves_nobody() -> None:
    found = report(rule("false", name="a"), shortcut("true"), rule("false", name="late"))
    assert (found.failing, found.shortcut, found.status) == (("a",), None, Status.ACLNN_ERR_PARAM_INVALID)


def test_a_shortcut_of_another_product_is_off() -> None:
    assert report(shortcut("true", products=("atlas_training",))).outcomes["empty"] == "off"
    assert report(shortcut("true", status=(("library", "ACLNN_SUCCESS"),))).outcomes["empty"] == "off"
    assert report(shortcut("true", status=())).outcomes["empty"] == "holds"


@pytest.mark.parametrize(
    ("dtype", "product", "mode", "outcome"),
    [
        ("FLOAT", "atlas_training", "document", "holds"),
        ("FLOAT16", "atlas_training", "document", "fails"),
        ("FLOAT16", "atlas_a2", "document", "holds"),
        ("BF16", "atlas_a2", "document", "fails"),
        ("BF16", "atlas_a2", "library", "holds"),
        ("BF16", "ascend_950", "library", "n/a"),
    ],
)
def test_a_dtype_by_itself(dtype: str, product: str, mode: Mode, outcome: str) -> None:
    found = report(rows("x"), product=product, mode=mode, x=tensor((2, 3), dtype))
    assert found.outcomes["rows"] == outcome


@pytest.mark.parametrize(
    ("x", "y", "out", "outcome"),
    [
        ("FLOAT", "FLOAT", "FLOAT16", "holds"),
        ("FLOAT16", "FLOAT16", "FLOAT", "holds"),
        ("FLOAT", "FLOAT16", "FLOAT", "fails"),
        ("FLOAT", "FLOAT", "BF16", "n/a"),
        ("INT8", "FLOAT16", "FLOAT", "n/a"),
        (None, "FLOAT16", "FLOAT", "holds"),
        ("FLOAT", None, None, "holds"),
        (None, None, None, "n/a"),
    ],
)
def test_dtypes_together(x: str | None, y: str | None, out: str | None, outcome: str) -> None:
    given: dict[str, Any] = {name: dtype and tensor((1,), dtype) for name, dtype in (("x", x), ("y", y), ("out", out))}
    assert report(rows("x", "y", "out"), **given).outcomes["rows"] == outcome


def test_a_parameter_that_is_not_checked_counts_as_null() -> None:
    info = operator(rows("x", "y"), checked={"y": "not flag"})
    given = call(x=tensor((1,), "FLOAT16"))
    assert evaluate(info, given, "atlas_a2", "document").outcomes["rows"] == "holds"
    assert evaluate(info, {**given, "flag": False}, "atlas_a2", "document").outcomes["rows"] == "fails"
    open_guard = operator(rows("x", "y"), checked={"y": "kernel[9] == 1"})
    assert evaluate(open_guard, given, "atlas_a2", "document").outcomes["rows"] == "holds"


def test_nobody_is_blamed_for_an_inferred_output() -> None:
    about_out = (
        rule("not is_null(out)", name="null"),
        rule("rank(out) == 9", name="rank"),
        rows("out"),
        rule(None, name="joint", require=InRows(("x", "out"))),
    )
    found = report(*about_out, out=INFERRED)
    assert dict(found.outcomes) == {"null": "holds", "rank": "n/a", "rows": "n/a", "joint": "holds"}


@pytest.mark.parametrize(
    ("elements", "outcome"),
    [
        ((1,) * 300_000, "holds"),
        ((1,) * 300_000 + (0,), "fails"),
        ((0,) + (1,) * 100, "fails"),
        (tuple(range(1, 99)), "holds"),
    ],
)
def test_an_absurdly_long_array_is_looked_at_once_a_number(
    elements: tuple[int, ...], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[object] = []
    bind = Environment.bind

    def counted(env: Environment, variable: str, value: object) -> Environment:
        bound.append(value)
        return bind(env, variable, value)

    monkeypatch.setattr(Environment, "bind", counted)
    assert report(rule("all(size > 0 for size in kernel)"), kernel=elements).outcomes["r"] == outcome
    assert len(bound) <= len(set(elements))
    assert report(rule("any(size == 0 for size in kernel)"), kernel=elements).outcomes["r"] != outcome
