"""Calls through the bridge: the checks first, then the library; values, errors, both call forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor, last_error
from aclspec.runtime.npu import DeviceArray, Stream
from tests.support.simulated import Simulator

X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5, 0.25, 2], np.float32)
EXPECTED = np.where(X > 0, X, X * W)
PRELU = ops.get("aclnnPrelu")
pytestmark = pytest.mark.usefixtures("simulator")


def npu(*arguments: Any, **options: Any) -> Any:
    return ops.prelu(*arguments, backend="npu", **options).out


def test_the_environment_chooses_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_BACKEND", "npu")
    monkeypatch.setenv("ACLSPEC_FAULT", "aclnnPrelu:1")
    with pytest.raises(AclnnError, match="aclnnPrelu fails with ACLNN_ERR_RUNTIME_ERROR"):
        ops.prelu(X, W)
    monkeypatch.delenv("ACLSPEC_FAULT")
    np.testing.assert_array_equal(ops.prelu(X, W).out, EXPECTED)


def test_the_library_computes_and_not_the_process() -> None:
    """The simulator's CPU kernels run, whatever ACLSPEC_BACKEND says, and no call comes back to the bridge."""
    np.testing.assert_array_equal(npu(X, W), EXPECTED)
    np.testing.assert_array_equal(npu(X.T.copy().T, W), EXPECTED)


def test_outputs_are_written_where_the_caller_says() -> None:
    wide = np.full((2, 6), 9, np.float32)
    out = wide[:, ::2]
    assert npu(X, W, out=out) is out
    np.testing.assert_array_equal(out, EXPECTED)
    np.testing.assert_array_equal(wide[:, 1::2], 9)
    own = X.copy()
    assert npu(own, W, out=own) is own
    np.testing.assert_array_equal(own, EXPECTED)


def test_torch_tensors_come_back_as_torch() -> None:
    torch = pytest.importorskip("torch")
    given = torch.tensor(X)
    found = npu(given, torch.tensor(W))
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.numpy(), EXPECTED)


def test_a_bad_call_is_refused_before_anything_reaches_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    npu(X, W)
    monkeypatch.setenv("ACLSPEC_FAULT", "aclrtMalloc:1,aclCreate*:1,aclnn*:1")
    with pytest.raises(AclnnError) as caught:
        npu(X, W[:2])
    assert caught.value.rule == "aclnnPrelu.weight-numel"
    assert caught.value.status is Status.ACLNN_ERR_PARAM_INVALID
    assert "aclnnPrelu.weight-numel" in str(last_error())


def test_without_our_checks_the_library_refuses_with_its_own_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_NPU_CHECKS", "off")
    with pytest.raises(AclnnError) as caught:
        npu(X, W[:2])
    assert caught.value.rule is None
    assert caught.value.status is Status.ACLNN_ERR_PARAM_INVALID
    assert "aclnnPreluGetWorkspaceSize fails with ACLNN_ERR_PARAM_INVALID (161002)" in str(caught.value)
    assert "the library says: " in str(caught.value)
    assert "while checking rule aclnnPrelu.weight-numel for atlas_a2" in str(caught.value)
    monkeypatch.setenv("ACLSPEC_NPU_CHECKS", "no")
    with pytest.raises(ValueError, match=r"ACLSPEC_NPU_CHECKS \(no\) is neither on nor off"):
        npu(X, W)


def test_the_device_says_which_product_it_is(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    half = X.astype("bfloat16")
    npu(half, W.astype("bfloat16"))
    simulator.become("atlas_inference")
    with pytest.raises(AclnnError, match="on atlas_inference it must be FLOAT or FLOAT16"):
        npu(half, W.astype("bfloat16"))
    npu(X, W, product="Ascend310P3")
    with pytest.raises(ValueError, match=r"product \(atlas_a2\) means atlas_a2, and the device is one of atlas_inf"):
        npu(X, W, product="atlas_a2")
    monkeypatch.setenv("ACLSPEC_PRODUCT", "atlas_a3")
    with pytest.raises(ValueError, match=r"the environment variable ACLSPEC_PRODUCT \(atlas_a3\) means atlas_a3"):
        npu(X, W)
    with pytest.raises(ValueError, match="ACLSPEC_PRODUCT"):
        PRELU.get_workspace_size(X, W, X.copy(), backend="npu")


def test_numpy_calls_take_the_product_of_the_npu_that_is_found(simulator: Simulator) -> None:
    from aclspec.runtime.abi.products import resolve_product

    simulator.become("atlas_training")
    assert resolve_product() == "atlas_training"


def test_what_the_device_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match='compute="exact" goes with backend="numpy" only'):
        npu(X, W, compute="exact")
    with pytest.raises(AclnnError, match=r"The tensor self \(float32\[2,3\]:ND\) has no data to compute with"):
        npu(Tensor((2, 3), "float32"), W)


def test_a_failed_call_leaves_the_next_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_FAULT", "aclnnPrelu:1")
    with pytest.raises(AclnnError):
        npu(X, W)
    np.testing.assert_array_equal(npu(X, W), EXPECTED)


def two_phases(arguments: list[Any], workspace: Any = None, stream: Any = None) -> Status:
    status, size, executor = PRELU.get_workspace_size(*arguments, backend="npu")
    assert status is Status.ACLNN_SUCCESS, last_error()
    return PRELU.execute(np.empty(size, np.uint8) if workspace is None else workspace, size, executor, stream)


def test_two_phases_on_arrays_of_the_host() -> None:
    out = np.full_like(X, 9)
    assert two_phases([X, W, out]) is Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(out, EXPECTED)


def test_two_phases_on_arrays_of_the_device() -> None:
    given = [DeviceArray.from_host(X), DeviceArray.from_host(W), DeviceArray((2, 3), "float32")]
    workspace = DeviceArray((4096,), "uint8")
    assert two_phases(given, workspace) is Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(given[2].to_host(), EXPECTED)
    stream = Stream()
    given[0].assign(-X)
    assert two_phases(given, workspace, stream) is Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(given[2].to_host(), np.where(-X > 0, -X, -X * W))


def test_an_array_that_is_resized_between_the_phases_is_refused() -> None:
    out = np.full(X.shape, 7, np.float32)
    _, size, executor = PRELU.get_workspace_size(X, W, out, backend="npu")
    out.shape = (6,)
    assert PRELU.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_ERR_PARAM_INVALID
    assert "The shape of an array ([6]) is not the one that phase one saw ([2, 3])" in str(last_error())
    np.testing.assert_array_equal(out, 7)


def test_a_freed_array_is_refused_by_phase_two() -> None:
    given = [DeviceArray.from_host(X), DeviceArray.from_host(W), DeviceArray(X.shape, "float32")]
    _, size, executor = PRELU.get_workspace_size(*given, backend="npu")
    given[0].free()
    with pytest.raises(ValueError, match="is freed"):
        PRELU.execute(np.empty(size, np.uint8), size, executor)


def test_two_phases_wait_for_the_streams_that_their_arrays_come_from() -> None:
    x, weight = DeviceArray.from_host(X), DeviceArray.from_host(W)
    with Stream() as busy:
        first = ops.prelu(x, weight, backend="npu").out
    other, out = Stream(), DeviceArray(X.shape, "float32")
    assert not busy.is_idle
    assert two_phases([first, weight, out], DeviceArray((4096,), "uint8"), other) is Status.ACLNN_SUCCESS
    assert not busy.is_idle
    assert not other.is_idle
    np.testing.assert_array_equal(out.to_host(), np.where(EXPECTED > 0, EXPECTED, EXPECTED * W))


def test_outputs_of_two_phases_do_not_overlap_on_the_device() -> None:
    memory = DeviceArray((20,), "float32")
    one = DeviceArray.from_host(X)
    operator = ops.get("aclnnPreluBackward")
    arguments = (one, one, W[:1], memory.view((2, 3)), memory.view((1,), offset=5))
    status, _, _ = operator.get_workspace_size(*arguments, backend="npu")
    assert status is Status.ACLNN_ERR_PARAM_INVALID
    assert "overlaps that of the output gradInput" in str(last_error())


def test_an_executor_is_spent_by_its_second_phase() -> None:
    out = np.empty_like(X)
    _, size, executor = PRELU.get_workspace_size(X, W, out, backend="npu")
    workspace = np.empty(size, np.uint8)
    assert PRELU.execute(workspace, size, executor) is Status.ACLNN_SUCCESS
    assert PRELU.execute(workspace, size, executor) is Status.ACLNN_ERR_PARAM_INVALID
    assert executor is not None
    assert executor.destroy() == Status.ACLNN_ERR_INNER_NULLPTR


def test_a_repeatable_executor_reads_what_is_there_now() -> None:
    x, out = X.copy(), np.empty_like(X)
    _, size, executor = PRELU.get_workspace_size(x, W, out, backend="npu")
    assert executor is not None
    assert executor.set_repeatable() is Status.ACLNN_SUCCESS
    workspace = np.empty(size, np.uint8)
    for factor in (1, -1, 3):
        x[...] = X * factor
        assert PRELU.execute(workspace, size, executor) is Status.ACLNN_SUCCESS
        np.testing.assert_array_equal(out, np.where(x > 0, x, x * W))
    assert executor.destroy() is Status.ACLNN_SUCCESS


def test_the_workspace_is_checked() -> None:
    _, size, executor = PRELU.get_workspace_size(X, W, np.empty_like(X), backend="npu")
    assert PRELU.execute(None, size, executor) is Status.ACLNN_ERR_PARAM_NULLPTR
    assert "workspace is null" in str(last_error())


def test_the_library_checks_the_workspace_where_we_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_NPU_CHECKS", "off")
    _, size, executor = PRELU.get_workspace_size(X, W, np.empty_like(X), backend="npu")
    assert PRELU.execute(None, size, executor) is Status.ACLNN_ERR_PARAM_NULLPTR
    assert "the library says" in str(last_error())
    _, size, executor = PRELU.get_workspace_size(X, W, np.empty_like(X), backend="npu")
    assert PRELU.execute(8, size, executor) is Status.ACLNN_ERR_RUNTIME_ERROR
    assert "is not device memory" in str(last_error())


def test_phase_two_refuses_a_strange_stream_and_an_executor_of_numpy() -> None:
    _, size, executor = PRELU.get_workspace_size(X, W, np.empty_like(X), backend="npu")
    with pytest.raises(TypeError, match="The value of stream"):
        PRELU.execute(np.empty(size, np.uint8), size, executor, 5)
    _, size, executor = PRELU.get_workspace_size(X, W, np.empty_like(X))
    assert PRELU.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_SUCCESS


def test_an_empty_call_writes_nothing() -> None:
    out = np.empty((0, 3), np.float32)
    assert npu(out, W).shape == (0, 3)
    assert npu(DeviceArray.from_host(out), W).to_host().shape == (0, 3)
