"""Two phases like earlier ones take their executor and look at no rule; the simulator's own calls likewise."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Status, last_error
from aclspec.runtime.npu import DeviceArray
from aclspec.runtime.operator import Operator
from aclspec.runtime.simulator import plans as simulated
from tests.support.simulated import Simulator

pytestmark = pytest.mark.usefixtures("simulator")
G = np.array([[1.0, -2, 3], [-4, 5, -6]], np.float32)
X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5, 0.25, 2], np.float32)


@pytest.fixture
def operator() -> Operator:
    """PReLU's gradient, without plans of anybody."""
    simulated._plans.clear()
    found = ops.get("aclnnPreluBackward")
    found.plans.clear()
    return found


def expected(g: Any, x: Any, w: Any) -> tuple[Any, Any]:
    return np.where(x > 0, g, w * g), (np.minimum(x, 0).astype(np.float64) * g).sum(axis=0)


def on_device(g: Any = G, x: Any = X, w: Any = W) -> list[Any]:
    """Inputs with their values, and outputs with none."""
    return [*map(DeviceArray.from_host, (g, x, w)), DeviceArray(x.shape, x.dtype), DeviceArray(w.shape, w.dtype)]


def two_phases(operator: Operator, arguments: list[Any], **options: Any) -> Status:
    """The status of the phase that fails, or of the second."""
    status, size, executor = operator.get_workspace_size(*arguments, backend="npu", **options)
    return operator.execute(np.empty(size, np.uint8), size, executor) if status == 0 else status


def check(arguments: list[Any], g: Any = G, x: Any = X, w: Any = W) -> None:
    found = [one.to_host() if isinstance(one, DeviceArray) else one for one in arguments[3:]]
    wanted = expected(g, x, w)
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-6)


def without_rules(operator: Operator, patch: pytest.MonkeyPatch) -> None:
    """From now on nobody can ask a rule: neither the bridge nor the simulator, which computes in this process."""
    for name in ("check", "infer", "precision", "kernel_for", "converters"):
        patch.setattr(operator, name, None)


def test_the_second_call_looks_at_no_rule(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    first = on_device()
    assert two_phases(operator, first) == 0
    host = [G, X, W, np.empty_like(X), np.empty_like(W)]
    assert two_phases(operator, host) == 0
    assert len(operator.plans) == 2
    without_rules(operator, monkeypatch)
    first[0].assign(3 * G)
    assert two_phases(operator, first) == 0
    check(first, 3 * G)
    host = [2 * G, -X, W, np.empty_like(X), np.empty_like(W)]
    assert two_phases(operator, host) == 0
    check(host, 2 * G, -X)
    # other memory of the device: the simulator computes by the plan of the call
    other = on_device(-G, -X)
    assert two_phases(operator, other) == 0
    check(other, -G, -X)


def test_whatever_a_plan_depends_on_makes_another_call(
    operator: Operator, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert two_phases(operator, on_device()) == 0
    short = on_device()
    short[4] = DeviceArray((2,), "float32")
    assert two_phases(operator, short) == Status.ACLNN_ERR_PARAM_INVALID
    half = [DeviceArray.from_host(one.astype(np.float16)) for one in (G, X, W, X, W)]
    assert two_phases(operator, half) == 0
    np.testing.assert_array_equal(half[3].to_host(), expected(G, X, W)[0].astype(np.float16))
    mixed = on_device()
    mixed[0] = half[0]
    assert two_phases(operator, mixed) == Status.ACLNN_ERR_PARAM_INVALID
    turned = on_device()
    turned[1] = DeviceArray.from_host(np.asfortranarray(X))
    assert two_phases(operator, turned) == 0
    check(turned)
    with pytest.raises(ValueError, match="product"):
        two_phases(operator, on_device(), product="atlas_a3")
    brain = [DeviceArray.from_host(one.astype("bfloat16")) for one in (G, X, W, X, W)]
    assert two_phases(operator, brain) == 0
    simulator.become("atlas_inference")
    assert two_phases(operator, brain) == Status.ACLNN_ERR_PARAM_INVALID
    assert "atlas_inference" in str(last_error())
    simulator.become("atlas_a2")
    assert two_phases(operator, brain) == 0
    monkeypatch.setenv("ACLSPEC_PRODUCT", "atlas_training")
    with pytest.raises(ValueError, match="ACLSPEC_PRODUCT"):
        two_phases(operator, brain)


def test_attributes_make_another_call() -> None:
    operator = ops.get("aclnnAvgPool2dBackward")
    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)
    g = np.ones((1, 2, 2, 2), np.float32)
    for override in (0, 8, 0, 2, 8):
        out = np.empty_like(x)
        assert two_phases(operator, [g, x, [2, 2], [2, 2], [0, 0], False, True, override, 0, out]) == 0
        np.testing.assert_array_equal(out, 1 / (override or 4))
    with pytest.raises(TypeError, match="ceilMode"):
        two_phases(operator, [g, x, [2, 2], [2, 2], [0, 0], 0, True, 0, 0, out])


def test_freed_arrays_and_outputs_over_each_other_are_refused_after_a_plan(operator: Operator) -> None:
    assert two_phases(operator, on_device()) == 0
    gone = on_device()
    gone[1].free()
    with pytest.raises(ValueError, match="is freed"):
        two_phases(operator, gone)
    given = on_device()
    status, size, executor = operator.get_workspace_size(*given, backend="npu")
    assert status == 0
    given[0].free()
    with pytest.raises(ValueError, match="is freed"):
        operator.execute(np.empty(size, np.uint8), size, executor)
    square = np.ones((1, 1), np.float32)
    memory = DeviceArray((1, 1), "float32")
    alike = [*map(DeviceArray.from_host, (square, square, square[0]))]
    assert two_phases(operator, [*alike, memory, DeviceArray((1,), "float32")]) == 0
    assert two_phases(operator, [*alike, memory, memory.view((1,))]) == Status.ACLNN_ERR_PARAM_INVALID
    host = np.ones(7, np.float32)
    assert two_phases(operator, [G, X, W, np.empty_like(X), host[:3]]) == 0
    assert two_phases(operator, [G, X, W, host[:6].reshape(2, 3), host[4:]]) == Status.ACLNN_ERR_PARAM_INVALID
    read_only = W.copy()
    read_only.flags.writeable = False
    assert two_phases(operator, [G, X, W, np.empty_like(X), read_only]) == Status.ACLNN_ERR_PARAM_INVALID


def test_an_array_that_is_resized_between_the_phases_is_refused(operator: Operator) -> None:
    assert two_phases(operator, [G, X, W, np.empty_like(X), np.empty_like(W)]) == 0
    for at in (0, 3):
        given = [G.copy(), X, W, np.full_like(X, 7), np.empty_like(W)]
        status, size, executor = operator.get_workspace_size(*given, backend="npu")
        assert status == 0
        given[at].resize((1, 1), refcheck=False)
        assert operator.execute(np.empty(size, np.uint8), size, executor) == Status.ACLNN_ERR_PARAM_INVALID
        assert "The shape of an array ([1, 1]) is not the one that phase one saw ([2, 3])" in str(last_error())
        assert given[3].ravel()[0] == 7
    again = [G, X, W, np.empty_like(X), np.empty_like(W)]
    assert two_phases(operator, again) == 0
    check(again)


def test_an_output_over_an_input_is_written_at_the_end(operator: Operator) -> None:
    """In the library too, which sees addresses only."""
    for _ in range(2):
        for at in (0, 1):
            arguments = on_device()
            arguments[3] = arguments[at]
            assert two_phases(operator, arguments) == 0
            check(arguments)


def test_plans_are_bounded(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aclspec.runtime.plans.MOST", 3)
    monkeypatch.setattr(simulated, "MOST", 3)
    for size in (*range(1, 7), 6, 1):
        x = np.ones((size, 3), np.float32)
        arguments = on_device(x, x)
        assert two_phases(operator, arguments) == 0
        check(arguments, x, x)
    assert len(operator.plans) == len(simulated._plans) == 3


def test_a_failure_leaves_the_plan_and_not_the_executor(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = on_device()
    assert two_phases(operator, arguments) == 0
    for function in ("aclnnPreluBackward", "aclrtSynchronizeStream"):
        monkeypatch.setenv("ACLSPEC_FAULT", f"{function}:1")
        assert two_phases(operator, arguments) != 0
        monkeypatch.delenv("ACLSPEC_FAULT")
        arguments[0].assign(5 * G)
        assert two_phases(operator, arguments) == 0
        check(arguments, 5 * G)


def test_threads_share_plans_and_not_executors(operator: Operator) -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        kept = on_device()
        for turn in range(60):
            g, x = (random.standard_normal((2, 3)).astype(np.float32) for _ in "gx")
            arguments = on_device(g, x) if turn % 3 == 0 else kept
            if arguments is kept:
                kept[0].assign(g)
                kept[1].assign(x)
            status = two_phases(operator, arguments)
            if status != 0 or not np.array_equal(arguments[3].to_host(), expected(g, x, W)[0]):
                wrong.append((seed, turn, status))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
