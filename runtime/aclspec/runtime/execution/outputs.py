"""The outputs of a call: given in ``out`` or allocated, and returned as the caller's kind of array."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import BY_NUMPY
from aclspec.runtime.abi.errors import ParamError, ParamTypeError
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.execution.compute import Lengths, allocate, require_data, reserve
from aclspec.runtime.tensors.array_coercion import TORCH_VIEWS, is_tensor_like, is_torch
from aclspec.runtime.tensors.overlap import overlapping_pairs
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves, provide, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.rules.operator_table import OperatorTable


MAX_WORK = 10_000
"""Steps of the search for a common element of two outputs; beyond it they count as disjoint."""


def bind_out(outputs: Sequence[Param], out: object, operator: str) -> list[object]:
    """The argument for each output, in order; None where there is none."""
    if isinstance(out, Mapping):
        return _by_name(outputs, out, operator)
    if isinstance(out, tuple | list):
        if is_only_list(outputs, out):
            return [out]
        if len(out) != len(outputs):
            raise ParamTypeError(
                f"The number of arrays in out ({len(out)}) is not the number of outputs "
                f"({len(outputs)}: {', '.join(param.name for param in outputs)}).",
                "out",
                operator,
            )
        return list(out)
    if is_tensor_like(out) and len(outputs) == 1:
        return [out]
    names = ", ".join(param.name for param in outputs)
    raise ParamTypeError(
        f"The value of out (of type {type(out).__name__}) is neither a dict by name nor a tuple of the "
        f"outputs ({names}){'' if len(outputs) > 1 else ' nor an array'}.",
        "out",
        operator,
    )


def is_only_list(outputs: Sequence[Param], out: object) -> bool:
    """Whether ``out`` holds the tensors of the only output, which is a list, rather than the outputs in order."""
    if len(outputs) != 1 or outputs[0].type != "tensor_list" or not isinstance(out, tuple | list):
        return False
    return not any(isinstance(item, tuple | list) for item in out)


def _by_name(outputs: Sequence[Param], out: Mapping[Any, object], operator: str) -> list[object]:
    given: list[object] = [None] * len(outputs)
    index = {name: at for at, param in enumerate(outputs) for name in (param.name, param.snake)}
    seen: set[int] = set()
    for name, value in out.items():
        at = index.get(name)
        if at is None:
            from aclspec.runtime.abi.suggest import did_you_mean

            hint = did_you_mean(str(name), index)
            raise ParamTypeError(f"The name in out ({name}) is not an output{hint}.", "out", operator)
        if at in seen:
            raise ParamTypeError(f"The output {outputs[at].name} is given twice in out.", "out", operator)
        seen.add(at)
        given[at] = value
    return given


def check_overlap(outputs: Sequence[Param], written: Sequence[Any], operator: str) -> None:
    """Refuse two outputs that have an element in common.

    ``written`` has None for an output that the caller did not give or that is switched off: that one is never written.
    """
    named = [
        (name, param.name, tensor)
        for param, value in zip(outputs, written, strict=True)
        for name, tensor in _named(param.name, value)
    ]
    for at, before in overlapping_pairs([tensor.extent for _, _, tensor in named]):
        (name, param_name, tensor), (other, _, earlier) = named[at], named[before]
        if share_memory(tensor, earlier):
            text = f"The memory of the output {name} overlaps that of the output {other}."
            raise ParamError(text, param_name, operator)


def _named(name: str, value: Any) -> list[tuple[str, Tensor]]:
    """The tensors of an output, those of a list with their index."""
    if isinstance(value, tuple):
        return [(f"{name}[{at}]", item) for at, item in enumerate(value) if item is not None]
    return [] if value is None else [(name, value)]


def share_memory(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors have an element in common, as far as that is found in bounded time."""
    mine, others = one.extent, other.extent
    if mine is None or others is None or one.place != other.place or not np.may_share_memory(mine, others):
        return False
    try:
        return bool(np.shares_memory(mine, others, max_work=MAX_WORK))  # type: ignore[arg-type]  # the stubs know -1 and 0 only
    except np.exceptions.TooHardError:
        return False


Native: TypeAlias = "Callable[[NDArray[Any], Format | None], object]"
"""Turns a result (and its format) into another kind of array."""
SMALL = 1 << 20
"""The most elements of new outputs that are allocated without asking how much memory there is."""


class Outputs:
    """The outputs of one call, in the order of the operator's outputs.

    ``inferred`` follows from the inputs, without data: None for an output that is switched off, a tuple for a list of
    tensors. ``given`` is what the caller gave in ``out``, empty without it. An output that is written in place is
    computed in a copy of its input: nothing but ``out`` is ever written.
    """

    __slots__ = ("given", "inferred", "objects", "operator", "values")

    def __init__(self, operator: OperatorTable, values: Sequence[Any], out: object) -> None:
        """The outputs of a call with these converted inputs."""
        self.operator = operator
        self.values = values
        self.inferred = operator.inferred(values)
        self.objects: Sequence[object] = ()
        self.given: Sequence[Any] = ()
        if operator.in_place:
            for at, source in self.sources():
                self.inferred[at] = each_leaf(_without_data, source)
        if out is not None:
            self.objects = bind_out(operator.outputs, out, operator.name)
            converters = zip(operator.output_converters, self.objects, strict=True)
            self.given = [convert(value) for convert, value in converters]
            self._follow_given()
            check_overlap(operator.outputs, self.written(), operator.name)
        elif operator.not_inferred:
            self._require_out()

    def _follow_given(self) -> None:
        """An output that no rule infers is what the caller gave, and null where the caller gave nothing."""
        for at in self.operator.not_inferred:
            self.inferred[at] = self.given[at]

    def _require_out(self) -> None:
        """Refuse a call that leaves out outputs which no rule infers."""
        missing = ", ".join(self.operator.outputs[at].name for at in self.operator.not_inferred)
        text = f"No rule of {self.operator.name} says what its outputs are; give out ({missing})."
        raise ParamError(text, "out", self.operator.name)

    def sources(self) -> Iterable[tuple[int, Any]]:
        """The outputs that are written in place, by their place among the outputs, with the inputs they start from."""
        read = dict(zip(self.operator.inputs, self.values, strict=True))
        return [(at, read[param]) for at, param in enumerate(self.operator.outputs) if param.is_input]

    def written(self) -> list[Any]:
        """The given outputs, None for one that is not given or is switched off."""
        return [mine and own for own, mine in zip(self.given, self.inferred, strict=True)]

    def described(self) -> Sequence[Any]:
        """The outputs that the checks look at."""
        if not self.given:
            return self.inferred
        return [mine if own is None else own for own, mine in zip(self.given, self.inferred, strict=True)]

    def inferred_places(self) -> list[int]:
        """The places in C order of the pure outputs that the caller did not give."""
        params = self.operator.params
        places = [at for at, param in enumerate(params) if param.is_output]
        given = self.given or [None] * len(places)
        return [at for at, own in zip(places, given, strict=True) if own is None and not params[at].is_input]

    def targets(self, effect: str | None) -> list[Any]:
        """The tensors to write; AclnnError, before anything is allocated, where that is not possible.

        ``effect`` is what a shortcut does. New arrays then hold zeros, so that no stale memory shows where the shortcut
        leaves an output unwritten; so do those that the kernel may write only in part.
        """
        chosen = list(self.inferred)
        if self.given:
            self.check_given(effect)
            for at, own in enumerate(self.given):
                in_place = self.operator.outputs[at].is_input
                if own is not None and chosen[at] is not None and not in_place and has_data(own):
                    chosen[at] = own
        self._allocate(chosen, effect)
        if self.operator.in_place:
            for at, source in self.sources():
                if chosen[at] is not None and has_data(source):
                    _copy(chosen[at], source)
        return chosen

    def _allocate(self, chosen: Sequence[Any], effect: str | None) -> None:
        """Give the tensors without data arrays, once it is known that there is memory for all of them."""
        name, elements = self.operator.name, 0
        new: list[tuple[Tensor, bool]] = []
        for param, value in zip(self.operator.outputs, chosen, strict=True):
            for tensor in (value,) if type(value) is Tensor else leaves(value):
                if tensor._array is None:
                    size = prod(tensor.shape)
                    elements += size if size >= 0 else SMALL + 1
                    new.append((tensor, effect is not None or param.partial))
        if elements > SMALL:
            reserve([tensor for tensor, _ in new], name)
        for tensor, zeroed in new:
            provide(tensor, allocate(tensor, name, zeroed))

    def check_given(self, effect: str | None) -> None:
        """Refuse outputs to write that have no data, or that are not like the input they start from."""
        name, params = self.operator.name, self.operator.outputs
        if effect != "unwritten":
            self.require_data()
        for param, own, mine in zip(params, self.given, self.inferred, strict=True):
            if not param.is_input or own is None or mine is None:
                continue
            if [(one.shape, one.dtype) for one in leaves(own)] != [(one.shape, one.dtype) for one in leaves(mine)]:
                found, expected = (", ".join(map(str, leaves(value))) for value in (own, mine))
                text = f"The out for {param.name} ({found}) is not like {param.name} ({expected})."
                raise ParamError(text, "out", name)

    def require_data(self) -> None:
        """Refuse a given output that has no data."""
        require_data(self.operator.outputs, self.written(), self.operator.name)

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

    def results(self, inputs: Sequence[Any], targets: Sequence[Any], lengths: Lengths = None) -> Any:
        """The outputs in the result class: the caller's own objects, else arrays of the kind that the inputs are.

        Of an output whose shape depends on the data it is the part that was written, a view of the whole.
        """
        native = native_of(inputs, self.operator.tensor_inputs)
        if native is None and not self.objects and lengths is None:
            return self.operator.result._make([_array_of(target) for target in targets])
        found: list[object] = []
        objects = self.objects or [None] * len(targets)
        outputs = zip(self.operator.outputs, targets, objects, self.by_output(lengths), strict=True)
        for param, target, own, length in outputs:
            if target is None:
                found.append(None)
            elif length is not None:
                part, kind = written_part(param, target.array, length), native if own is None else native_of([own], [0])
                found.append(part if kind is None else kind(part, target.format))
            elif own is not None:
                found.append(own)
            elif native is None:
                found.append(_array_of(target))
            else:
                found.append(each_leaf(lambda one: native(one.array, one.format), target))
        return self.operator.result._make(found)

    def by_output(self, lengths: Lengths) -> list[int | None]:
        """For each output the length that the data decides, None where its shape does not depend on the data."""
        found = iter(lengths or ())
        return [next(found, None) if param.data_dependent else None for param in self.operator.outputs]


def _without_data(tensor: Tensor | None) -> Tensor | None:
    return tensor and wrap(tensor.shape, tensor.dtype, tensor.format)


def _array_of(target: Any) -> Any:
    return target._array if type(target) is Tensor else target and tuple(map(_array_of, target))


def written_part(param: Param, array: NDArray[Any], length: int) -> NDArray[Any]:
    """What is written of an output whose length depends on the data: the first of its elements, as a view."""
    if param.dependent_axis == 0:
        return array[:length]
    shape = param.written(array.shape, length)
    return array.reshape(-1)[: prod(shape)].reshape(shape)


def has_data(value: Any) -> bool:
    """Whether all tensors of a value have data."""
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
        found = native_of(value, range(len(value))) if isinstance(value, tuple | list) else _native_kind(value)
        if found is not None:
            return found
    return None


def _native_kind(value: Any) -> Native | None:
    """How a result becomes the same kind as this argument; None where that is a NumPy array."""
    if isinstance(value, Tensor):
        return _as_tensor
    if is_torch(value):
        return _as_torch
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "__array_namespace__"):
        return None
    namespace = value.__array_namespace__()
    return lambda array, _format: namespace.asarray(array)


def _as_tensor(array: NDArray[Any], format: Format | None) -> Tensor:
    return wrap(array.shape, BY_NUMPY[array.dtype], format, array)


def _as_torch(array: NDArray[Any], _format: Format | None) -> object:
    torch = sys.modules["torch"]
    kind = next((name for name, dtype in TORCH_VIEWS.items() if dtype is BY_NUMPY[array.dtype]), None)
    if kind is None:
        return torch.from_numpy(array)
    bits = np.int16 if array.itemsize == 2 else np.uint8
    return torch.from_numpy(array.view(bits)).view(getattr(torch, kind))
