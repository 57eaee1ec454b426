"""All mistakes of a file in one run: what a slip hides is checked as if the slip were not there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.source.findings import Finding

Errors = Callable[..., tuple[Finding, ...]]
RULE = ("require: all(s > 0 for s in sizes)", "require: all(s > 0 for s in size)")
SAID = "82:33: A name (size) is neither a parameter nor a let; did you mean sizes?"


def _said(found: tuple[Finding, ...]) -> list[str]:
    return [str(finding).removeprefix("specs/math/scale.yaml:") for finding in found]


@pytest.mark.parametrize(
    ("slip", "kind"),
    [
        (("type: int8", "type: int9"), "type"),
        (("name: alpha", "naem: alpha"), "unknown-key"),
        (("category: math", "category: math\nauthor: me"), "unknown-key"),
        (("outcome: undefined", "outcome: undefind"), "type"),
    ],
    ids=["a word", "a key", "a key too many", "a word of a check"],
)
def test_a_slip_and_a_predicate(errors: Errors, slip: tuple[str, str], kind: str) -> None:
    found = errors(slip, RULE)
    assert {finding.kind for finding in found} - {"missing-key"} == {kind, "undefined-name"}
    shift = slip[1].count("\n")
    assert SAID.replace("82", str(82 + shift)) in _said(found)


def test_a_mistake_that_leaves_open_what_was_meant(errors: Errors) -> None:
    (finding,) = errors(("type: int8", "type: whatever"), RULE)
    assert finding.kind == "type"


def test_a_slip_alone_causes_nothing_else(errors: Errors) -> None:
    (finding,) = errors(("type: int8", "type: int9"))
    assert finding.kind == "type"
