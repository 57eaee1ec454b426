"""The two phases of an operator as the C libraries of the simulator call them; nothing here raises for a bad call.

Each answers (status, workspace size, what phase two needs or None, message or None).
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.modes import resolve_conformance
from aclspec.runtime.simulator.plans import Plan, find, keep
from aclspec.runtime.simulator.values import Memory, Unusable, described, with_memory, without_memory
from aclspec.runtime.status import Status
from aclspec.runtime.two_phase import check_call, checked_call, refused

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

OPERATORS = "aclspec.ops"
BACKEND = "numpy"
Answer = tuple[int, int, Any, str | None]
_operators: dict[str, Operator] = {}


def register(packages: str) -> None:
    """Make the operators of generated packages known: a line for each, its name and the folder it is imported from."""
    for line in packages.splitlines():
        name, _, home = line.partition("\t")
        if home not in sys.path:
            sys.path.append(home)
        import_module(OPERATORS).register(name)


def planned_one(key: bytes, places: bytes) -> Answer | None:
    """What `phase_one` answers to a call like an earlier one; None for another."""
    plan = find(key, places)
    return None if plan is None else (int(Status.ACLNN_SUCCESS), plan.call.workspace_size, plan, None)


def phase_one(name: str, product: str, conformance: str, values: tuple[Any, ...], key: bytes) -> Answer:
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
    call = checked_call(operator, product, switched, effect, BACKEND)
    plan = Plan(call, given, [without_memory(value) for value in switched])
    keep(key, plan)
    return int(Status.ACLNN_SUCCESS), call.workspace_size, plan, None


def planned_two(plan: Plan, places: bytes) -> Answer | None:
    """Compute a checked call in the memory that such a call used last; None where its memory is another."""
    return (int(Status.ACLNN_SUCCESS), 0, None, None) if plan.again(places) else None


def phase_two(plan: Plan, memories: tuple[Memory, ...], places: bytes, later: bool) -> Answer:
    """Compute a checked call in the memory that its tensors have now; ``later``: only look whether that can be."""
    operator = plan.call.operator
    try:
        if not later and plan.elsewhere(memories, places):
            return int(Status.ACLNN_SUCCESS), 0, None, None
        values = with_memory(operator, plan.values, memories, plan.call.effect)
        if not later:
            plan.compute(values, places)
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
