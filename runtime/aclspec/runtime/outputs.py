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
from aclspec.runtime.tensor import Tensor, provide, wrap

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param


FEW = 1 << 20
"""So many elements are allocated without a look at how many bytes there are."""


class Outputs:
    """The outputs of one call, in the order of the operator's outputs.

    ``inferred`` is what follows from the inputs, without data, None for an output that is switched off; ``given`` is
    what the caller gave in ``out``, empty without it. An output that is written in place is computed in a copy of its
    input: nothing but ``out`` is ever written.
    """

    __slots__ = ("given", "inferred", "objects", "operator")

    def __init__(self, operator: Operator, values: Sequence[Any], out: object) -> None:
        """The outputs of a call with these converted inputs."""
        self.operator = operator
        self.inferred = operator.inferred(values)
        self.objects: Sequence[object] = ()
        self.given: Sequence[Tensor | None] = ()
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
                tensor = read[param]
                self.inferred[at] = tensor and wrap(tensor.shape, tensor.dtype, tensor.format)

    def described(self) -> Sequence[Tensor | None]:
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

    def targets(self, values: Sequence[Any], effect: str | None) -> list[Tensor | None]:
        """The tensors to write; AclnnError, before anything is allocated, where that is not possible.

        ``effect`` is what a shortcut does. New arrays then hold zeros, so that no stale memory shows through where the
        shortcut leaves an output unwritten; so do those of which the kernel may leave a part unwritten.
        """
        chosen = list(self.inferred)
        if self.given:
            self._check_given(effect)
            for at, own in enumerate(self.given):
                if own is not None and own.has_data and chosen[at] is not None and not self._is_in_place(at):
                    chosen[at] = own
        new = [tensor for tensor in chosen if tensor is not None and tensor._array is None]
        sizes = [prod(tensor.shape) for tensor in new]
        if sum(sizes) > FEW or (sizes and min(sizes) < 0):
            reserve(new, self.operator.name)
        for param, tensor in zip(self.operator.outputs, chosen, strict=True):
            if tensor is not None and tensor._array is None:
                zeroed = effect is not None or param.partial
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
            if (own.shape, own.dtype) != (mine.shape, mine.dtype):
                raise ParamError(f"The out for {param.name} ({own}) is not like {param.name} ({mine}).", "out", name)

    def require(self, params: Sequence[Param], written: Iterable[Tensor | None]) -> None:
        """Refuse an output to write that has no data."""
        require_data(params, written, self.operator.name)

    def _start_in_place(self, values: Sequence[Any], targets: Sequence[Tensor | None]) -> None:
        read = dict(zip(self.operator.inputs, values, strict=True))
        for param, target in zip(self.operator.outputs, targets, strict=True):
            if param.is_input and target is not None and read[param].has_data:
                np.copyto(target.array, read[param].array)

    def finish(self, targets: Sequence[Tensor | None], effect: str | None) -> None:
        """Write what the caller gave and the kernel did not: the result of an in-place output, a shortcut's zeros."""
        for param, own, target in zip(self.operator.outputs, self.given, targets, strict=True):
            if own is None or target is None or effect == "unwritten":
                continue
            if effect == "zeros":
                own.array[...] = 0
            elif param.is_input:
                np.copyto(own.array, target.array)

    def results(self, inputs: Sequence[Any], targets: Sequence[Tensor | None]) -> Any:
        """The outputs in the result class: the caller's own objects, else arrays of the kind that the inputs are."""
        native = native_of(inputs, self.operator.tensor_inputs)
        found: list[object] = []
        for at, target in enumerate(targets):
            if target is None:
                found.append(None)
            elif self.objects and self.objects[at] is not None:
                found.append(self.objects[at])
            else:
                found.append(target.array if native is None else native(target.array, target.format))
        return self.operator.result._make(found)


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
