"""Arrays that stay on the device, and the streams that calls on them go to."""

from __future__ import annotations

import copy
import gc
import math
import pickle

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.npu import DeviceArray, Event, Stream, shutdown
from aclspec.runtime.npu.session import session

X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5], np.float32)
EXPECTED = np.where(X > 0, X, X * 0.5).astype(np.float32)
pytestmark = pytest.mark.usefixtures("simulator")


def prelu(x: object, weight: object, **options: object) -> DeviceArray:
    found = ops.prelu(x, weight, backend="npu", **options).out  # type: ignore[arg-type]
    assert isinstance(found, DeviceArray)
    return found


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "bool", "complex64"])
def test_there_and_back(dtype: str) -> None:
    from aclspec.runtime.abi.dtypes import DType

    values = np.arange(24).reshape(2, 3, 4).astype(DType.parse(dtype).numpy)
    for given in (values, values.transpose(2, 0, 1), values[:, ::2], values[..., 1:3], values[0, 0, 0]):
        found = DeviceArray.from_host(given)
        assert (found.shape, found.dtype) == (given.shape, DType.parse(dtype))
        assert found.strides == tuple(step // values.itemsize for step in given.strides)
        back = found.to_host()
        assert back.dtype == given.dtype
        np.testing.assert_array_equal(back, given)


def test_empty_arrays_need_no_memory() -> None:
    found = DeviceArray.from_host(np.empty((0, 3), np.float32))
    assert found.memory is None
    assert found.to_host().shape == (0, 3)
    found.free()


def test_arrays_that_no_device_holds() -> None:
    for shape in ((2**40, 2**10), (2**62, 4), (2**62 + 1, 16)):  # the last two wrap around in a size_t
        with pytest.raises(AclnnError, match=rf"allocation of {math.prod(shape) * 4} bytes on the device") as caught:
            DeviceArray(shape, "float32")
        assert caught.value.status == 207001
    with pytest.raises(ValueError, match=r"The shape of the array \(float32\[-1,2\]\) has a negative dimension"):
        DeviceArray((-1, 2), "float32").to_host()


def test_results_stay_on_the_device() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    first = prelu(x, weight)
    second = prelu(first, W)
    np.testing.assert_array_equal(first.to_host(), EXPECTED)
    np.testing.assert_array_equal(second.to_host(), np.where(EXPECTED > 0, EXPECTED, EXPECTED * 0.5))
    np.testing.assert_array_equal(x.to_host(), X)


def test_views_share_memory_and_are_passed_as_strides() -> None:
    base = DeviceArray.from_host(np.arange(12, dtype=np.float32) - 6)
    matrix = base.view((3, 4))
    columns = base.view((4, 3), strides=(1, 4))
    odd = base.view((2, 2), strides=(4, 2), offset=1)
    host = (np.arange(12, dtype=np.float32) - 6).reshape(3, 4)
    for view, values in ((matrix, host), (columns, host.T), (odd, host[:2, 1::2])):
        assert view.memory is base.memory
        np.testing.assert_array_equal(view.to_host(), values)
        np.testing.assert_array_equal(prelu(view, W).to_host(), np.where(values > 0, values, values * 0.5))
    with pytest.raises(ValueError, match="leaves its storage"):
        base.view((4, 4))


def test_assign_writes_the_elements_and_nothing_between() -> None:
    base = DeviceArray.from_host(np.zeros(6, np.float32))
    base.view((3,), strides=(2,)).assign(np.array([1, 2, 3], np.float32))
    np.testing.assert_array_equal(base.to_host(), [1, 0, 2, 0, 3, 0])
    with pytest.raises(ValueError, match="are not of the shape and dtype"):
        base.assign(np.zeros(5, np.float32))


def test_out_in_place_and_beside() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    out = DeviceArray(X.shape, "float32")
    assert prelu(x, weight, out=out) is out
    np.testing.assert_array_equal(out.to_host(), EXPECTED)
    assert prelu(x, weight, out=x) is x
    np.testing.assert_array_equal(x.to_host(), EXPECTED)


def test_out_that_overlaps_an_input_is_as_on_numpy() -> None:
    values = (np.arange(8, dtype=np.float32) - 4).copy()
    expected = values.copy()
    ops.prelu(expected[:6].reshape(2, 3), W, out=expected[1:7].reshape(2, 3))
    base = DeviceArray.from_host(values)
    prelu(base.view((2, 3)), W, out=base.view((2, 3), offset=1))
    np.testing.assert_array_equal(base.to_host(), expected)


def test_outputs_that_overlap_are_refused() -> None:
    memory = DeviceArray.from_host(np.zeros(20, np.float32))
    grad, self, weight = (DeviceArray.from_host(one) for one in (X, X, W))
    views = memory.view((2, 3)), memory.view((1,), offset=5)
    with pytest.raises(AclnnError, match="The memory of the output gradWeight overlaps that of the output gradInput"):
        ops.prelu_backward(grad, self, weight, backend="npu", out=views)
    apart = memory.view((2, 3), strides=(6, 2)), memory.view((1,), offset=1)
    found = ops.prelu_backward(grad, self, weight, backend="npu", out=apart)
    np.testing.assert_array_equal(found.grad_weight.to_host(), ops.prelu_backward(X, X, W).grad_weight)


def test_arrays_of_host_and_device_together() -> None:
    found = ops.prelu(DeviceArray.from_host(X), W, backend="npu", out=np.empty_like(X)).out
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, EXPECTED)
    found = ops.prelu(X, W, backend="npu", out=DeviceArray(X.shape, "float32")).out
    assert isinstance(found, DeviceArray)
    np.testing.assert_array_equal(found.to_host(), EXPECTED)


def test_other_backends_say_where_the_values_are() -> None:
    x = DeviceArray.from_host(X)
    with pytest.raises(AclnnError, match=r"The tensor self .* is on the NPU, and the call computes on the CPU"):
        ops.prelu(x, W)
    with pytest.raises(ValueError, match=r"are on the NPU; give its to_host\(\)"):
        np.asarray(x)
    assert ops.get("prelu").explain(x, W, out=x, product="atlas_a2").ok
    for action in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            action(x)


def test_a_freed_array_is_not_used() -> None:
    x = DeviceArray.from_host(X)
    view = x.view((3, 2))
    x.free()
    x.free()
    assert view.is_freed
    assert repr(x).endswith(", freed>")
    for action in (x.to_host, lambda: prelu(view, W), lambda: view.assign(X.reshape(3, 2)), view.copy):
        with pytest.raises(ValueError, match=r"\(float32.*\) on the NPU is freed"):
            action()
    with DeviceArray.from_host(X) as inside:
        assert not inside.is_freed
    assert inside.is_freed


def test_what_nobody_refers_to_is_freed() -> None:
    owner = session()
    gc.collect()
    before = len(owner.resources)
    x = DeviceArray.from_host(X)
    assert len(owner.resources) == before + 1
    del x
    assert len(owner.resources) == before
    loop = [DeviceArray.from_host(X)]
    loop.append(loop)  # type: ignore[arg-type]
    del loop
    gc.collect()
    assert len(owner.resources) == before


def test_the_end_of_the_session_frees_everything() -> None:
    x, stream, event = DeviceArray.from_host(X), Stream(), Event()
    _, _, executor = ops.get("prelu").get_workspace_size(X, W, X.copy(), backend="npu")
    shutdown()
    assert x.is_freed
    assert not stream.is_alive
    assert not event.is_alive
    assert executor is not None
    assert not executor.is_alive
    with pytest.raises(ValueError, match="The stream is freed"), stream:
        pass
    np.testing.assert_array_equal(ops.prelu(X, W, backend="npu").out, EXPECTED)


def test_calls_in_the_block_of_a_stream_go_there() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    with Stream() as one, Stream() as other:
        second = prelu(x, weight)
        assert not other.is_idle
        assert one.is_idle
    with one:
        third = prelu(second, weight)  # which waits for the other stream, and not this thread
        assert not one.is_idle
    assert not other.is_idle
    twice = np.where(EXPECTED > 0, EXPECTED, EXPECTED * 0.5)
    np.testing.assert_array_equal(third.to_host(), twice)
    assert one.is_idle
    other.synchronize()
    assert other.is_idle
    second.free()
    other.close()
    assert not other.is_alive


def test_a_call_with_an_array_of_the_host_waits() -> None:
    with Stream() as stream:
        prelu(DeviceArray.from_host(X), W)
        assert stream.is_idle


def test_events_measure_time() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    begin, end = Event(), Event()
    with Stream() as stream:
        begin.record(stream)
        prelu(x, weight)
        end.record(stream)
    end.synchronize()
    assert end.milliseconds_since(begin) >= 0
    stream.close()
    with pytest.raises(ValueError, match="The stream is freed"):
        begin.record(stream)


def test_a_tensor_with_a_layout_of_its_own() -> None:
    storage = np.arange(24, dtype=np.float32) - 12
    tensor = Tensor((2, 3), "float32", "ND", strides=(6, 2), offset=3, data=storage)
    found = DeviceArray.from_host(tensor)
    assert (found.strides, found.offset, found.storage_shape) == ((6, 2), 3, (24,))
    np.testing.assert_array_equal(found.to_host(), tensor.array)
    np.testing.assert_array_equal(
        prelu(found, W).to_host(), np.where(tensor.array > 0, tensor.array, tensor.array * 0.5)
    )


def test_a_stream_frees_the_launches_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their handles and workspaces wait for the stream, those of MAX_PENDING launches at most."""
    monkeypatch.setattr("aclspec.runtime.npu.streams.MAX_PENDING", 3)
    x, weight, out = DeviceArray.from_host(X), DeviceArray.from_host(W), DeviceArray(X.shape, "float32")
    owner = session()
    with Stream() as stream:
        before = len(owner.resources)
        for _ in range(3):
            prelu(x, weight, out=out)
        assert not stream.is_idle
        assert len(owner.resources) > before
        prelu(x, weight, out=out)
        assert stream.is_idle
    gc.collect()
    assert len(owner.resources) == before
    np.testing.assert_array_equal(out.to_host(), EXPECTED)


def test_a_freed_array_waits_for_its_stream() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    with Stream() as stream:
        out = prelu(x, weight)
    assert not stream.is_idle
    x.free()
    assert stream.is_idle
    np.testing.assert_array_equal(out.to_host(), EXPECTED)
