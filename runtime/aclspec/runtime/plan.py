"""Plans: what the shapes, dtypes and attributes of a call decide, kept so that the next such call only computes.

The first call of a kind goes the long way: conversion, inference, checks, precision. If it passes, its outputs, the
dtype of each role and the kernel's own preparation are kept under a key of all that they depend on. A call that finds
its key goes by no table, no rule and no spec: it allocates its outputs and runs the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

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


class New(NamedTuple):
    """An output that each call makes."""

    shape: tuple[int, ...]
    dtype: Any
    zeroed: bool


class Plan:
    """A checked call of one kind, ready to compute."""

    __slots__ = ("_attributes", "_new", "_result", "_results", "_run", "_values", "are_apart")

    def __init__(
        self,
        attributes: Sequence[Any],
        new: Sequence[New],
        values: Sequence[int],
        results: Sequence[int],
        run: Run,
        result: Any,
        are_apart: Apart,
    ) -> None:
        """The parts of a call.

        A call has a pool: the planned ``attributes``, the ``new`` outputs, the inputs, and the arrays given to write.
        ``values`` are the places there of all parameters in C order, ``results`` those of the outputs. ``result`` is
        the class of the result; ``are_apart`` is asked about inputs and given outputs together.
        """
        self._attributes = tuple(attributes)
        self._new = tuple(new)
        self._values = _picker(values)
        self._results = _picker(results)
        self._run = run
        self._result = result
        self.are_apart = are_apart

    def __call__(self, inputs: Sequence[Any], given: Sequence[Any]) -> Any:
        """The result of a call with arrays of the planned shapes and dtypes."""
        if self._new:
            made = [np.zeros(shape, dtype) if zeroed else np.empty(shape, dtype) for shape, dtype, zeroed in self._new]
            pool = [*self._attributes, *made, *inputs, *given]
        else:
            pool = [*self._attributes, *inputs, *given]
        self._run(self._values(pool))
        return _new_tuple(self._result, self._results(pool))


def _picker(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What takes the elements at some places out of a sequence."""
    return itemgetter(*places) if len(places) > 1 else itemgetter(*(slice(at, at + 1) for at in places))


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
    written = dict(zip((at for at, param in enumerate(operator.params) if param.is_output), sources, strict=True))
    read = {at: place for place, at in enumerate(at for at, param in enumerate(operator.params) if param.is_input)}
    kept = [at for at, value in enumerate(arrays) if not isinstance(value, _ndarray)]  # None: an output switched off
    made = [at for at, source in written.items() if source < 0 and at not in kept]
    new = [New(arrays[at].shape, arrays[at].dtype, operator.params[at].partial) for at in made]
    if sum(prod(one.shape) for one in new) > LARGEST:
        return None
    places = {at: place for place, at in enumerate((*kept, *made))}
    inputs = len(places)
    for at in range(len(arrays)):
        places.setdefault(at, inputs + (read[at] if at in read else len(read) + written[at]))
    are_apart = Apart((*(arrays[at] for at in read), *given), range(len(read), len(read) + len(given)))
    in_order, results = [places[at] for at in range(len(arrays))], [places[at] for at in written]
    run = prepared(kernel, arrays, precision)
    return Plan([arrays[at] for at in kept], new, in_order, results, run, operator.result, are_apart)


def prepared(kernel: Kernel, values: Sequence[Any], precision: Any) -> Run:
    """What computes calls with arrays like these, all parameters in C order."""
    plain = kernel
    if isinstance(kernel, CompiledKernel):
        run = kernel.prepare(*values, precision)
        if run is not None:
            return run
        plain = kernel.numpy
    return lambda given: plain(*given, precision)
