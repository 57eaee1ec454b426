"""What a caller gives as ``out``: bound to the outputs, and checked to be memory that can be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.arrays import is_tensor_like, is_torch
from aclspec.runtime.convert import Converter, list_converter, tensor_converter
from aclspec.runtime.errors import ParamError, type_error
from aclspec.runtime.parameters import Param
from aclspec.runtime.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOO_HARD = 10_000
"""How long to look for a common element of two outputs before they count as apart."""


def output_converter(param: Param, operator: str) -> Converter:
    """The converter of an output that the caller gives: a tensor, or a list of tensors, whose memory can be written."""
    if param.type == "tensor_list":
        return list_converter(param, operator, output_converter)
    inner = tensor_converter(param, operator)
    name = param.name

    def convert(value: Any) -> Tensor | None:
        if value is None:
            return None
        if is_tensor_like(value) and not _is_memory(value):
            raise type_error(
                f"The output {name} (of type {type(value).__name__}) only gives copies of its values and cannot be "
                "written; give a NumPy array, a torch tensor or a Tensor with data.",
                name,
                operator,
            )
        tensor: Tensor = inner(value)
        if tensor.has_data:
            _check_writable(tensor.array, name, operator)
        return tensor

    return convert


def _is_memory(value: Any) -> bool:
    if is_torch(value):
        return not (value.is_neg() or value.is_conj())  # such a view negates or conjugates as it is read
    return isinstance(value, np.ndarray | Tensor) or hasattr(value, "__dlpack__")


def _check_writable(array: NDArray[Any], name: str, operator: str) -> None:
    if not array.flags.writeable:
        raise ParamError(f"The output {name} is read-only.", name, operator)
    for axis, (size, step) in enumerate(zip(array.shape, array.strides, strict=True)):
        if size > 1 and step == 0 and array.size:
            raise ParamError(
                f"The stride of the output {name} on axis {axis} is 0, so that its {size} elements are one.",
                name,
                operator,
            )

    if not array.flags.c_contiguous and _repeats(array):
        steps = ", ".join(str(step // array.itemsize) for step in array.strides)
        raise ParamError(
            f"The strides of the output {name} ({steps}) put several of its elements in one place.", name, operator
        )


def _repeats(array: NDArray[Any]) -> bool:
    """Whether two elements of a view share their memory, as far as that is found in bounded time."""
    reach = 0
    for step, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size > 1 and step <= reach:
            break
        reach += step * (size - 1)
    else:
        return False  # each axis steps past all that the shorter ones reach
    if array.size > TOO_HARD:
        return False
    places = sum(np.ix_(*(np.arange(size) * step for step, size in zip(array.strides, array.shape, strict=True))))
    return bool(np.unique(places).size < array.size)


def bind_out(outputs: Sequence[Param], out: object, operator: str) -> list[object]:
    """What the caller gave for each output, in order; None where he gave nothing."""
    if isinstance(out, Mapping):
        return _by_name(outputs, out, operator)
    if isinstance(out, tuple | list):
        if is_only_list(outputs, out):
            return [out]
        if len(out) != len(outputs):
            raise type_error(
                f"The number of arrays in out ({len(out)}) is not the number of outputs "
                f"({len(outputs)}: {', '.join(param.name for param in outputs)}).",
                "out",
                operator,
            )
        return list(out)
    if is_tensor_like(out) and len(outputs) == 1:
        return [out]
    names = ", ".join(param.name for param in outputs)
    raise type_error(
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
            from aclspec.runtime.suggest import did_you_mean

            hint = did_you_mean(str(name), index)
            raise type_error(f"The name in out ({name}) is not an output{hint}.", "out", operator)
        if at in seen:
            raise type_error(f"The output {outputs[at].name} is given twice in out.", "out", operator)
        seen.add(at)
        given[at] = value
    return given


def check_apart(outputs: Sequence[Param], written: Sequence[Any], operator: str) -> None:
    """Refuse two outputs that have an element in common.

    ``written`` has None for an output that the caller did not give or that is switched off: that one is never written.
    """
    with_data = [
        (name, param.name, tensor.array)
        for param, value in zip(outputs, written, strict=True)
        for name, tensor in _named(param.name, value)
        if tensor.has_data
    ]
    for at, (name, param_name, array) in enumerate(with_data):
        for other, _, before in with_data[:at]:
            if share_memory(array, before):
                text = f"The memory of the output {name} overlaps that of the output {other}."
                raise ParamError(text, param_name, operator)


def _named(name: str, value: Any) -> list[tuple[str, Tensor]]:
    """The tensors of an output, those of a list with their index."""
    if isinstance(value, tuple):
        return [(f"{name}[{at}]", item) for at, item in enumerate(value) if item is not None]
    return [] if value is None else [(name, value)]


def share_memory(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays have an element in common, as far as that is found in bounded time."""
    if not np.may_share_memory(one, other):
        return False
    try:
        return bool(np.shares_memory(one, other, max_work=TOO_HARD))  # type: ignore[arg-type]  # the stubs know -1 and 0 only
    except np.exceptions.TooHardError:
        return False
