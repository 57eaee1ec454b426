"""Calls that a spec adds to its tests, and mistakes in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.spec.project import Project

CALL = "calls:\n  - {id: other, like: small, call: {self: «'float32[4]'}}\nnotes:\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("small,", "«smal,", "A call is like an example (smal) that does not exist; did you mean small?"),
        ("self:", "«selv:", "A call names a parameter (selv) that does not exist; did you mean self?"),
        ("'float32[4]'", "«'float33[4]'", "The dtype (float33) is unknown (did you mean float32?)."),
        ("'float32[4]'", "«4", "A tensor of a call is given another value (4)."),
        (
            "'float32[4]'",
            "«'dt_undefined[4]'",
            "A tensor of a call (dt_undefined[4]) has more than 9 axes, or a dtype that no tensor has.",
        ),
        (
            "'float32[4]'",
            "«'float32[1,1,1,1,1,1,1,1,1,1]'",
            "A tensor of a call (float32[1,1,1,1,1,1,1,1,1,1]) has more than 9 axes, or a dtype that no tensor has.",
        ),
        ("self: 'float32[4]'", "mode: «null", "A parameter (mode) of type int8 is given another value (None)."),
        ("self: 'float32[4]'", "mode: «128", "A parameter (mode) of type int8 is given another value (128)."),
        ("self: 'float32[4]'", "wanted: «1", "A parameter (wanted) of type bool is given another value (1)."),
        ("self: 'float32[4]'", "sizes: «[x]", "A parameter (sizes) of type int_array is given another value (('x',))."),
    ],
)
def test_refused(refused: Callable[..., None], old: str, new: str, message: str) -> None:
    call = CALL.replace("«", "").replace(old, new)
    assert call != CALL.replace("«", "")
    refused(message, ("notes:\n", call))


def test_an_id_that_is_taken(refused: Callable[..., None]) -> None:
    call = "{like: small, call: {mode: 1}}"
    text = f"calls:\n  - {{id: one, {call[1:]}\n  - {{id: «one, {call[1:]}\nnotes:\n"
    refused("A call (one) is declared twice.", ("notes:\n", text))


def test_a_list_that_is_too_long(errors: Callable[..., tuple[object, ...]]) -> None:
    """A list of tensors is counted before it is made."""
    kind = ("  - name: bias\n    type: tensor\n", "  - name: bias\n    type: tensor_list\n")
    call = "calls:\n  - {id: one, like: small, call: {bias: ['99999 * float32[1]']}}\nnotes:\n"
    found = [str(one) for one in errors(kind, ("notes:\n", call))]
    assert any(one.endswith("A list (bias) of a call has more than 4096 elements.") for one in found), found


def test_a_scalar_that_its_dtype_does_not_hold(errors: Callable[..., tuple[object, ...]]) -> None:
    kind = ("    type: double\n    direction: in\n    default: 1.0\n", "    type: scalar\n    direction: in\n")
    call = "calls:\n  - {id: one, like: small, call: {alpha: int8(1000)}}\nnotes:\n"
    found = [str(one) for one in errors(kind, ("notes:\n", call))]
    assert any(
        one.endswith("A scalar of a call (int8(1000)) has a value that its dtype does not hold.") for one in found
    )


def test_calls_may_stand_under_their_ids(load: Callable[..., Project]) -> None:
    (operator,) = load(("notes:\n", "calls:\n  other: {like: small, call: {mode: 1}}\nnotes:\n")).operators
    assert [(call.id, call.like, dict(call.call)) for call in operator.spec.calls] == [("other", "small", {"mode": 1})]
