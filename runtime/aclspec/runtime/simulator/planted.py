"""Faults planted in the simulator, for tests of what has to find them; nothing else sets the variable.

``ACLSPEC_SIMULATOR_FAULT`` is a list of ``kind:operator[.rule][=value]`` with commas between them:

- ``unchecked:aclnnX.rule``: the rule is not checked.
- ``status:aclnnX.rule=561002``: the rule refuses with this status; a shortcut refuses what it should let pass.
- ``unsupported:aclnnX=atlas_a2``: the product is none of those that the operator supports.
- ``refused:aclnnX=BF16``: the dtype row is removed; calls with a tensor of this dtype are refused.
- ``taken:aclnnX=INT8``: a dtype row is added; no rule on dtypes refuses a call with a tensor of this dtype.
- ``value:aclnnX=1.02``: floating-point outputs are multiplied by this factor.
- ``crash:aclnnX=8``, ``hang:aclnnX=8``, ``leak:aclnnX=8``: so does a call with a tensor of 8 elements or more, in the
  program, by the C code.
- ``signal:aclnnX=11``: the device process gets this signal in phase two.
- ``error:aclnnX``: phase two raises an exception that nobody foresees.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.environment import MODES, Mode, Variable
from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.two_phase import check
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo
from aclspec.runtime.tensors.tensor import leaves

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable

VARIABLE = Variable("ACLSPEC_SIMULATOR_FAULT")
KINDS = ("unchecked", "status", "unsupported", "refused", "taken", "value", "crash", "hang", "leak", "signal", "error")
_NOWHERE = ("no product",)


class Fault(NamedTuple):
    """One fault of an operator; ``rule`` is the short id of a rule."""

    kind: str
    operator: str
    rule: str
    value: str


@lru_cache(maxsize=8)
def read(text: str) -> tuple[Fault, ...]:
    """The faults of a text; ValueError for one that is none."""
    found = []
    for entry in filter(None, text.split(",")):
        kind, _, rest = entry.partition(":")
        subject, _, value = rest.partition("=")
        operator, _, rule = subject.partition(".")
        if kind not in KINDS or not operator:
            raise ValueError(f"The entry ({entry}) of {VARIABLE} is not a kind, a colon and an operator.")
        found.append(Fault(kind, operator, rule, value))
    return tuple(found)


def faults(operator: str) -> tuple[Fault, ...]:
    """The faults that are planted in an operator of this C name."""
    text = VARIABLE.read()
    return () if text is None else tuple(one for one in read(text) if one.operator == operator)


def check_planted(
    planted: Sequence[Fault],
    operator: OperatorTable,
    info: OperatorInfo,
    values: Sequence[Any],
    product: str,
    mode: Mode,
    function: str,
) -> str | None:
    """What `check` answers where these faults are planted."""
    tensors = [one for value in values for one in leaves(value)]
    dtypes = {one.dtype for one in tensors}
    refused = [one for one in planted if one.kind == "refused" and DType[one.value] in dtypes]
    gone = {one.value for one in planted if one.kind == "unsupported"}
    rules = tuple(_rule(one, planted, dtypes) for one in info.rules)
    if rules == info.rules and not refused:
        return check(operator, values, product, mode, function)
    products = tuple(pair for pair in info.products if pair[0] not in gone)
    call = {param.name: value for param, value in zip(operator.params, values, strict=True)}
    report = evaluate(replace(info, rules=rules, products=products), call, product, mode)
    status = Status.ACLNN_ERR_PARAM_INVALID if refused and not report.failing else report.status
    if status is not Status.ACLNN_SUCCESS:
        raise AclnnError(while_calling("The call is refused.", function), status)
    return None if report.shortcut is None else info.rule(report.shortcut).effect


def _rule(rule: RuleInfo, planted: Sequence[Fault], dtypes: set[DType]) -> RuleInfo:
    """A rule as the faults change it."""
    for one in planted:
        if one.rule == rule.id and one.kind == "unchecked":
            return replace(rule, products=_NOWHERE)
        if one.rule == rule.id and one.kind == "status":
            status = tuple((mode, Status(int(one.value)).name) for mode, _ in rule.status)
            if rule.kind == "shortcut":
                return replace(rule, kind="rule", require=parse("false"), effect=None, status=status)
            return replace(rule, status=status)
        if one.kind == "unsupported" and rule.kind == "product":  # some are the document's alone
            return replace(rule, status=tuple((mode, Status.ACLNN_ERR_PARAM_INVALID.name) for mode in MODES))
        if one.kind == "taken" and rule.kind in ("dtype", "dtypes") and DType[one.value] in dtypes:
            return replace(rule, products=_NOWHERE)
    return rule


def disturb(planted: Sequence[Fault]) -> None:
    """Die or raise where a fault says so."""
    for one in planted:
        if one.kind == "signal":
            os.kill(os.getpid(), int(one.value))
        if one.kind == "error":
            raise ZeroDivisionError("a planted fault")


def spoil(planted: Sequence[Fault], operator: OperatorTable, values: Sequence[Any]) -> None:
    """Multiply the floating-point outputs by what a fault says."""
    for factor in (float(one.value) for one in planted if one.kind == "value"):
        for array in _outputs(operator, values):
            array[...] = (array.astype("float64") * factor).astype(array.dtype)


def _outputs(operator: OperatorTable, values: Sequence[Any]) -> Iterator[Any]:
    for param, value in zip(operator.params, values, strict=True):
        yield from (one.array for one in leaves(value) if param.is_output and one.dtype.is_floating)
