"""The outputs of a call: given by the caller or allocated for him, and handed back as his own kind of array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.arrays import Native, native_kind
from aclspec.runtime.compute import allocate, require_data, reserve
from aclspec.runtime.errors import ParamError
from aclspec.runtime.giving import bind_out, check_apart
from aclspec.runtime.leaves import each_leaf, leaves
from aclspec.runtime.tensor import Tensor, provide, wrap

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param


FEW = 1 << 20
"""So many elements are allocated without a look at how many bytes there are."""


class Outputs:
    """The outputs of one call, in the order of the operator's outputs.

    ``inferred`` is what follows from the inputs, without data, None for an output that is switched off, a tuple for a
    list of tensors; ``given`` is what the caller gave in ``out``, empty without it. An output that is written in place
    is computed in a copy of its input: nothing but ``out`` is ever written.
    """

    __slots__ = ("given", "inferred", "objects", "operator")

    def __init__(self, operator: Operator, values: Sequence[Any], out: object) -> None:
        """The outputs of a call with these converted inputs."""
        self.operator = operator
        self.inferred = operator.inferred(values)
        self.objects: Sequence[object] = ()
        self.given: Sequence[Any] = ()
        if operator.in_place:
            self._infer_in_place(values)
        if out is not None:
            self.objects = bind_out(operator.outputs, out, operator.name)
            converters = zip(operator.output_converters, self.objects, strict=True)
            self.given = [convert(value) for convert, value in converters]
            written = [mine and own for own, mine in zip(self.given, self.inferred, strict=True)]
            check_apart(operator.outputs, written, operator.name)

    def _infer_in_place(self, values: Sequence[Any]) -> None:
        read = dict(zip(self.operator.inputs, values, strict=True))
        for at, param in enumerate(self.operator.outputs):
            if param.is_input:
                self.inferred[at] = each_leaf(_described, read[param])

    def described(self) -> Sequence[Any]:
        """What the checks look at."""
        if not self.given:
            return self.inferred
        return [mine if own is None else own for own, mine in zip(self.given, self.inferred, strict=True)]

    def not_given(self) -> list[int]:
        """The places in C order of the pure outputs that the caller did not give."""
        params = self.operator.params
        places = [at for at, param in enumerate(params) if param.is_output]
        given = self.given or [None] * len(places)
        return [at for at, own in zip(places, given, strict=True) if own is None and not params[at].is_input]

    def targets(self, values: Sequence[Any], effect: str | None) -> list[Any]:
        """The tensors to write; AclnnError, before anything is allocated, where that is not possible.

        ``effect`` is what a shortcut does. New arrays then hold zeros, so that no stale memory shows through where the
        shortcut leaves an output unwritten; so do those of which the kernel may leave a part unwritten.
        """
        chosen = list(self.inferred)
        if self.given:
            self._check_given(effect)
            for at, own in enumerate(self.given):
                if own is not None and _has_data(own) and chosen[at] is not None and not self._is_in_place(at):
                    chosen[at] = own
        new = [tensor for value in chosen for tensor in leaves(value) if tensor._array is None]
        sizes = [prod(tensor.shape) for tensor in new]
        if sum(sizes) > FEW or (sizes and min(sizes) < 0):
            reserve(new, self.operator.name)
        for param, value in zip(self.operator.outputs, chosen, strict=True):
            zeroed = effect is not None or param.partial
            for tensor in leaves(value):
                if tensor._array is None:
                    provide(tensor, allocate(tensor, self.operator.name, zeroed))
        if self.operator.in_place:
            self._start_in_place(values, chosen)
        return chosen

    def _is_in_place(self, at: int) -> bool:
        return self.operator.outputs[at].is_input

    def _check_given(self, effect: str | None) -> None:
        name, params = self.operator.name, self.operator.outputs
        if effect != "unwritten":
            self.require(params, [mine and own for own, mine in zip(self.given, self.inferred, strict=True)])
        for param, own, mine in zip(params, self.given, self.inferred, strict=True):
            if not param.is_input or own is None or mine is None:
                continue
            if [(one.shape, one.dtype) for one in leaves(own)] != [(one.shape, one.dtype) for one in leaves(mine)]:
                told = [", ".join(map(str, leaves(value))) for value in (own, mine)]
                text = f"The out for {param.name} ({told[0]}) is not like {param.name} ({told[1]})."
                raise ParamError(text, "out", name)

    def require(self, params: Sequence[Param], written: Iterable[Any]) -> None:
        """Refuse an output to write that has no data."""
        require_data(params, written, self.operator.name)

    def _start_in_place(self, values: Sequence[Any], targets: Sequence[Any]) -> None:
        read = dict(zip(self.operator.inputs, values, strict=True))
        for param, target in zip(self.operator.outputs, targets, strict=True):
            if param.is_input and target is not None and _has_data(read[param]):
                _copy(target, read[param])

    def finish(self, targets: Sequence[Any], effect: str | None) -> None:
        """Write what the caller gave and the kernel did not: the result of an in-place output, a shortcut's zeros."""
        for param, own, target in zip(self.operator.outputs, self.given, targets, strict=True):
            if own is None or target is None or effect == "unwritten":
                continue
            if effect == "zeros":
                for tensor in leaves(own):
                    tensor.array[...] = 0
            elif param.is_input:
                _copy(own, target)

    def results(self, inputs: Sequence[Any], targets: Sequence[Any]) -> Any:
        """The outputs in the result class: the caller's own objects, else arrays of the kind that the inputs are."""
        native = native_of(inputs, self.operator.tensor_inputs)
        found: list[object] = []
        for at, target in enumerate(targets):
            if target is None:
                found.append(None)
            elif self.objects and self.objects[at] is not None:
                found.append(self.objects[at])
            elif native is None:
                found.append(each_leaf(_array_of, target))
            else:
                found.append(each_leaf(lambda one: native(one.array, one.format), target))
        return self.operator.result._make(found)


def _described(tensor: Tensor | None) -> Tensor | None:
    return tensor and wrap(tensor.shape, tensor.dtype, tensor.format)


def _array_of(tensor: Tensor) -> Any:
    return tensor.array


def _has_data(value: Any) -> bool:
    return all(tensor.has_data for tensor in leaves(value))


def _copy(target: Any, source: Any) -> None:
    for mine, theirs in zip(leaves(target), leaves(source), strict=True):
        np.copyto(mine.array, theirs.array)


def native_of(values: Sequence[Any], places: Iterable[int]) -> Native | None:
    """How results become the caller's own kind: that of the first tensor that is no NumPy array; None for NumPy."""
    for at in places:
        value = values[at]
        if type(value) is np.ndarray or value is None:
            continue
        found = native_of(value, range(len(value))) if isinstance(value, tuple | list) else native_kind(value)
        if found is not None:
            return found
    return None
