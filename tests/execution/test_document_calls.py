"""What the documents say of the two phases, on the sample call of each document."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Status, Tensor, last_error
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.execution.executor import Executor
from aclspec.runtime.rules.operator_info import TensorValue

DOCUMENTS = {
    "000": "aclnnAvgPool2dBackward",
    "001": "aclnnBatchNormReduceBackward",
    "002": "aclnnConvolutionBackward",
    "003": "aclnnMaxPool2dWithMaskBackward",
    "004": "aclnnPreluBackward",
}
PHASE_TWO = ("workspace", "workspaceSize", "executor", "stream")


def tensor(value: TensorValue) -> Tensor:
    """A tensor of an example."""
    flat = value.values * int(np.prod(value.shape)) if len(value.values) == 1 else value.values
    array = np.array(flat, DType.parse(value.dtype).numpy).reshape(value.shape)
    return Tensor.from_array(array)


@dataclass
class Sample:
    """A document's call: the operator, its arguments in C order, and the expected outputs by C name."""

    operator: Operator
    arguments: dict[str, Any]
    expected: dict[str, Tensor]

    def phase_one(self) -> tuple[Status, int, Executor | None]:
        return self.operator.get_workspace_size(*self.arguments.values())

    def check_written(self) -> None:
        for name, wanted in self.expected.items():
            np.testing.assert_array_equal(self.arguments[name].array, wanted.array, name)

    def check_untouched(self) -> None:
        for name in self.expected:
            assert np.isnan(self.arguments[name].array).all(), name


@pytest.fixture(params=DOCUMENTS)
def sample(request: pytest.FixtureRequest) -> Sample:
    """The sample call, its outputs filled with NaN."""
    operator: Operator = ops.get(DOCUMENTS[request.param])
    example = operator.info.examples[0]
    inputs = {name: tensor(value) if isinstance(value, TensorValue) else value for name, value in example.inputs}
    expected = {name: tensor(value) for name, value in example.outputs if isinstance(value, TensorValue)}
    blank = {name: Tensor.from_array(np.full_like(wanted.array, np.nan)) for name, wanted in expected.items()}
    given = inputs | blank
    return Sample(operator, {param.name: given[param.name] for param in operator.info.params}, expected)


@pytest.mark.clause("000.interface.1", "001.interface.1", "003.interface.1", "004.interface.1")
@pytest.mark.clause("000.example.3", "001.example.3", "004.example.3")
@pytest.mark.clause("002.example.1", "002.interface.1")
def test_the_sample_runs_in_two_phases(sample: Sample) -> None:
    status, size, executor = sample.phase_one()
    assert status == Status.ACLNN_SUCCESS
    sample.check_untouched()
    workspace = np.empty(size, np.uint8) if size > 0 else None
    assert sample.operator.execute(workspace, size, executor, None) == Status.ACLNN_SUCCESS
    sample.check_written()


@pytest.mark.clause("000.interface.1", "001.interface.1", "003.interface.1", "004.interface.1")
@pytest.mark.clause("002.interface.1")
def test_no_second_phase_without_the_first(sample: Sample) -> None:
    assert sample.operator.execute(None, 0, None, None) == Status.ACLNN_ERR_PARAM_NULLPTR
    assert "executor is null" in str(last_error())
    sample.check_untouched()


@pytest.mark.clause("000.interface.2", "001.interface.2", "003.interface.2", "004.interface.2", "004.interface.4")
@pytest.mark.clause("002.interface.2")
@pytest.mark.parametrize("name", DOCUMENTS.values())
def test_the_first_phase_takes_the_parameters_in_c_order(name: str) -> None:
    parameters = inspect.signature(getattr(ops, f"{name}GetWorkspaceSize")).parameters.values()
    positional = [one.name for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert positional == [param.name for param in ops.get(name).info.params]


@pytest.mark.clause("000.interface.3", "001.interface.3", "003.interface.3", "004.interface.3", "004.interface.5")
@pytest.mark.clause("002.interface.3")
@pytest.mark.parametrize("name", DOCUMENTS.values())
def test_the_second_phase_takes_four_parameters_in_c_order(name: str) -> None:
    assert tuple(inspect.signature(getattr(ops, name)).parameters) == PHASE_TWO


@pytest.mark.clause(
    "000.param.workspaceSize.1", "001.param.workspaceSize.1", "003.param.workspaceSize.1", "004.param.workspaceSize.1"
)
@pytest.mark.clause("002.param.workspaceSize.1")
def test_the_first_phase_answers_a_size_that_suffices(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert isinstance(size, int)
    assert size >= 0
    assert sample.operator.execute(bytearray(size), size, executor, None) == Status.ACLNN_SUCCESS


@pytest.mark.clause("000.param.executor.1", "001.param.executor.1", "003.param.executor.1", "004.param.executor.1")
@pytest.mark.clause("002.param.executor.1")
def test_the_executor_holds_the_computation(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert isinstance(executor, Executor)
    assert executor.is_alive
    sample.check_untouched()
    sample.operator.execute(bytearray(size), size, executor, None)
    sample.check_written()


@pytest.mark.clause("000.return.1", "001.return.1", "003.return.1", "004.return.1")
@pytest.mark.clause("000.return.2", "001.return.2", "004.return.2")
@pytest.mark.clause("002.return.1")
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        pytest.param(None, Status.ACLNN_ERR_PARAM_NULLPTR, id="null"),
        pytest.param(Tensor(shape=(2, 2), dtype=DType.STRING), Status.ACLNN_ERR_PARAM_INVALID, id="dtype"),
    ],
)
def test_the_first_phase_checks_and_returns_a_status(sample: Sample, wrong: Tensor | None, expected: Status) -> None:
    first = next(iter(sample.arguments))
    status, size, executor = sample.operator.get_workspace_size(*(sample.arguments | {first: wrong}).values())
    assert (status, size, executor) == (expected, 0, None)
    assert first in str(last_error())
    sample.check_untouched()


@pytest.mark.clause("000.phase2.1", "001.phase2.1", "003.phase2.1", "004.phase2.1")
@pytest.mark.clause("002.phase2.1")
def test_the_workspace_is_the_memory_that_was_asked_for(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert size > 0
    assert sample.operator.execute(None, size, executor, None) == Status.ACLNN_ERR_PARAM_NULLPTR
    assert "workspace is null" in str(last_error())
    sample.check_untouched()


@pytest.mark.clause("000.phase2.2", "001.phase2.2", "003.phase2.2", "004.phase2.2")
@pytest.mark.clause("002.phase2.2")
def test_the_workspace_size_is_the_one_that_was_answered(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert sample.operator.execute(bytearray(size), size - 1, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert f"{size} bytes that phase one asked for" in str(last_error())
    sample.check_untouched()


@pytest.mark.clause("000.phase2.3", "001.phase2.3", "003.phase2.3", "004.phase2.3")
@pytest.mark.clause("002.phase2.3")
def test_the_executor_comes_from_the_first_phase_and_serves_once(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert sample.operator.execute(bytearray(size), size, executor, None) == Status.ACLNN_SUCCESS
    sample.check_written()
    assert sample.operator.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    assert "spent" in str(last_error())


@pytest.mark.clause("000.phase2.3", "001.phase2.3", "003.phase2.3", "004.phase2.3")
@pytest.mark.clause("002.phase2.3")
def test_the_executor_is_one_of_the_same_operator(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    other = next(ops.get(name) for name in DOCUMENTS.values() if name != sample.operator.name)
    assert other.execute(bytearray(size), size, executor, None) == Status.ACLNN_ERR_PARAM_INVALID
    sample.check_untouched()


@pytest.mark.clause("000.phase2.4", "001.phase2.4", "003.phase2.4", "004.phase2.4")
@pytest.mark.clause("002.phase2.4")
@pytest.mark.parametrize("stream", [None, 0, 1, object()], ids=["default", "zero", "handle", "object"])
def test_the_work_runs_on_any_stream(sample: Sample, stream: object) -> None:
    # Note: NumPy has no streams; the work is done when the second phase returns, as after a synchronization in C.
    _, size, executor = sample.phase_one()
    assert sample.operator.execute(bytearray(size), size, executor, stream) == Status.ACLNN_SUCCESS
    sample.check_written()


@pytest.mark.clause("000.phase2.5", "001.phase2.5", "003.phase2.5", "004.phase2.5")
@pytest.mark.clause("002.phase2.5")
def test_the_second_phase_returns_a_status(sample: Sample) -> None:
    _, size, executor = sample.phase_one()
    assert isinstance(sample.operator.execute(bytearray(size), size, executor, None), Status)
    assert isinstance(sample.operator.execute(bytearray(size), size, executor, None), Status)
