"""Calls in one step on the device: one like an earlier one looks at no rule, and any other goes the long way."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, last_error
from aclspec.runtime.npu import Context, DeviceArray, Stream, shutdown
from aclspec.runtime.npu.session import session
from aclspec.runtime.operator import Operator
from aclspec.runtime.plans import UNPLANNED
from tests.npu.test_plans import G, W, X, expected, without_rules
from tests.support.simulated import Simulator

pytestmark = pytest.mark.usefixtures("simulator")


@pytest.fixture
def operator() -> Operator:
    """PReLU's gradient, without plans of anybody."""
    found = ops.get("aclnnPreluBackward")
    found.plans.clear()
    return found


def there(*arrays: Any) -> list[DeviceArray]:
    return [DeviceArray.from_host(array) for array in arrays]


def outputs() -> tuple[DeviceArray, DeviceArray]:
    return DeviceArray(X.shape, X.dtype), DeviceArray(W.shape, W.dtype)


def check(found: Any, g: Any = G, x: Any = X, w: Any = W) -> None:
    grads = [one.to_host() if isinstance(one, DeviceArray) else one for one in found]
    wanted = expected(g, x, w)
    np.testing.assert_array_equal(grads[0], wanted[0])
    np.testing.assert_allclose(grads[1], wanted[1], rtol=1e-6)


def test_a_call_like_an_earlier_one_looks_at_no_rule(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    given, out, on_host = there(G, X, W), outputs(), (np.empty_like(X), np.empty_like(W))
    ways: list[Any] = [
        lambda g: operator(DeviceArray.from_host(g), *given[1:], backend="npu", out=out),
        lambda g: operator(
            DeviceArray.from_host(g), *given[1:], backend="npu", out={"gradInput": out[0], "gradWeight": out[1]}
        ),
        lambda g: operator(DeviceArray.from_host(g), *given[1:], backend="npu", out=[out[0], None]),
        lambda g: operator(DeviceArray.from_host(g), *given[1:], backend="npu"),
        lambda g: operator(DeviceArray.from_host(g), *given[1:], backend="npu", out=on_host),
        lambda g: operator(g, X, W, backend="npu"),
        lambda g: operator(g, X, W, backend="npu", out=on_host),
        lambda g: operator(g, X, W, backend="npu", out=out),
        lambda g: operator(g, given[1], W, backend="npu"),
    ]
    before = [way(G) for way in ways]
    assert len(operator.plans) == len(ways)
    without_rules(operator, monkeypatch)
    for way, first in zip(ways, before, strict=True):
        found = way(3 * G)
        assert type(found) is type(first)
        assert [type(one) for one in found] == [type(one) for one in first]
        check(found, 3 * G)
    assert ways[0](G)[0] is out[0]
    assert ways[4](G)[1] is on_host[1]
    one, other = ways[3](G), ways[3](2 * G)
    check(one)
    check(other, 2 * G)


def test_the_backend_of_the_environment_has_plans_too(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_BACKEND", "npu")
    given, out = there(G, X, W), outputs()
    operator(*given, out=out)
    without_rules(operator, monkeypatch)
    check(operator(*given, out=out))
    monkeypatch.undo()
    with pytest.raises(AclnnError, match="is on the NPU"):
        operator(*given, out=outputs())


def test_what_a_plan_depends_on_makes_another_call(
    operator: Operator, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = there(G, X, W), outputs()
    check(operator(*given, backend="npu", out=out))
    with pytest.raises(AclnnError, match="gradWeight"):
        operator(*given, backend="npu", out=(out[0], DeviceArray((2,), "float32")))
    with pytest.raises(AclnnError):
        operator(*there(G.astype(np.float16)), *given[1:], backend="npu", out=out)
    wide = there(np.vstack([G, G]), np.vstack([X, X]))
    check(operator(*wide, given[2], backend="npu"), np.vstack([G, G]), np.vstack([X, X]))
    turned = there(np.asfortranarray(X))
    check(operator(given[0], *turned, given[2], backend="npu", out=out))
    with pytest.raises(ValueError, match="product"):
        operator(*given, backend="npu", out=out, product="atlas_a3")
    with pytest.raises(ValueError, match="exact"):
        operator(*given, backend="npu", out=out, compute="exact")
    brain = there(*(one.astype("bfloat16") for one in (G, X, W)))
    for _ in range(2):
        operator(*brain, backend="npu")
    simulator.become("atlas_inference")
    with pytest.raises(AclnnError, match="atlas_inference"):
        operator(*brain, backend="npu")
    simulator.become("atlas_a2")
    operator(*brain, backend="npu")
    monkeypatch.setenv("ACLSPEC_NPU_CHECKS", "sometimes")
    with pytest.raises(ValueError, match="sometimes"):
        operator(*given, backend="npu", out=out)


def test_the_conformance_of_the_environment_makes_another_call(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = there(G, X, W), outputs()
    operator(*given, backend="npu", out=out)
    monkeypatch.setenv("ACLSPEC_CONFORMANCE", "strange")
    with pytest.raises(ValueError, match="strange"):
        operator(*given, backend="npu", out=out)


def test_a_freed_array_is_found_out(operator: Operator) -> None:
    given, out = there(G, X, W), outputs()
    operator(*given, backend="npu", out=out)
    given[1].free()
    with pytest.raises(ValueError, match="is freed"):
        operator(*given, backend="npu", out=out)
    again = there(G, X, W)
    out[1].free()
    with pytest.raises(ValueError, match="is freed"):
        operator(*again, backend="npu", out=out)
    check(operator(*again, backend="npu", out=outputs()))


def test_arrays_over_each_other_go_the_long_way(operator: Operator) -> None:
    """An output over an input is computed beside it, two outputs over each other are refused; equal inputs are fine."""
    given = there(G, X, W)
    for _ in range(2):
        check(operator(*given, backend="npu", out=outputs()))
        over = there(G, X, W)
        into = over[1], DeviceArray(W.shape, W.dtype)
        assert operator.plans.call(over, None, None, "npu", into) is UNPLANNED
        check(operator(*over, backend="npu", out=into))
        same = there(X, W)
        check(operator(same[0], *same, backend="npu", out=outputs()), X)
    square = there(*(np.ones(shape, np.float32) for shape in ((1, 1), (1, 1), (1,))))
    memory = DeviceArray((1, 1), "float32")
    operator(*square, backend="npu", out=(memory, DeviceArray((1,), "float32")))
    with pytest.raises(AclnnError, match="overlaps"):
        operator(*square, backend="npu", out=(memory, memory.view((1,))))
    host = [np.empty_like(X), np.empty_like(W)]
    check(operator(*given, backend="npu", out=tuple(host)))
    together = np.empty(7, np.float32)
    with pytest.raises(AclnnError, match="overlaps"):
        operator(*given, backend="npu", out=(together[:6].reshape(2, 3), together[4:]))


@pytest.mark.parametrize(
    ("function", "on_device"),
    [
        *((function, True) for function in ("aclrtGetSocName", "aclrtMalloc", "aclnnPreluBackward")),
        *((function, False) for function in ("aclrtMemcpy", "aclnnPreluBackward", "aclrtSynchronizeStream")),
    ],
)
def test_a_failure_leaves_no_executor_and_the_next_call_goes_well(
    operator: Operator, monkeypatch: pytest.MonkeyPatch, function: str, on_device: bool
) -> None:
    given = there(G, X, W) if on_device else [G, X, W]

    def calls(number: int) -> None:
        for _ in range(number):
            check(operator(*given, backend="npu"))

    calls(1)
    for number in (1, 2):
        monkeypatch.setenv("ACLSPEC_FAULT", f"{function}:{number}")
        with pytest.raises(AclnnError, match=function):
            calls(number)
        assert function in str(last_error())
        monkeypatch.delenv("ACLSPEC_FAULT")
        calls(2)


def test_in_a_stream_nobody_waits(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    given, out = there(G, X, W), outputs()
    with Stream() as stream:
        operator(*given, backend="npu", out=out)
        with monkeypatch.context() as patch:
            without_rules(operator, patch)
            operator(*given, backend="npu", out=out)
        assert not stream.is_idle
        further = operator(out[0], given[1], given[2], backend="npu")
    check(out)
    check(further, expected(G, X, W)[0])
    stream.synchronize()
    other = Stream()
    with stream:
        operator(*given, backend="npu", out=out)
    with other:
        operator(*given, backend="npu", out=out)
        more = operator(out[0], given[1], given[2], backend="npu")
    check(more, expected(G, X, W)[0])


def test_in_a_context_and_after_the_end_of_the_session(operator: Operator) -> None:
    given, out = there(G, X, W), outputs()
    operator(*given, backend="npu", out=out)
    with Context():
        inside, to = there(G, X, W), outputs()
        for _ in range(2):
            check(operator(*inside, backend="npu", out=to))
    check(operator(*given, backend="npu", out=out))
    shutdown()
    with pytest.raises(ValueError, match="is freed"):
        operator(*given, backend="npu", out=out)
    check(operator(*there(G, X, W), backend="npu", out=outputs()))
    assert session().is_open


def test_threads_share_plans_and_not_executors(operator: Operator) -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        out = outputs()
        weight = DeviceArray.from_host(W)
        for turn in range(60):
            g, x = (random.standard_normal((2, 3)).astype(np.float32) for _ in "gx")
            given = [*there(g, x), weight] if turn % 3 else [g, x, W]
            found = operator(*given, backend="npu", out=out if turn % 2 else None)
            grad = found[0].to_host() if isinstance(found[0], DeviceArray) else found[0]
            if not np.array_equal(grad, expected(g, x, W)[0]):
                wrong.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_outputs_that_are_switched_off_stay_none() -> None:
    """And attributes make another call."""
    operator = ops.get("aclnnConvolutionBackward")
    operator.plans.clear()
    random = np.random.default_rng(0)
    x, w, g = (random.integers(-3, 4, shape).astype(np.float32) for shape in ((1, 2, 4, 4), (3, 2, 1, 1), (1, 3, 4, 4)))
    rest = [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1
    for mask in ([True, False, True], [True, True, False], [True, False, True], [True, True, False]):
        found = operator(*there(g, x, w), *rest, mask, 0, backend="npu")
        assert [one is not None for one in found] == mask
        np.testing.assert_array_equal(found[0].to_host(), np.einsum("nohw,oi->nihw", g, w[:, :, 0, 0]))
    assert len(operator.plans) == 2
