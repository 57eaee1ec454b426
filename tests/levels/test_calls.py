"""Calls of operators of each level in Python: what is answered, and what is unknown."""

from __future__ import annotations

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Status, Tensor, last_error
from aclspec.runtime.execution.backends import register_backend
from tests.levels.conftest import Leveled

X = np.array([1, 2, 3, 4, 5], np.float32)
UNKNOWN = r"No rule of aclnnNamed is known: neither that the call works nor that it fails\."


def test_a_declared_operator_says_neither_yes_nor_no(leveled: Leveled) -> None:
    explanation = leveled.get("aclnnNamed").explain(X)
    assert (explanation.level, explanation.ok) == ("declared", None)
    for verdict in explanation.values():
        assert (verdict.ok, verdict.status, verdict.rule, verdict.violations) == (None, None, None, ())
    assert "\n".join(str(explanation).splitlines()[:2]).startswith(
        "aclnnNamed (conformance: document, level: declared)"
    )
    assert "unknown" in str(explanation)
    assert "不知" in str(leveled.get("aclnnNamed").explain(X, lang="zh"))
    found = explanation.to_dict()
    assert (found["level"], found["ok"]) == ("declared", None)
    assert {(one["ok"], one["status"], one["status_name"]) for one in found["products"].values()} == {(None,) * 3}


def test_an_argument_that_no_parameter_takes_is_refused_all_the_same(leveled: Leveled) -> None:
    explanation = leveled.get("aclnnOutline").explain(X, X, sizes=(2**70,), parts=(), alpha=1.0)
    assert explanation.ok is False
    assert explanation["atlas_a2"].rule == "aclnnOutline.argument"


def test_the_host_refuses_to_answer_for_a_declared_operator(leveled: Leveled) -> None:
    operator, out = leveled.get("aclnnNamed"), np.full(5, 9, np.float32)
    with pytest.raises(AclnnError, match=UNKNOWN) as caught:
        operator(X, out=out)
    assert (caught.value.status, caught.value.status.name) == (200001, "ACL_ERROR_API_NOT_SUPPORT")
    assert operator.get_workspace_size(X, out) == (200001, 0, None)
    assert "while calling aclnnNamedGetWorkspaceSize" in (last_error() or "")
    assert set(out) == {9}


def test_a_checked_operator_is_checked(leveled: Leveled) -> None:
    operator = leveled.get("aclnnHalved")
    explanation = operator.explain(X, 1, product="atlas_a2")
    assert (explanation.level, explanation.ok) == ("checked", True)
    with pytest.raises(AclnnError, match="start is 2; it must be 0 or 1") as caught:
        operator(X, 2, product="atlas_a2")
    assert (caught.value.rule, caught.value.status) == ("aclnnHalved.start-in-range", 161002)
    assert operator.explain(X, 2, product="atlas_a2").ok is False


def test_a_checked_operator_has_no_kernel(leveled: Leveled) -> None:
    operator, out = leveled.get("aclnnHalved"), np.full(2, 9, np.float32)
    for given in (X, Tensor((5,), "float32")):
        with pytest.raises(AclnnError, match=r"passes the checks of aclnnHalved, but .* has no kernel") as caught:
            operator(given, 1, product="atlas_a2", out=out)
        assert (caught.value.status, caught.value.rule) == (Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR, None)
    status, size, executor = operator.get_workspace_size(X, 1, out, product="atlas_a2")
    assert status is Status.ACLNN_SUCCESS
    assert operator.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR
    assert "has no kernel" in (last_error() or "")
    assert set(out) == {9}


def test_a_draft_takes_the_outputs_that_no_rule_gives(leveled: Leveled) -> None:
    operator, sums = leveled.get("aclnnDrafted"), np.full((), 9, np.float32)
    with pytest.raises(AclnnError, match=r"No rule of aclnnDrafted says what its outputs are; give out \(out\)"):
        operator(X, 0, product="atlas_a2")
    with pytest.raises(AclnnError, match="out must not be null") as caught:
        operator(X, 0, product="atlas_a2", out={"copy": X.copy()})
    assert caught.value.status == Status.ACLNN_ERR_PARAM_NULLPTR
    with pytest.raises(AclnnError, match="axis is 1; it must be 0") as caught:
        operator(X, 1, product="atlas_a2", out={"out": sums})
    for given in ({"out": sums}, {"out": sums, "copy": X.copy()}):
        with pytest.raises(AclnnError, match="passes the checks of aclnnDrafted, but"):
            operator(X, 0, product="atlas_a2", out=given)
    assert operator.get_workspace_size(X, 0, sums, X.copy(), product="atlas_a2")[0] is Status.ACLNN_SUCCESS
    assert sums == 9


def test_a_backend_computes_the_outputs_of_a_draft(leveled: Leveled) -> None:
    def kernel(self: np.ndarray, axis: int, out: np.ndarray, copy: np.ndarray, precision: object) -> None:
        out[...] = self.sum(axis)
        copy[...] = self

    register_backend("drafted", lambda operator: kernel)
    found = leveled.get("aclnnDrafted")(X, 0, product="atlas_a2", backend="drafted", out={"out": np.empty((), "f4")})
    assert found.out == 15
    assert found.copy.tolist() == X.tolist()


def test_a_shortcut_needs_no_kernel(leveled: Leveled) -> None:
    operator, empty = leveled.get("aclnnHalved"), np.empty(0, np.float32)
    assert operator(empty, 0, product="atlas_a2").out.shape == (0,)
    status, size, executor = operator.get_workspace_size(empty, 0, empty, product="atlas_a2")
    assert (status, size) == (Status.ACLNN_SUCCESS, 0)
    assert operator.execute(None, 0, executor) is Status.ACLNN_SUCCESS


def test_another_backend_may_have_a_kernel(leveled: Leveled) -> None:
    def kernel(self: np.ndarray, start: int, out: np.ndarray, precision: object) -> None:
        assert precision == {}
        out[...] = self[start::2]

    register_backend("elsewhere", lambda operator: kernel)
    np.testing.assert_array_equal(leveled.get("aclnnHalved")(X, 1, product="atlas_a2", backend="elsewhere").out, [2, 4])
    with pytest.raises(AclnnError, match=UNKNOWN):
        leveled.get("aclnnNamed")(X, out=X.copy(), backend="elsewhere")


def test_a_computed_operator_is_computed(leveled: Leveled) -> None:
    operator = leveled.get("aclnnDoubled")
    np.testing.assert_array_equal(operator(X, product="atlas_a2").out, X + X)
    assert str(operator.explain(X)).splitlines()[0] == "aclnnDoubled (conformance: document, level: computed)"
