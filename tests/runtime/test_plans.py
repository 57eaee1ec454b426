"""A call like an earlier one goes by its plan, and nobody can tell but by the clock."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError
from aclspec.runtime.operator import Operator
from aclspec.runtime.plan import MOST
from aclspec.runtime.status import Status


@pytest.fixture
def operator() -> Operator:
    """PReLU's gradient with no plans."""
    found = ops.get("aclnnPreluBackward")
    found.plans.clear()
    return found


def arrays(shape: tuple[int, ...] = (4, 2), seed: int = 0) -> tuple[Any, Any, Any]:
    """A gradient, an input and a weight."""
    random = np.random.default_rng(seed)
    return tuple(random.standard_normal(size).astype(np.float32) for size in (shape, shape, shape[1:2]))  # type: ignore[return-value]


def test_a_planned_call_computes_anew(operator: Operator) -> None:
    g, x, w = arrays()
    first = operator(g, x, w)
    again = operator(2 * g, x, w)
    assert len(operator.plans) == 1
    np.testing.assert_array_equal(again.grad_input, 2 * first.grad_input)
    np.testing.assert_array_equal(operator(g, x, w).grad_weight, first.grad_weight)
    assert again.grad_input is not operator(2 * g, x, w).grad_input


def test_a_planned_call_looks_at_no_rule(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    g, x, w = arrays()
    expected = operator(g, x, w)
    out = [np.empty_like(x), np.empty_like(w)]
    assert operator.get_workspace_size(g, x, w, *out)[0] == 0

    def refuse(*_: Any) -> Any:
        raise AssertionError("a rule was asked")

    for name in ("check", "infer", "precision"):
        monkeypatch.setattr(operator, name, refuse)
    np.testing.assert_array_equal(operator(g, x, w).grad_input, expected.grad_input)
    status, size, executor = operator.get_workspace_size(g, x, w, *out)
    assert status == Status.ACLNN_SUCCESS
    assert operator.execute(np.empty(size, np.uint8), size, executor) == Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(out[0], expected.grad_input)
    np.testing.assert_array_equal(out[1], expected.grad_weight)


def test_everything_that_a_plan_depends_on_is_in_its_key(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    g, x, w = arrays()
    operator(g, x, w)
    monkeypatch.setenv("ACLSPEC_PRODUCT", "atlas_inference")
    with pytest.raises(AclnnError, match="product"):
        operator(g, x, w)
    assert operator(g, x, w, product="atlas_a2").grad_input.shape == x.shape
    monkeypatch.delenv("ACLSPEC_PRODUCT")
    with pytest.raises(AclnnError):
        operator(g, x, np.ones(3, np.float32))
    with pytest.raises(AclnnError):
        operator(g.astype(np.float64), x, w)
    with pytest.raises(AclnnError, match="byte order"):
        operator(g.astype(">f4"), x, w)
    np.testing.assert_array_equal(operator(g.T.copy().T, x, w).grad_input, operator(g, x, w).grad_input)
    with pytest.raises(ValueError, match="product"):
        operator(g, x, w, product="atlas_a9")
    with pytest.raises(TypeError):
        operator(g, x, w, product=["atlas_a2"])  # type: ignore[arg-type]


def test_true_is_not_taken_for_one() -> None:
    operator = ops.get("aclnnBatchNormReduceBackward")
    g, x, w = arrays()
    given = (g, x, w, w, w)
    operator(*given, True, True, True)
    with pytest.raises(TypeError, match="inputG"):
        operator(*given, 1, True, True)
    without = operator(*given, False, True, True)
    assert without.sum_dy is None


def test_plans_are_bounded(operator: Operator) -> None:
    for size in range(1, MOST + 40):
        operator(*arrays((size, 1)))
    assert len(operator.plans) == MOST
    g, x, w = arrays((1, 1))
    assert operator(g, x, w).grad_input.shape == (1, 1)


def test_outputs_that_share_memory_are_refused_after_a_plan(operator: Operator) -> None:
    g, x, w = arrays((2, 2))
    out, other = np.empty((2, 2), np.float32), np.empty(2, np.float32)
    assert operator.get_workspace_size(g, x, w, out, other)[0] == Status.ACLNN_SUCCESS
    assert operator.get_workspace_size(g, x, w, out, out[0])[0] == Status.ACLNN_ERR_PARAM_INVALID
    read_only = np.empty(2, np.float32)
    read_only.flags.writeable = False
    assert operator.get_workspace_size(g, x, w, out, read_only)[0] == Status.ACLNN_ERR_PARAM_INVALID


def test_an_output_over_an_input_is_written_at_the_end(operator: Operator) -> None:
    g, x, w = arrays((3, 2))
    expected = operator(g, x, w)
    for over in (x.copy(), x.copy()):
        weight = np.empty(2, np.float32)
        status, size, executor = operator.get_workspace_size(g, over, w, over, weight)
        assert status == Status.ACLNN_SUCCESS
        assert operator.execute(np.empty(size, np.uint8), size, executor) == Status.ACLNN_SUCCESS
        np.testing.assert_array_equal(over, expected.grad_input)
        np.testing.assert_array_equal(weight, expected.grad_weight)


def test_an_array_that_changes_between_the_phases_is_a_status(operator: Operator) -> None:
    g, x, w = arrays((4, 2))
    for _ in range(2):  # the second time by a plan
        out, weight = np.zeros((4, 2), np.float32), np.zeros(2, np.float32)
        _, size, executor = operator.get_workspace_size(g, x, w, out, weight)
        out.shape = (8,)
        status = operator.execute(np.empty(size, np.uint8), size, executor)
        assert status != Status.ACLNN_SUCCESS
        assert not out.any()


def test_threads_share_plans(operator: Operator) -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        for turn in range(200):
            g, x, w = arrays((turn % 7 + 1, 3), seed)
            found = operator(g, x, w)
            expected = np.where(x > 0, g, w * g)
            if not np.array_equal(found.grad_input, expected):
                wrong.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
