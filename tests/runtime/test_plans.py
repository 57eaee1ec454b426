"""A call like an earlier one goes by its plan, and nobody can tell but by the clock."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError
from aclspec.runtime.operator import Operator
from aclspec.runtime.plans import MOST
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


def outputs_of(g: Any, x: Any, w: Any) -> tuple[Any, Any]:
    """The gradients, in plain NumPy and float64."""
    below = np.minimum(x.astype(np.float64), 0)
    return np.where(x > 0, g, w * g), (below * g).sum(axis=0)


def blank(x: Any, w: Any) -> tuple[Any, Any]:
    """Outputs that hold nothing that a call computes."""
    return np.full_like(x, np.nan), np.full_like(w, np.nan)


def test_a_planned_call_writes_where_the_caller_says(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    g, x, w = arrays()
    for made in (tuple, list, lambda both: {"gradInput": both[0], "grad_weight": both[1]}):
        operator(g, x, w, out=made(blank(x, w)))
    other = operator(g, x, w, out={"grad_weight": w.copy()})
    assert len(operator.plans) == 3  # a tuple and a list are alike
    with monkeypatch.context() as patch:
        for name in ("check", "infer", "precision"):
            patch.setattr(operator, name, None)
        for seed in (1, 2):
            g, x, w = arrays(seed=seed)
            expected = outputs_of(g, x, w)
            first, second = blank(x, w)
            for out in ((first, second), {"gradInput": first, "grad_weight": second}):
                found = operator(g, x, w, out=out)
                assert (found.grad_input is first, found.grad_weight is second) == (True, True)
                np.testing.assert_array_equal(first, expected[0])
                np.testing.assert_allclose(second, expected[1], rtol=1e-6)
            found = operator(g, x, w, out={"grad_weight": second})
            np.testing.assert_array_equal(found.grad_input, expected[0])
            assert found.grad_weight is second
            assert type(found) is type(other)


def test_the_name_decides_and_not_the_order(operator: Operator) -> None:
    g, x, w = arrays((2, 2))
    w = np.ones((2, 2), np.float32)[0]
    square = [np.empty((2, 2), np.float32) for _ in range(2)]
    for _ in range(2):
        operator(g, x, w, out={"grad_input": square[0]})
        operator(g, x, w, out={"gradInput": square[1]})
        with pytest.raises(AclnnError, match="gradWeight"):
            operator(g, x, w, out={"gradWeight": square[1]})
        with pytest.raises(TypeError, match="gradWate"):
            operator(g, x, w, out={"gradWate": square[1]})
        with pytest.raises(TypeError, match="number of arrays"):
            operator(g, x, w, out=(square[0],))
        np.testing.assert_array_equal(square[0], square[1])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a: a.astype(np.float16),
        lambda a: a.astype(a.dtype.newbyteorder()),
        lambda a: a[:-1],
        lambda a: np.lib.stride_tricks.as_strided(a, a.shape, (0,) * a.ndim),
        lambda a: a.view() if a.setflags(write=False) is None else a,
        lambda a: a.tolist(),
    ],
    ids=["dtype", "byte order", "shape", "strides", "read-only", "list"],
)
def test_a_bad_output_is_refused_after_a_plan_and_nothing_is_written(operator: Operator, spoil: Any) -> None:
    g, x, w = arrays()
    operator(g, x, w, out=blank(x, w))
    for at in (0, 1):
        out = [np.full_like(x, 7), np.full_like(w, 7)]
        out[at] = spoil(out[at])
        with pytest.raises((AclnnError, TypeError)):
            operator(g, x, w, out=tuple(out))
        np.testing.assert_array_equal(out[1 - at], 7)
        np.testing.assert_array_equal(np.array(out[at]), 7)


def test_outputs_over_inputs_and_over_each_other_are_seen_after_a_plan(operator: Operator) -> None:
    g, x, w = arrays((3, 3))
    expected = outputs_of(g, x, w)
    operator(g, x, w, out=blank(x, w))
    arena = np.zeros(30, np.float32)
    apart, weight = arena[:9].reshape(3, 3), arena[9:12]
    operator(g, x, w, out=(apart, weight))
    np.testing.assert_array_equal(apart, expected[0])
    np.testing.assert_allclose(weight, expected[1], rtol=1e-6)
    with pytest.raises(AclnnError, match="overlaps"):
        operator(g, x, w, out=(apart, arena[8:11]))
    for at in (0, 1):  # over the gradient, and over the input, which the sums read after it
        own = [g.copy(), x.copy()]
        operator(*own, w, out=(own[at], weight))
        np.testing.assert_array_equal(own[at], expected[0])
        np.testing.assert_allclose(weight, expected[1], rtol=1e-6)
    shifted = np.zeros(12, np.float32)
    shifted[:9] = x.ravel()
    operator(g, shifted[:9].reshape(3, 3), w, out=(shifted[3:].reshape(3, 3), weight))
    np.testing.assert_array_equal(shifted[3:].reshape(3, 3), expected[0])


def test_attributes_count_with_their_types() -> None:
    operator = ops.get("aclnnAvgPool2dBackward")
    operator.plans.clear()
    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)
    g = np.ones((1, 2, 2, 2), np.float32)
    plain = operator(g, x, [2, 2], [2, 2], [0, 0], False, True, 0, 0)
    for kernel in ((2, 2), [np.int64(2)] * 2, np.array([2, 2])):
        found = operator(g, x, kernel, [2, 2], [0, 0], False, True, 0, 0)
        np.testing.assert_array_equal(found.grad_input, plain.grad_input)
    halved = operator(g, x, [2, 2], [2, 2], [0, 0], False, True, 8, 0)
    np.testing.assert_array_equal(halved.grad_input * 2, plain.grad_input)
    for wrong in ([2.0, 2.0], [True, True], b"\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", np.array([2, 0, 2, 0], np.int32)):
        with pytest.raises((TypeError, AclnnError)):
            operator(g, x, wrong, [2, 2], [0, 0], False, True, 0, 0)
    with pytest.raises(TypeError, match="ceilMode"):
        operator(g, x, [2, 2], [2, 2], [0, 0], 0, True, 0, 0)


def test_without_memory_a_planned_call_goes_the_long_way(operator: Operator) -> None:
    g, x, w = arrays()
    expected = operator(g, x, w)
    (plan,) = operator.plans._by_key.values()

    def fail(_: Any) -> None:
        raise MemoryError

    plan._run = fail
    np.testing.assert_array_equal(operator(g, x, w).grad_input, expected.grad_input)


def test_a_repeatable_executor_runs_again_with_no_lookup(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    g, x, w = arrays()
    for _ in range(2):
        out = blank(x, w)
        _, size, executor = operator.get_workspace_size(g, x, w, *out)
    assert executor is not None
    assert executor.set_repeatable() == Status.ACLNN_SUCCESS
    operator.plans.clear()
    for name in ("check", "infer", "precision", "kernel_for"):
        monkeypatch.setattr(operator, name, None)
    workspace = np.empty(size, np.uint8)
    for factor in (1, 3):
        g *= factor
        assert operator.execute(workspace, size, executor) == Status.ACLNN_SUCCESS
        np.testing.assert_array_equal(out[0], outputs_of(g, x, w)[0])
    assert operator.execute(workspace[:-1], size, executor) == Status.ACLNN_ERR_PARAM_INVALID
    assert executor.destroy() == Status.ACLNN_SUCCESS
    assert operator.execute(workspace, size, executor) == Status.ACLNN_ERR_PARAM_INVALID
