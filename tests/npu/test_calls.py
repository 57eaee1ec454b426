"""Calls through the bridge: the checks first, then the library; values, errors, both call forms, executors kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor, last_error
from aclspec.runtime.npu import DeviceArray, Stream
from aclspec.runtime.npu import cache as plans
from aclspec.runtime.npu.session import session
from aclspec.runtime.npu.stream import default_stream
from tests.support.simulated import Simulator

X = np.array([[-1.0, 2, -3], [4, -5, 6]], np.float32)
W = np.array([0.5, 0.25, 2], np.float32)
EXPECTED = np.where(X > 0, X, X * W)
PRELU = ops.get("aclnnPrelu")
pytestmark = pytest.mark.usefixtures("simulator")


@pytest.fixture
def kept() -> plans.Plans:
    """The executors that this thread keeps."""
    return default_stream(session()).plans


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
    with pytest.raises(AclnnError, match="is not one that atlas_inference supports"):
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
    from aclspec.runtime.products import resolve_product

    simulator.become("atlas_training")
    assert resolve_product() == "atlas_training"


def test_what_the_device_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match='compute="exact" goes with backend="numpy" only'):
        npu(X, W, compute="exact")
    with pytest.raises(AclnnError, match=r"The tensor self \(float32\[2,3\]:ND\) has no data to compute with"):
        npu(Tensor((2, 3), "float32"), W)


def test_executors_are_kept_and_run_again(kept: plans.Plans, monkeypatch: pytest.MonkeyPatch) -> None:
    np.testing.assert_array_equal(npu(X, W), EXPECTED)
    assert (len(kept), kept.hits) == (1, 0)
    # neither memory nor handles nor phase one are needed again
    monkeypatch.setenv("ACLSPEC_FAULT", "aclrtMalloc:1,aclCreate*:1,aclnnPreluGetWorkspaceSize:1")
    np.testing.assert_array_equal(npu(-X, W), np.where(-X > 0, -X, -X * W))
    np.testing.assert_array_equal(npu(X + 1, W, out=np.empty_like(X)), np.where(X + 1 > 0, X + 1, (X + 1) * W))
    assert (len(kept), kept.hits) == (1, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda: npu(X[:1], W),
        lambda: npu(X.astype(np.float16), W.astype(np.float16)),
        lambda: npu(np.asfortranarray(X), W),
        lambda: npu(Tensor.from_array(X, "NCHW"), W),
        lambda: npu(DeviceArray.from_host(X), W),
    ],
    ids=["shape", "dtype", "strides", "format", "device"],
)
def test_another_call_has_another_executor(change: Any, kept: plans.Plans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_CONFORMANCE", "library")  # which looks at no format
    npu(X, W)
    change()
    assert (len(kept), kept.hits) == (2, 0)


def test_attributes_tell_executors_apart(kept: plans.Plans) -> None:
    one = np.ones(3, np.float32)
    shape = np.ones((2, 3), np.float32)
    for flags in ((True, True), (True, False), (True, True)):
        ops.batch_norm_reduce_backward(shape, shape, one, one, one, *flags, False, backend="npu")
    assert (len(kept), kept.hits) == (2, 1)


def test_few_executors_are_kept(kept: plans.Plans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MOST", 3)
    for size in range(1, 7):
        npu(np.ones((size, 3), np.float32), W)
    assert len(kept) == 3
    npu(np.ones((6, 3), np.float32), W)
    npu(np.ones((1, 3), np.float32), W)
    assert kept.hits == 1
    monkeypatch.setattr(plans, "MOST_BYTES", 100)
    npu(np.ones((100, 3), np.float32), W)
    assert len(kept) <= 3


def test_a_failed_executor_is_not_kept(kept: plans.Plans, monkeypatch: pytest.MonkeyPatch) -> None:
    npu(X, W)
    monkeypatch.setenv("ACLSPEC_FAULT", "aclnnPrelu:1")
    with pytest.raises(AclnnError):
        npu(X, W)
    assert len(kept) == 0
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


def test_the_executors_of_two_phases_are_kept_too(kept: plans.Plans, monkeypatch: pytest.MonkeyPatch) -> None:
    out = np.empty_like(X)
    assert two_phases([X, W, out]) is Status.ACLNN_SUCCESS
    assert len(kept) == 1
    monkeypatch.setenv("ACLSPEC_FAULT", "aclCreate*:1,aclnnPreluGetWorkspaceSize:1")
    assert two_phases([-X, W, out]) is Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(out, np.where(-X > 0, -X, -X * W))
    _, _, first = PRELU.get_workspace_size(X, W, out, backend="npu")
    status, _, _ = PRELU.get_workspace_size(X, W, out, backend="npu")
    assert status is not Status.ACLNN_SUCCESS, "An executor that lives is nobody else's."
    assert first is not None
    assert first.destroy() is Status.ACLNN_SUCCESS
    monkeypatch.setenv("ACLSPEC_FAULT", "aclnnPrelu:1")
    _, size, executor = PRELU.get_workspace_size(X, W, out, backend="npu")
    assert PRELU.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_ERR_RUNTIME_ERROR
    assert len(kept) == 0


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
