"""Plans: what the shapes, dtypes and attributes of a call decide, kept so that the next such call only computes.

The first call of a kind goes the long way: conversion, inference, checks, precision. If it passes, its outputs, the
dtype of each role and the kernel's own preparation are kept under a key of all that they depend on. A call that finds
its key goes by no table, no rule and no spec: it allocates its outputs and runs the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aclspec.runtime.apart import Apart
from aclspec.runtime.backends import Kernel
from aclspec.runtime.compute import kernel_value
from aclspec.runtime.native.kernel import CompiledKernel

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

LARGEST = 1 << 20
"""Elements of all new outputs together; a call with more asks each time how much memory there is."""

Run: TypeAlias = Callable[[Sequence[Any]], None]
_ndarray = np.ndarray
_new_tuple = tuple.__new__


class Plan:
    """A checked call of one kind, ready to compute."""

    __slots__ = ("_arrays", "_outputs", "_result", "_run", "_values", "are_apart")

    def __init__(
        self,
        values: Sequence[Any],
        arrays: Sequence[tuple[int, int]],
        outputs: Sequence[tuple[int, int, Any, Any, bool]],
        run: Run,
        result: Any,
        are_apart: Apart,
    ) -> None:
        """The parts of a call.

        ``values`` are the attributes in C order; ``arrays`` pairs the place of each array among the inputs and in C
        order; an output is its place in C order (-1: switched off), its place among those given (-1: a new one), its
        shape, its dtype and whether it begins with zeros; ``result`` is the class of the result; ``are_apart`` is asked
        about inputs and given outputs together.
        """
        self._values = values
        self._arrays = arrays
        self._outputs = outputs
        self._run = run
        self._result = result
        self.are_apart = are_apart

    def __call__(self, inputs: Sequence[Any], given: Sequence[Any]) -> Any:
        """The result of a call with arrays of the planned shapes and dtypes."""
        values = [*self._values]
        for source, at in self._arrays:
            values[at] = inputs[source]
        results: list[Any] = []
        for at, source, shape, dtype, zeroed in self._outputs:
            if at < 0:
                array = None
            elif source >= 0:
                array = values[at] = given[source]
            else:
                array = values[at] = np.zeros(shape, dtype) if zeroed else np.empty(shape, dtype)
            results.append(array)
        self._run(values)
        return _new_tuple(self._result, results)


def plan_of(
    operator: Operator,
    kernel: Kernel,
    values: Sequence[Any],
    precision: Any,
    sources: Sequence[int],
    given: Sequence[Any],
) -> Plan | None:
    """The plan of a call that has just been computed, from its tensors and attributes in C order.

    ``given`` are the arrays of ``out``, and ``sources`` the places of the outputs among them, -1 for a new one.
    """
    arrays = [kernel_value(value) for value in values]
    kept = [None if isinstance(value, _ndarray) else value for value in arrays]
    outputs: list[tuple[int, int, Any, Any, bool]] = []
    written = [at for at, param in enumerate(operator.params) if param.is_output]
    for at, source in zip(written, sources, strict=True):
        made = arrays[at]
        parts = (-1, -1, None, None, False)
        outputs.append(parts if made is None else (at, source, made.shape, made.dtype, operator.params[at].partial))
    if sum(prod(shape) for at, source, shape, *_ in outputs if at >= 0 > source) > LARGEST:
        return None
    read = [at for at, param in enumerate(operator.params) if param.is_input]
    tensors = [(place, at) for place, at in enumerate(read) if isinstance(arrays[at], _ndarray)]
    inputs = [arrays[at] for at in read]
    are_apart = Apart((*inputs, *given), range(len(inputs), len(inputs) + len(given)))
    return Plan(kept, tensors, outputs, prepared(kernel, arrays, precision), operator.result, are_apart)


def prepared(kernel: Kernel, values: Sequence[Any], precision: Any) -> Run:
    """What computes calls with arrays like these, all parameters in C order."""
    plain = kernel
    if isinstance(kernel, CompiledKernel):
        run = kernel.prepare(*values, precision)
        if run is not None:
            return run
        plain = kernel.numpy
    return lambda given: plain(*given, precision)
