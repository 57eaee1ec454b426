"""The two C functions of an operator: phase one checks and answers an executor, phase two computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.backends import DEFAULT, NPU, resolve_backend
from aclspec.runtime.compute import require_data, reserve_doubles, run, run_exactly
from aclspec.runtime.errors import AclnnError, ParamError, ParamTypeError, type_error, while_calling
from aclspec.runtime.executor import Checked, Executor, workspace_fault, workspace_size
from aclspec.runtime.giving import check_apart
from aclspec.runtime.leaves import leaves
from aclspec.runtime.messages import record
from aclspec.runtime.modes import is_exact, resolve_conformance
from aclspec.runtime.parameters import bind
from aclspec.runtime.products import resolve_product
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.info import Mode
    from aclspec.runtime.operator import Operator


def get_workspace_size(
    operator: Operator,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    product: str | None,
    conformance: str | None,
    backend: str | None,
    compute: str | None,
) -> tuple[Status, int, Executor | None]:
    """Phase one: (status, workspace size, executor), the last two 0 and None unless the status is success.

    A call that C could not even write, such as one with a string for a tensor, raises TypeError.
    """
    function = f"{operator.name}GetWorkspaceSize"
    name = resolve_backend(backend)
    planned = None
    if name in (DEFAULT, NPU) and compute is None and not keywords:
        planned = operator.plans.phase_key(args, product, conformance, backend, elsewhere=name == NPU)
    given = bind(operator.phase_params, args, keywords, function)
    try:
        if name == NPU:
            from aclspec.runtime.npu.phases import begin

            executor: Executor = begin(operator, given, product, conformance, compute)
        else:
            executor = _begin(operator, given, product, conformance, compute, name)
    except ParamTypeError as error:
        raise error.of(function) from None
    except AclnnError as error:
        record(error.rule or function, refused(error, function))
        return error.status, 0, None
    plan = None if planned is None else executor.plan(args)
    if plan is not None and planned == operator.plans.phase_key(args, product, conformance, backend, name == NPU):
        operator.plans.keep(planned, plan)
    return Status.ACLNN_SUCCESS, executor.workspace_size, executor


def _begin(
    operator: Operator,
    given: Sequence[Any],
    product: str | None,
    conformance: str | None,
    compute: str | None,
    backend: str,
) -> Executor:
    key, mode, exact = resolve_product(product), resolve_conformance(conformance), is_exact(compute)
    switched, effect = check_call(operator, given, key, mode, f"{operator.name}GetWorkspaceSize")
    return Executor(checked_call(operator, key, switched, effect, backend, exact), switched)


def checked_call(
    operator: Operator, product: str, values: Sequence[Any], effect: str | None, backend: str, exact: bool = False
) -> Checked:
    """A call that passed the checks: a shortcut needs no workspace."""
    return Checked(operator, product, effect, backend, exact, 0 if effect is not None else workspace_size(values))


def check_call(
    operator: Operator, given: Sequence[Any], product: str, mode: Mode, function: str
) -> tuple[tuple[Any, ...], str | None]:
    """The values of a call that passes the checks and the effect of the shortcut it takes; AclnnError for another.

    An output that the attributes switch off is None, whatever the caller gave for it.
    """
    values = converted(operator, given)
    switched = wanted(operator, values)
    return switched, checked(operator, values, product, mode, function)


def checked(operator: Operator, values: Sequence[Any], product: str, mode: Mode, function: str) -> str | None:
    """What a shortcut does to the outputs, None for a call to compute; AclnnError for one that breaks a rule."""
    verdict = operator.check(product, mode == "library", *values)
    if verdict is None or verdict.effect is not None:
        return None if verdict is None else verdict.effect
    from aclspec.runtime.failures import refusal

    raise refusal(operator, values, (), product, mode, verdict, function)


def refused(error: AclnnError, function: str) -> str:
    """The message of a call that is refused, as the C function tells it."""
    if isinstance(error, ParamError):
        return while_calling(error.sentence, function, error.parameter)
    return str(error)


def converted(operator: Operator, given: Sequence[Any]) -> tuple[Any, ...]:
    """The values of all parameters, outputs among them, as the checks see them."""
    reads, writes = iter(operator.converters), iter(operator.output_converters)
    values = []
    for param, value in zip(operator.params, given, strict=True):
        read = next(reads) if param.is_input else None
        convert = next(writes) if param.is_output else read
        values.append(value if convert is None else convert(value))
    return tuple(values)


def wanted(operator: Operator, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values with None for each output that the attributes switch off, whatever the caller gave for it.

    AclnnError where two of those that are written have an element in common.
    """
    inputs = [value for param, value in zip(operator.params, values, strict=True) if param.is_input]
    required = iter(operator.inferred(inputs))
    kept = []
    for param, value in zip(operator.params, values, strict=True):
        on = next(required) is not None or param.is_input if param.is_output else True
        kept.append(value if on else None)
    written = [value for param, value in zip(operator.params, kept, strict=True) if param.is_output]
    check_apart(operator.outputs, written, operator.name)
    return tuple(kept)


def execute(operator: Operator, workspace: object, size: object, executor: object, stream: object = None) -> Status:
    """Phase two: compute into the outputs; the executor is spent by it, on success and on failure.

    Nothing is written unless the status is success.
    """
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 0:
        raise type_error(f"The value of workspaceSize ({size!r}) is not an int of 0 or more.", None, operator.name)
    if executor is None:
        return _failed(operator, Status.ACLNN_ERR_PARAM_NULLPTR, "The executor is null.")
    if not isinstance(executor, Executor):
        raise type_error(f"The value of executor ({executor!r}) is not an executor.", None, operator.name)
    if not executor.is_alive:
        return _failed(operator, Status.ACLNN_ERR_PARAM_INVALID, "The executor is spent: its second phase has run.")
    try:
        return _execute(operator, workspace, int(size), executor, stream)
    finally:
        executor.spend()


def _execute(operator: Operator, workspace: object, size: int, executor: Executor, stream: object) -> Status:
    if executor.operator is not operator:
        sentence = f"The executor is one of {executor.operator.name}, not of {operator.name}."
        return _failed(operator, Status.ACLNN_ERR_PARAM_INVALID, sentence)
    try:
        if executor.call.backend == NPU:
            from aclspec.runtime.npu.executor import execute_on_device

            execute_on_device(executor, workspace, size, stream)
            return Status.ACLNN_SUCCESS
        fault = workspace_fault(executor, workspace, size)
        if fault is not None:
            return _failed(operator, *fault)
        compute(operator, executor, executor.values)
    except AclnnError as error:
        record(operator.name, str(error))
        return error.status
    return Status.ACLNN_SUCCESS


def compute(operator: Operator, executor: Executor, values: Sequence[Any]) -> None:
    """Write the outputs of a checked call; AclnnError for one that cannot be computed."""
    call = executor.call
    if call.run is not None:
        call.run(values)
        return
    if call.effect == "unwritten":
        return
    outputs = [value if param.is_output else None for param, value in zip(operator.params, values, strict=True)]
    if call.effect == "zeros":
        require_data(operator.params, outputs, operator.name)
        for output in outputs:
            for tensor in leaves(output):
                tensor.array[...] = 0
        return
    require_data(operator.params, values, operator.name)
    for tensor in leaves(tuple(values)):
        if tensor.array.shape != tensor.shape:
            from aclspec.runtime.phase_plan import changed

            raise changed(tensor.array.shape, tensor.shape, operator.name)
    kernel = operator.kernel_for(call.backend)
    precision = operator.precision(call.product, *values)
    if call.exact:
        reserve_doubles(values, operator.name)
    (run_exactly if call.exact else run)(kernel, operator.params, values, precision)


def _failed(operator: Operator, status: Status, sentence: str) -> Status:
    record(operator.name, f"{sentence}\n - while calling {operator.name}")
    return status
