"""The plan of a phase one: the executors of later calls like it are made without a look at a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.compute import kernel_value
from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.executor import Executor
from aclspec.runtime.operator import Operator
from aclspec.runtime.plan import prepared
from aclspec.runtime.status import Status
from aclspec.runtime.tensor import Tensor


class PhasePlan:
    """A phase one that passed, for the calls like it."""

    __slots__ = ("_name", "_product", "_run", "_shapes", "_size", "_values")

    def __init__(self, executor: Executor) -> None:
        """The plan that this executor shows."""
        operator, values = executor.operator, executor.values
        precision = operator.precision(executor.product, *values)
        arrays = [kernel_value(value) for value in values]
        self._values = [None if isinstance(value, Tensor) else (value,) for value in values]
        self._shapes = [value.shape if isinstance(value, Tensor) else None for value in values]
        self._run = prepared(operator.kernel_for(executor.backend), arrays, precision)
        self._size, self._product, self._name = executor.workspace_size, executor.product, operator.name

    def __call__(self, operator: Operator, given: Sequence[Any]) -> tuple[Status, int, Executor]:
        """What phase one answers."""
        values = [array if kept is None else kept[0] for kept, array in zip(self._values, given, strict=True)]
        return (
            Status.ACLNN_SUCCESS,
            self._size,
            Executor.planned(operator, self._product, values, self._size, self._compute),
        )

    def _compute(self, values: Sequence[Any]) -> None:
        for value, shape in zip(values, self._shapes, strict=True):
            if shape is not None and value.shape != shape:
                raise changed(value.shape, shape, self._name)
        self._run(values)


def changed(shape: tuple[int, ...], before: tuple[int, ...], function: str) -> AclnnError:
    """Why phase two refuses an array: a caller may reshape and resize his own between the phases."""
    sentence = f"The shape of an array ({list(shape)}) is not the one that phase one saw ({list(before)})."
    return AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_PARAM_INVALID)
