"""The plan of a phase one: the executors of later calls like it are made and run without a look at a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.apart import Apart
from aclspec.runtime.compute import kernel_value
from aclspec.runtime.errors import AclnnError, while_calling
from aclspec.runtime.executor import Executor
from aclspec.runtime.plan import prepared
from aclspec.runtime.plan_key import have_shapes
from aclspec.runtime.status import Status
from aclspec.runtime.tensor import Tensor

_SUCCESS = Status.ACLNN_SUCCESS


class PhasePlan:
    """A phase one that passed, for the calls like it."""

    __slots__ = ("_arrays", "_call", "_run", "_shapes", "_values", "are_apart")

    def __init__(self, executor: Executor, given: Sequence[Any]) -> None:
        """The plan that this executor shows, of a call with these values."""
        call, values = executor.call, executor.values
        precision = call.operator.precision(call.product, *values)
        arrays = [kernel_value(value) for value in values]
        self._arrays = [at for at, value in enumerate(values) if isinstance(value, Tensor)]
        self._shapes = [value.shape if isinstance(value, Tensor) else None for value in values]
        self._values = [None if at in self._arrays else value for at, value in enumerate(arrays)]
        self._run = prepared(call.operator.kernel_for(call.backend), arrays, precision)
        self._call = call._replace(run=self._compute)
        self.are_apart = Apart(given, [at for at, param in enumerate(call.operator.params) if param.is_output])

    def __call__(self, given: Sequence[Any]) -> tuple[Status, int, Executor]:
        """What phase one answers."""
        values = [*self._values]
        for at in self._arrays:
            values[at] = given[at]
        call = self._call
        return _SUCCESS, call.workspace_size, Executor(call, values)

    def _compute(self, values: Any) -> None:
        if not have_shapes(values, self._shapes):
            for value, shape in zip(values, self._shapes, strict=True):
                if shape is not None and value.shape != shape:
                    raise changed(value.shape, shape, self._call.operator.name)
        self._run(values)


def changed(shape: tuple[int, ...], before: tuple[int, ...], function: str) -> AclnnError:
    """Why phase two refuses an array: a caller may reshape and resize his own between the phases."""
    sentence = f"The shape of an array ({list(shape)}) is not the one that phase one saw ({list(before)})."
    return AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_PARAM_INVALID)
