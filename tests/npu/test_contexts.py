"""Contexts of a program's own: each has its streams, and arrays are at home in all of them."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError
from aclspec.runtime.npu import Context, DeviceArray, Event, Stream, shutdown
from aclspec.runtime.npu.session import session
from aclspec.runtime.npu.streams import default_stream

X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5], np.float32)
EXPECTED = np.where(X > 0, X, X * 0.5).astype(np.float32)
pytestmark = pytest.mark.usefixtures("simulator")


def current() -> int | None:
    """The context that the library says this thread is in."""
    context = ctypes.c_void_p()
    owner = session()
    owner.check("aclrtGetCurrentContext", owner.libraries.aclrtGetCurrentContext(ctypes.byref(context)))
    return context.value


def prelu(x: object, weight: object = W) -> DeviceArray:
    found = ops.prelu(x, weight, backend="npu").out  # type: ignore[arg-type]
    assert isinstance(found, DeviceArray)
    return found


def test_a_thread_is_in_the_context_of_its_block() -> None:
    own = current()
    one, other = Context(), Context()
    assert current() == own  # making one changes nothing
    with one:
        assert current() == one.handle
        with other:
            assert current() == other.handle
        assert current() == one.handle
        elsewhere: list[int | None] = []
        thread = threading.Thread(target=lambda: elsewhere.append(current()))
        thread.start()
        thread.join()
        assert elsewhere == [own]
    assert current() == own
    assert one.device == 0
    assert len({own, one.handle, other.handle}) == 3


def test_calls_in_one_step_and_in_two() -> None:
    with Context() as context:
        np.testing.assert_array_equal(ops.prelu(X, W, backend="npu").out, EXPECTED)
        out = np.zeros_like(X)
        operator = ops.get("prelu")
        status, size, executor = operator.get_workspace_size(X, W, out, backend="npu")
        assert (status, operator.execute(np.empty(size, np.uint8), size, executor)) == (0, 0)
        np.testing.assert_array_equal(out, EXPECTED)
        mine = default_stream(session())
    assert mine.context is context
    assert default_stream(session()) is not mine
    with context:
        assert default_stream(session()) is mine


def test_arrays_go_from_one_context_to_another() -> None:
    x = DeviceArray.from_host(X)
    with Context(), Stream():
        first = prelu(x)
    with Context(), Stream() as stream:
        second = prelu(first)  # waits for the other stream by an event
    stream.synchronize()  # from outside of its context
    third = prelu(second)
    np.testing.assert_array_equal(first.to_host(), EXPECTED)
    np.testing.assert_array_equal(second.to_host(), np.where(X > 0, X, X * 0.25))
    np.testing.assert_array_equal(third.to_host(), np.where(X > 0, X, X * 0.125))


def test_a_stream_takes_calls_from_everywhere() -> None:
    context = Context()
    with context:
        stream = Stream()
    own = current()
    with stream:
        assert current() == context.handle
        found = prelu(DeviceArray.from_host(X))
        with Context():  # whose default stream calls go to, and wait
            np.testing.assert_array_equal(prelu(DeviceArray.from_host(X)).to_host(), EXPECTED)
    assert current() == own
    event = Event()
    event.record(stream)
    event.synchronize()
    x, weight, out = DeviceArray.from_host(X), DeviceArray.from_host(W), DeviceArray(X.shape, "float32")
    operator = ops.get("prelu")
    status, size, executor = operator.get_workspace_size(x, weight, out, backend="npu")
    assert (status, operator.execute(DeviceArray((size,), "uint8"), size, executor, stream)) == (0, 0)
    context.synchronize()
    np.testing.assert_array_equal(out.to_host(), EXPECTED)
    np.testing.assert_array_equal(found.to_host(), EXPECTED)


def test_a_context_ends_with_its_streams() -> None:
    context = Context()
    with context:
        stream = Stream()
        with stream:
            found = prelu(DeviceArray.from_host(X))
    context.close()
    context.close()
    assert not context.is_alive
    assert not stream.is_alive
    np.testing.assert_array_equal(found.to_host(), EXPECTED)  # memory is the device's
    with pytest.raises(ValueError, match=r"^The context is freed\.$"):
        context.__enter__()
    np.testing.assert_array_equal(ops.prelu(X, W, backend="npu").out, EXPECTED)


def test_the_session_ends_in_a_block() -> None:
    with Context() as context:
        prelu(DeviceArray.from_host(X))
        shutdown()
    assert not context.is_alive
    np.testing.assert_array_equal(ops.prelu(X, W, backend="npu").out, EXPECTED)


def test_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    own = current()
    monkeypatch.setenv("ACLSPEC_FAULT", "aclrtCreateContext:1")
    with pytest.raises(AclnnError, match="aclrtCreateContext"):
        Context()
    context = Context()
    monkeypatch.setenv("ACLSPEC_FAULT", "aclrtSetCurrentContext:1")
    with pytest.raises(AclnnError, match="aclrtSetCurrentContext"), context:
        pass
    assert current() == own
    monkeypatch.setenv("ACLSPEC_FAULT", "aclrtDestroyContext:1")
    with pytest.raises(AclnnError, match="aclrtDestroyContext"):
        context.close()
