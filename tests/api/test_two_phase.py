"""The two C functions and the executor between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Status, Tensor, last_error
from aclspec.runtime.api.operator import Operator, Param
from aclspec.runtime.execution.executor import Executor

PRELU = ("aclnnPreluBackward", "004")
BATCH_NORM = ("aclnnBatchNormReduceBackward", "001")


def prelu_call() -> list[Any]:
    x = (np.arange(8, dtype=np.float32) - 3).reshape(4, 2)
    weight = np.full(2, 0.5, np.float32)
    return [np.ones_like(x), x, weight, np.full_like(x, 9), np.full_like(weight, 9)]


def batch_norm_call() -> list[Any]:
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    ones = np.ones(2, np.float32)
    return [x, x, ones, ones, ones, True, True, True, *[np.full(2, 9, np.float32) for _ in range(4)]]


CALLS: dict[str, Callable[[], list[Any]]] = {PRELU[0]: prelu_call, BATCH_NORM[0]: batch_norm_call}
each = pytest.mark.parametrize("name", list(CALLS))


def two_phases(name: str, arguments: list[Any], **options: Any) -> Status:
    """What the documents' own sample does."""
    status, size, executor = getattr(ops, f"{name}GetWorkspaceSize")(*arguments, **options)
    if status != Status.ACLNN_SUCCESS:
        return Status(status)
    workspace = np.empty(size, np.uint8) if size > 0 else None
    return Status(getattr(ops, name)(workspace, size, executor, None))


@pytest.mark.clause("004.interface.1", "001.interface.1", "004.example.3", "001.example.3")
@pytest.mark.clause("004.phase2.5", "001.phase2.5")
@each
def test_two_phases_give_what_one_step_gives(name: str) -> None:
    arguments = CALLS[name]()
    assert two_phases(name, arguments) == Status.ACLNN_SUCCESS
    operator: Operator = ops.get(name)
    places = [at for at, param in enumerate(operator.params) if param.is_output]
    expected = operator(*arguments[: places[0]])
    for at, array in zip(places, expected, strict=True):
        np.testing.assert_array_equal(arguments[at], array)


@pytest.mark.clause("004.param.workspaceSize.1", "001.param.workspaceSize.1")
@pytest.mark.clause("004.param.executor.1", "001.param.executor.1")
@pytest.mark.clause("004.return.1", "001.return.1")
@each
def test_phase_one_answers_status_size_and_executor(name: str) -> None:
    operator: Operator = ops.get(name)
    status, size, executor = operator.get_workspace_size(*CALLS[name]())
    assert status is Status.ACLNN_SUCCESS
    assert size > 0
    assert isinstance(executor, Executor)
    assert executor.workspace_size == size
    assert repr(executor) == f"<executor of {name}, ready>"


@pytest.mark.clause("004.return.2", "001.return.2")
@each
def test_phase_one_checks_the_arguments_and_says_what_is_wrong(name: str) -> None:
    arguments = CALLS[name]()
    arguments[1] = None
    operator: Operator = ops.get(name)
    assert operator.get_workspace_size(*arguments) == (Status.ACLNN_ERR_PARAM_NULLPTR, 0, None)
    text = last_error()
    assert text is not None
    assert text.startswith(f"{name}.null-{operator.params[1].name}: ")
    assert f"while calling {name}GetWorkspaceSize" in text
    outputs = [value for param, value in zip(operator.params, arguments, strict=True) if param.is_output]
    assert all((array == 9).all() for array in outputs)


def test_phase_one_wants_every_parameter(prelu: Operator) -> None:
    arguments = prelu_call()
    with pytest.raises(TypeError, match="The argument gradWeight is missing"):
        prelu.get_workspace_size(*arguments[:4])
    told = r"(?s)The value of self .* is not a tensor.* self\n - while calling aclnnPreluBackwardGetWorkspaceSize$"
    with pytest.raises(TypeError, match=told):
        prelu.get_workspace_size(arguments[0], "a string", *arguments[2:])
    names = [param.name for param in prelu.params]
    status, _, _ = prelu.get_workspace_size(**dict(zip(names, arguments, strict=True)))
    assert status == Status.ACLNN_SUCCESS


def test_phase_one_needs_no_data_and_takes_any_size(prelu: Operator) -> None:
    big = Tensor((1 << 20, 1 << 15), "float16")
    channels = Tensor((1 << 15,), "float16")
    status, size, executor = prelu.get_workspace_size(big, big, channels, big, channels)
    assert status == Status.ACLNN_SUCCESS
    assert size > 0
    assert prelu.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_RUNTIME_ERROR
    assert "has no data to compute with; its elements would take 68719476736 bytes" in (last_error() or "")


def ready(prelu: Operator) -> tuple[int, Executor, list[Any]]:
    arguments = prelu_call()
    status, size, executor = prelu.get_workspace_size(*arguments)
    assert status == Status.ACLNN_SUCCESS
    assert executor is not None
    return size, executor, arguments


@pytest.mark.clause("004.phase2.1", "001.phase2.1")
def test_a_null_workspace_spends_the_executor(prelu: Operator) -> None:
    for null in (None, 0):
        size, executor, arguments = ready(prelu)
        assert prelu.execute(null, size, executor, None) == Status.ACLNN_ERR_PARAM_NULLPTR
        assert f"The workspace is null although workspaceSize ({size}) is not 0" in (last_error() or "")
        assert not executor.is_alive
        assert (arguments[3] == 9).all()


@pytest.mark.clause("004.phase2.1", "001.phase2.1")
@pytest.mark.parametrize("make", [bytearray, np.zeros, lambda size: memoryview(bytes(size)), lambda size: 0x7F000000])
def test_a_workspace_is_memory_or_its_address(prelu: Operator, make: Callable[[int], Any]) -> None:
    size, executor, arguments = ready(prelu)
    assert prelu.execute(make(size), size, executor, None) == Status.ACLNN_SUCCESS
    assert (arguments[3] != 9).all()


@pytest.mark.clause("004.phase2.2", "001.phase2.2")
def test_a_workspace_too_small(prelu: Operator) -> None:
    size, executor, arguments = ready(prelu)
    assert prelu.execute(bytearray(size), size - 1, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert f"The workspaceSize ({size - 1}) is less than the {size} bytes" in (last_error() or "")
    assert not executor.is_alive
    size, executor, arguments = ready(prelu)
    assert prelu.execute(bytearray(size - 1), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert f"The workspace holds {size - 1} bytes, less than workspaceSize ({size})" in (last_error() or "")
    assert (arguments[3] == 9).all()


def test_a_workspace_larger_than_asked_for(prelu: Operator) -> None:
    size, executor, _ = ready(prelu)
    assert prelu.execute(bytearray(size + 1), size + 1, executor, None) == Status.ACLNN_SUCCESS


@pytest.mark.parametrize("size", ["1", 1.0, True, -1, None])
def test_a_size_that_is_none(prelu: Operator, size: Any) -> None:
    _, executor, _ = ready(prelu)
    with pytest.raises(TypeError, match=r"The value of workspaceSize .* is not an int of 0 or more"):
        prelu.execute(bytearray(1), size, executor, None)


@pytest.mark.clause("004.phase2.3", "001.phase2.3")
def test_the_executor_comes_from_phase_one(prelu: Operator, batch_norm: Operator) -> None:
    assert prelu.execute(None, 0, None, None) == Status.ACLNN_ERR_PARAM_NULLPTR
    assert last_error() == "aclnnPreluBackward: The executor is null.\n - while calling aclnnPreluBackward"
    with pytest.raises(TypeError, match=r"The value of executor .* is not an executor"):
        prelu.execute(None, 0, object(), None)  # type: ignore[arg-type]
    size, executor, arguments = ready(prelu)
    assert batch_norm.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert "The executor is one of aclnnPreluBackward, not of aclnnBatchNormReduceBackward" in (last_error() or "")
    assert (arguments[3] == 9).all()
    assert not executor.is_alive


@pytest.mark.clause("004.phase2.3", "001.phase2.3")
def test_the_second_phase_spends_the_executor(prelu: Operator) -> None:
    size, executor, _ = ready(prelu)
    assert prelu.execute(bytearray(size), size, executor, None) == Status.ACLNN_SUCCESS
    assert repr(executor) == "<executor of aclnnPreluBackward, spent>"
    assert prelu.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert "The executor is spent" in (last_error() or "")
    assert executor.set_repeatable() == Status.ACLNN_ERR_INNER_NULLPTR
    assert executor.destroy() == Status.ACLNN_ERR_INNER_NULLPTR
    assert (last_error() or "").startswith("aclDestroyAclOpExecutor: The executor is spent or destroyed.\n")


def test_a_repeatable_executor_computes_what_its_tensors_hold_each_time(prelu: Operator) -> None:
    size, executor, arguments = ready(prelu)
    assert executor.set_repeatable() == Status.ACLNN_SUCCESS
    for factor in (1, 2, 3):
        arguments[0][...] = factor
        assert prelu.execute(bytearray(size), size, executor, None) == Status.ACLNN_SUCCESS
        assert arguments[3][3, 1] == factor
    assert prelu.execute(None, size, executor, None) == Status.ACLNN_ERR_PARAM_NULLPTR
    assert executor.is_alive
    assert executor.destroy() == Status.ACLNN_SUCCESS
    assert prelu.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID


def test_an_executor_that_nobody_runs_is_destroyed(prelu: Operator) -> None:
    _, executor, _ = ready(prelu)
    assert executor.destroy() == Status.ACLNN_SUCCESS
    assert executor.values == ()


@pytest.mark.clause("004.phase2.4", "001.phase2.4")
@pytest.mark.parametrize("stream", [None, 0, object()])
def test_the_work_runs_on_any_stream(prelu: Operator, stream: object) -> None:
    size, executor, arguments = ready(prelu)
    assert prelu.execute(bytearray(size), size, executor, stream) == Status.ACLNN_SUCCESS
    assert (arguments[3] != 9).all()


def test_a_shortcut_needs_no_workspace_and_writes_nothing(prelu: Operator) -> None:
    x, weight = np.zeros((0, 2), np.float32), np.ones(2, np.float32)
    grad_weight = np.full(2, 9, np.float32)
    status, size, executor = prelu.get_workspace_size(x, x, weight, x.copy(), grad_weight)
    assert (status, size) == (0, 0)
    assert prelu.execute(None, 0, executor, None) == Status.ACLNN_SUCCESS
    assert (grad_weight == 9).all()


def test_a_shortcut_that_writes_zeros(batch_norm: Operator) -> None:
    x, channels = np.zeros((0, 2), np.float32), np.ones(2, np.float32)
    outputs = [np.full(2, 9, np.float32) for _ in range(4)]
    arguments = [x, x, channels, channels, None, True, False, True, *outputs]
    status, size, executor = batch_norm.get_workspace_size(*arguments, product="ascend_950")
    assert (status, size) == (0, 0)
    assert (outputs[0] == 9).all()
    assert batch_norm.execute(None, 0, executor, None) == Status.ACLNN_SUCCESS
    assert [int(array[0]) for array in outputs] == [0, 0, 9, 0]
    shapeless = [Tensor((2,), "float32")] * 4
    _, _, executor = batch_norm.get_workspace_size(*arguments[:8], *shapeless, product="ascend_950")
    assert batch_norm.execute(None, 0, executor, None) == Status.ACLNN_ERR_RUNTIME_ERROR


def test_an_output_that_is_switched_off_may_be_null_or_anything(batch_norm: Operator) -> None:
    arguments = batch_norm_call()
    arguments[5] = False
    arguments[8] = None
    arguments[9] = np.full(5, 9, np.int8)
    assert two_phases(BATCH_NORM[0], arguments) == Status.ACLNN_SUCCESS
    assert (arguments[9] == 9).all()
    assert (arguments[10] != 9).all()


def test_outputs_may_overlap_inputs(prelu: Operator) -> None:
    arguments = prelu_call()
    expected = prelu(*arguments[:3])
    arguments[3] = arguments[0]
    assert two_phases(PRELU[0], arguments) == Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(arguments[0], expected.grad_input)
    np.testing.assert_array_equal(arguments[4], expected.grad_weight)


def test_outputs_that_cannot_be_written(prelu: Operator) -> None:
    arguments = prelu_call()
    arguments[3].flags.writeable = False
    assert prelu.get_workspace_size(*arguments)[0] == Status.ACLNN_ERR_PARAM_INVALID
    assert "The output gradInput is read-only" in (last_error() or "")


def test_product_conformance_and_compute_belong_to_phase_one(prelu: Operator) -> None:
    arguments = prelu_call()
    assert prelu.get_workspace_size(*arguments, product="atlas_inference")[0] == Status.ACLNN_ERR_PARAM_INVALID
    assert prelu.get_workspace_size(*arguments, product="atlas_inference", conformance="library")[0] == 0
    assert two_phases(PRELU[0], arguments, compute="exact") == Status.ACLNN_SUCCESS
    with pytest.raises(ValueError, match="neither a product nor a SoC name"):
        prelu.get_workspace_size(*arguments, product="atlas")


def test_the_check_of_another_product_is_not_asked(handmade: Callable[..., Operator]) -> None:
    asked: list[tuple[str, bool]] = []

    def check(product: str, library: bool, out: Any) -> None:
        asked.append((product, library))

    operator = handmade([Param("out", "out", direction="out")], check=check)
    operator.get_workspace_size(np.zeros(2, np.float32), product="Ascend310P3", conformance="library")
    assert asked == [("atlas_inference", True)]


@pytest.mark.parametrize("workspace", ["memory", [0] * 4096, 1.5, True, object()])
def test_a_workspace_that_is_no_memory(prelu: Operator, call: dict[str, Any], workspace: object) -> None:
    arrays = [*call.values(), np.empty((4, 2), np.float32), np.empty(2, np.float32)]
    _, size, executor = prelu.get_workspace_size(*arrays)
    with pytest.raises(TypeError, match=r"The value of workspace \(of type \w+\) is neither memory"):
        prelu.execute(workspace, size, executor)
    assert executor is not None
    assert not executor.is_alive


@pytest.mark.parametrize("kind", [bytearray, memoryview, np.frombuffer])
def test_memory_of_several_kinds(prelu: Operator, call: dict[str, Any], kind: Any) -> None:
    arrays = [*call.values(), np.empty((4, 2), np.float32), np.empty(2, np.float32)]
    _, size, executor = prelu.get_workspace_size(*arrays)
    workspace = kind(size) if kind is bytearray else kind(bytearray(size))
    assert prelu.execute(workspace, size, executor) == Status.ACLNN_SUCCESS


def test_an_array_that_is_reshaped_between_the_phases(prelu: Operator, call: dict[str, Any]) -> None:
    out, weight = np.zeros((4, 2), np.float32), np.zeros(2, np.float32)
    _, size, executor = prelu.get_workspace_size(*call.values(), out, weight)
    out.shape = (8,)
    assert prelu.execute(np.empty(size, np.uint8), size, executor) == Status.ACLNN_ERR_PARAM_INVALID
    assert "The shape of an array ([8]) is not the one that phase one saw ([4, 2])" in str(last_error())
    assert not out.any()
    assert not weight.any()
