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

from aclspec.runtime.backends import DEFAULT, Kernel
from aclspec.runtime.backends import ENVIRONMENT as BACKEND
from aclspec.runtime.modes import CONFORMANCE
from aclspec.runtime.native.kernel import CompiledKernel
from aclspec.runtime.native.library import SWITCH, THREADS
from aclspec.runtime.products import ENVIRONMENT as PRODUCT

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param

MOST = 256
"""Plans that an operator keeps; the oldest one goes first."""
LARGEST = 1 << 20
"""Elements of all outputs together; a call with more asks each time how much memory there is."""

Key: TypeAlias = tuple[Any, ...]
_ndarray = np.ndarray
_INTS, _BOOLS, _PHASE = object(), object(), object()
_KINDS: dict[str, Any] = {
    "tensor": _ndarray,
    "int_array": _INTS,
    "bool_array": _BOOLS,
    "bool": bool,
    "float": float,
    "double": float,
    "string": str,
} | dict.fromkeys(("int8", "int32", "int", "int64", "uint64"), int)


class Plan:
    """A checked call of one kind, ready to compute."""

    __slots__ = ("_made", "_outputs", "_run", "_tensors", "_values")

    def __init__(
        self,
        values: Sequence[Any],
        tensors: Sequence[tuple[int, int]],
        outputs: Sequence[tuple[int, Any, Any, bool]],
        run: Callable[[Sequence[Any]], None],
        made: Any,
    ) -> None:
        """The parts of a call.

        ``values`` are the attributes in C order; ``tensors`` pairs the place of each tensor among the inputs and in C
        order; an output is its place in C order (-1: switched off), its shape, its dtype and whether it begins with
        zeros; ``made`` is the class of the result.
        """
        self._values = values
        self._tensors = tensors
        self._outputs = outputs
        self._run = run
        self._made = made

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """The result of a call with arrays of the planned shapes and dtypes."""
        values = [*self._values]
        for given, at in self._tensors:
            values[at] = inputs[given]
        results: list[Any] = []
        for at, shape, dtype, zeroed in self._outputs:
            if at < 0:
                results.append(None)
            else:
                array = values[at] = np.zeros(shape, dtype) if zeroed else np.empty(shape, dtype)
                results.append(array)
        self._run(values)
        return self._made(results)


class Plans:
    """The plans of one operator."""

    __slots__ = ("_by_key", "_kinds", "_of_phase")

    def __init__(self, operator: Operator) -> None:
        """Nothing is kept yet; an operator with lists, or scalars among its inputs, or in place, keeps no plans."""
        kinds = [_kind(param) for param in (*operator.inputs, *operator.outputs)]
        plain = None not in kinds and not operator.in_place
        self._kinds: tuple[Any, ...] = tuple(kinds[: len(operator.inputs)]) if plain else ()
        # Phase one is given the outputs too, as arrays.
        phase = [
            (kind, param.is_output) for kind, param in zip(map(_kind, operator.params), operator.params, strict=True)
        ]
        self._of_phase: tuple[tuple[Any, bool], ...] = tuple(phase) if self._kinds else ()
        self._by_key: dict[Key, Any] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._by_key)

    def clear(self) -> None:
        """Let go of all of them."""
        self._by_key.clear()

    def key(self, inputs: Sequence[Any], product: Any, conformance: Any, backend: Any) -> Key | None:
        """All that a plan depends on; None for a call that goes the long way."""
        if len(inputs) != len(self._kinds) or not (backend is None or backend == DEFAULT) or BACKEND.raw():
            return None
        parts = _choices(product, conformance)
        for kind, value in zip(self._kinds, inputs, strict=True):
            if kind is _ndarray and type(value) is _ndarray:
                flags = value.flags
                if not (flags.c_contiguous and flags.aligned):
                    return None
                parts.append((value.shape, value.dtype))
            elif not _add_plain(parts, kind, value):
                return None
        return tuple(parts)

    def phase_key(self, values: Sequence[Any], product: Any, conformance: Any, backend: Any) -> Key | None:
        """The key of phase one, with all parameters; also None where two of its arrays might share their memory."""
        if len(values) != len(self._of_phase) or not (backend is None or backend == DEFAULT) or BACKEND.raw():
            return None
        parts = _choices(product, conformance)
        parts.append(_PHASE)
        owners = []
        for (kind, is_output), value in zip(self._of_phase, values, strict=True):
            if kind is _ndarray and type(value) is _ndarray:
                flags = value.flags
                if not (flags.c_contiguous and flags.aligned) or (is_output and not flags.writeable):
                    return None
                owner = value if flags.owndata else value.base
                if type(owner) is not _ndarray or not owner.flags.owndata:
                    return None  # whose memory it is cannot be told
                parts.append((value.shape, value.dtype))
                owners.append(id(owner))
            elif not _add_plain(parts, kind, value):
                return None
        return tuple(parts) if len(set(owners)) == len(owners) else None

    def get(self, key: Key) -> Any:
        """What is kept for a key, else None; so also for a key with something in it that cannot be one."""
        try:
            return self._by_key.get(key)
        except TypeError:
            return None

    def keep(self, key: Key, plan: object) -> None:
        """Keep a plan, and let go of the oldest where there are too many."""
        self._by_key[key] = plan
        while len(self._by_key) > MOST:
            try:
                self._by_key.pop(next(iter(self._by_key)), None)
            except (StopIteration, RuntimeError):  # another thread is at it
                return


def _kind(param: Param) -> Any:
    return _KINDS.get(param.type)


def _choices(product: Any, conformance: Any) -> list[Any]:
    """What a call does not say, and the environment does."""
    return [
        PRODUCT.raw() if product is None else product,
        CONFORMANCE.raw() if conformance is None else conformance,
        SWITCH.raw(),
        THREADS.raw(),
    ]


def _add_plain(parts: list[Any], kind: Any, value: Any) -> bool:
    """Add an attribute or a null to a key; False for what is left to the long way."""
    if value is None or type(value) is kind:
        if kind is float and (not value or value != value):
            return False  # a zero has a sign, and a NaN is no key
        parts.append(value)
        return True
    if (kind is not _INTS and kind is not _BOOLS) or type(value) not in (list, tuple):
        return False
    element = int if kind is _INTS else bool
    for one in value:
        if type(one) is not element:
            return False  # True equals 1, and must not be taken for it
    parts.append(tuple(value))
    return True


def plan_of(operator: Operator, kernel: Kernel, values: Sequence[Any], precision: Any) -> Plan | None:
    """The plan of a call that has just been computed, from its arrays and attributes in C order."""
    outputs: list[tuple[int, Any, Any, bool]] = []
    kept = list(values)
    for at, (param, value) in enumerate(zip(operator.params, values, strict=True)):
        if param.is_output:
            outputs.append((-1, None, None, False) if value is None else (at, value.shape, value.dtype, param.partial))
        if isinstance(value, _ndarray):
            kept[at] = None
    if sum(prod(shape) for at, shape, *_ in outputs if at >= 0) > LARGEST:
        return None
    places = [at for at, param in enumerate(operator.params) if param.is_input]
    tensors = [(given, at) for given, at in enumerate(places) if isinstance(values[at], _ndarray)]
    return Plan(kept, tensors, outputs, prepared(kernel, values, precision), operator.result._make)


def prepared(kernel: Kernel, values: Sequence[Any], precision: Any) -> Callable[[Sequence[Any]], None]:
    """What computes calls with arrays like these, all parameters in C order."""
    plain = kernel
    if isinstance(kernel, CompiledKernel):
        run = kernel.prepare(*values, precision)
        if run is not None:
            return run
        plain = kernel.numpy
    return lambda given: plain(*given, precision)
