"""The two C functions of an operator: phase one checks and answers an executor, phase two computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.abi.environment import resolve_conformance
from aclspec.runtime.abi.errors import AclnnError, ParamError, ParamTypeError, record, while_calling
from aclspec.runtime.abi.parameters import bind
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.backends import resolve_backend
from aclspec.runtime.execution.executor import Executor
from aclspec.runtime.execution.outputs import check_overlap
from aclspec.runtime.rules.levels import unknown_error

if TYPE_CHECKING:
    from aclspec.runtime.abi.environment import Mode
    from aclspec.runtime.execution.outputs import Outputs
    from aclspec.runtime.rules.operator_table import OperatorTable


def get_workspace_size(
    operator: OperatorTable,
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
    chosen = resolve_backend(backend)
    if keywords or len(args) != len(operator.params):
        args = bind(operator.phase_params, args, keywords, function)
    try:
        key, mode, exact = chosen.product(product), resolve_conformance(conformance), chosen.is_exact(compute)
        given = converted(operator, args)
        used = enabled(operator, given)
        effect = check(operator, given, key, mode, function) if chosen.checks_first(operator) else None
        executor = chosen.executor(operator, key, given, used, effect, exact)
    except ParamTypeError as error:
        raise error.of(function) from None
    except AclnnError as error:
        record(error.rule or function, refusal_text(error, function))
        return error.status, 0, None
    return Status.ACLNN_SUCCESS, executor.workspace_size, executor


def check(
    operator: OperatorTable,
    values: Sequence[Any],
    product: str,
    mode: Mode,
    function: str,
    outputs: Outputs | None = None,
) -> str | None:
    """What a shortcut does to the outputs, None for a call to compute; AclnnError for one that breaks a rule.

    ``outputs`` knows which outputs are inferred; without it the caller gave all of them.
    """
    if not operator.has_rules:
        raise unknown_error(operator.name, function)
    verdict = operator.check(product, mode == "library", *values)
    if verdict is None or verdict.effect is not None:
        return None if verdict is None else verdict.effect
    from aclspec.runtime.rules.violations import refusal

    inferred = () if outputs is None else outputs.inferred_places()
    raise refusal(operator, values, inferred, product, mode, verdict, function)


def refusal_text(error: AclnnError, function: str) -> str:
    """The message of a refused call, as the C function records it."""
    if isinstance(error, ParamError):
        return while_calling(error.sentence, function, error.parameter)
    return str(error)


def converted(operator: OperatorTable, given: Sequence[Any]) -> tuple[Any, ...]:
    """The values of all parameters, outputs among them, as the checks see them."""
    reads, writes = iter(operator.converters), iter(operator.output_converters)
    values = []
    for param, value in zip(operator.params, given, strict=True):
        read = next(reads) if param.is_input else None
        convert = next(writes) if param.is_output else read
        values.append(value if convert is None else convert(value))
    return tuple(values)


def enabled(operator: OperatorTable, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values, with None for each output that the attributes switch off, whatever the caller gave for it.

    AclnnError where two of the outputs have an element in common.
    """
    inputs = [value for param, value in zip(operator.params, values, strict=True) if param.is_input]
    required = iter(operator.inferred(inputs))
    used = []
    for param, value in zip(operator.params, values, strict=True):
        on = next(required) is not None or param.is_input or not operator.infers(param) if param.is_output else True
        used.append(value if on else None)
    check_overlap(
        operator.outputs, [v for param, v in zip(operator.params, used, strict=True) if param.is_output], operator.name
    )
    return tuple(used)


def execute(
    operator: OperatorTable, workspace: object, size: object, executor: object, stream: object = None
) -> Status:
    """Phase two: compute into the outputs; the executor is spent by it, on success and on failure.

    Nothing is written unless the status is success.
    """
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 0:
        raise ParamTypeError(f"The value of workspaceSize ({size!r}) is not an int of 0 or more.", None, operator.name)
    if executor is None:
        return _failed(operator, Status.ACLNN_ERR_PARAM_NULLPTR, "The executor is null.")
    if not isinstance(executor, Executor):
        raise ParamTypeError(f"The value of executor ({executor!r}) is not an executor.", None, operator.name)
    if not executor.is_alive:
        return _failed(operator, Status.ACLNN_ERR_PARAM_INVALID, "The executor is spent: its second phase has run.")
    try:
        if executor.operator is not operator:
            sentence = f"The executor is one of {executor.operator.name}, not of {operator.name}."
            return _failed(operator, Status.ACLNN_ERR_PARAM_INVALID, sentence)
        executor.run(workspace, int(size), stream)
    except AclnnError as error:
        record(operator.name, str(error))
        return error.status
    finally:
        executor.spend()
    return Status.ACLNN_SUCCESS


def _failed(operator: OperatorTable, status: Status, sentence: str) -> Status:
    record(operator.name, f"{sentence}\n - while calling {operator.name}")
    return status
