"""The two phases of an operator as the C libraries of the simulator call them; nothing here raises for a bad call.

Each answers (status, workspace size, what phase two needs or None, message or None).
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.executor import Executor
from aclspec.runtime.modes import resolve_conformance
from aclspec.runtime.simulator.values import Memory, Unusable, described, with_memory
from aclspec.runtime.status import Status
from aclspec.runtime.two_phase import check_call, checked_call, compute, refused

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

OPERATORS = "aclspec.ops"
BACKEND = "numpy"
Answer = tuple[int, int, Any, str | None]
_operators: dict[str, Operator] = {}


class Token(NamedTuple):
    """A call between its phases."""

    executor: Executor
    values: tuple[Any, ...]


def register(packages: str) -> None:
    """Make the operators of generated packages known: a line for each, its name and the folder it is imported from."""
    for line in packages.splitlines():
        name, _, home = line.partition("\t")
        if home not in sys.path:
            sys.path.append(home)
        import_module(OPERATORS).register(name)


def phase_one(name: str, product: str, conformance: str, values: tuple[Any, ...]) -> Answer:
    """Check a call of the operator of a C name; the values are those that `simulator.values` describes."""
    operator = _operator(name)
    function = f"{name}GetWorkspaceSize"
    try:
        mode = resolve_conformance(conformance)
        given = described(operator, values)
        switched, effect = check_call(operator, given, product, mode, function)
    except AclnnError as error:
        return int(error.status), 0, None, refused(error, function)
    except ValueError as error:  # the conformance mode of the environment
        return int(Status.ACLNN_ERR_INNER), 0, None, while_calling(str(error), function)
    executor = Executor(checked_call(operator, product, switched, effect, BACKEND), switched)
    return int(Status.ACLNN_SUCCESS), executor.workspace_size, Token(executor, switched), None


def phase_two(token: Token, memories: tuple[Memory, ...], later: bool) -> Answer:
    """Compute a checked call on the memory that its tensors have now; ``later``: only look whether that can be."""
    operator = token.executor.operator
    try:
        values = with_memory(operator, token.values, memories, token.executor.call.effect)
        if not later:
            compute(operator, token.executor, values)
    except Unusable as error:
        return int(Status.ACLNN_ERR_RUNTIME_ERROR), 0, None, while_calling(str(error), operator.name)
    except AclnnError as error:
        return int(error.status), 0, None, refused(error, operator.name)
    return int(Status.ACLNN_SUCCESS), 0, None, None


def _operator(name: str) -> Operator:
    operator = _operators.get(name)
    if operator is None:
        operator = _operators[name] = import_module(OPERATORS).get(name)
    return operator
