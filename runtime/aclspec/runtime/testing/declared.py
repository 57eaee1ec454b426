"""What is tested of an operator without a known rule: its signature, and that it answers nothing."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, last_error
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.levels import UNKNOWN_STATUS
from aclspec.runtime.tensors.tensor import Tensor

_VALUES: dict[str, Any] = {"bool": False, "int": 0, "float": 0.0, "dtype": DType.FLOAT}
"""A value of each type that is no pointer."""
_PHASE_TWO = ("workspace", "workspaceSize", "executor", "stream")


class Declared:
    """The signature of an operator: the name, the type and the direction of each parameter in C order."""

    def __init__(self, operator: Operator, name: str, *params: str) -> None:
        """The signature that an operator must have."""
        self.operator = operator
        self.name = name
        self.params = [(given, *rest.split(", ")) for given, _, rest in (param.partition(": ") for param in params)]

    def check_signature(self) -> None:
        """The table, and the Python and the C functions, have these parameters."""
        operator, info, module = self.operator, self.operator.info, import_module(self.operator.module)
        assert (operator.name, info.level, operator.level) == (self.name, "declared", "declared")
        assert [(one.name, one.type, one.direction) for one in info.params] == self.params
        assert [(one.name, one.type) for one in operator.params] == [(name, kind) for name, kind, _ in self.params]
        read = [one.snake for one in info.params if one.direction != "out"]
        assert list(signature(getattr(module, operator.snake)).parameters)[: len(read)] == read
        first = signature(getattr(module, f"{self.name}GetWorkspaceSize")).parameters
        assert [name.rstrip("_") for name in first][: len(self.params)] == [one[0].rstrip("_") for one in self.params]
        assert tuple(signature(getattr(module, self.name)).parameters) == _PHASE_TWO

    def check_unknown(self) -> None:
        """No entry point says that a call works, nor that it fails."""
        values = [self._value(kind) for _, kind, _ in self.params]
        last_error()
        status, workspace, executor = self.operator.get_workspace_size(*values, backend="numpy")
        assert (status, workspace, executor) == (UNKNOWN_STATUS, 0, None)
        assert f"No rule of {self.name} is known" in (last_error() or "")
        explanation = self.operator.explain(*values)
        assert explanation.ok is None
        assert {(verdict.status, verdict.violations) for verdict in explanation.values()} == {(None, ())}
        assert self._refused() == UNKNOWN_STATUS

    def _refused(self) -> int | None:
        """The status with which the Python function refuses a call; None where it does not."""
        try:
            self.operator.call([self._value(param.type) for param in self.operator.inputs], backend="numpy")
        except AclnnError as error:
            return error.status
        return None

    def _value(self, kind: str) -> Any:
        if PARAM_TYPES[kind].pointer:
            return Tensor((1,), DType.FLOAT) if kind == "tensor" else None
        return _VALUES[PARAM_TYPES[kind].predicate]
