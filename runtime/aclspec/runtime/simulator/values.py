"""What C hands over, as the checks and the kernels take it.

A tensor is ``(dtype, format, shape, strides, offset, storage shape, memory)``, a scalar ``(dtype, its bytes)``, a list
or an array a tuple, and null is None. A memory is ``(the bytes of the whole allocation, where the storage starts)``, or
``(why there is none, 0)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.errors import ParamError
from aclspec.runtime.formats import Format
from aclspec.runtime.layout import Layout, is_negative
from aclspec.runtime.parameters import Param
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.tensor import Tensor, describe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.operator import Operator

Memory: TypeAlias = "tuple[memoryview | int, int]"
_DTYPES = {int(dtype): dtype for dtype in DType if dtype.is_stored or dtype is DType.DT_UNDEFINED}
_FORMATS = {int(layout): layout for layout in Format}
_WHY = {
    1: "The address of {name} ({tensor}) is null.",
    2: "The address of {name} ({tensor}) is not in device memory, of which aclrtMalloc gives some.",
    3: "The address of {name} ({tensor}) is in device memory that is freed.",
}


class Unusable(Exception):
    """A tensor of a launched call that has no memory to compute with."""


def described(operator: Operator, values: Sequence[Any]) -> list[Any]:
    """The values of phase one: tensors with their memory where they have any, which the checks do not need."""
    return [_value(param, value, operator.name) for param, value in zip(operator.params, values, strict=True)]


def with_memory(
    operator: Operator, values: Sequence[Any], memories: Sequence[Any], effect: str | None
) -> tuple[Any, ...]:
    """The values of phase two, each tensor in the memory where it is now; `Unusable` for one that is in none."""
    if effect == "unwritten":
        return tuple(values)
    wanted = (param.is_output or effect is None for param in operator.params)
    parts = zip(operator.params, values, memories, wanted, strict=True)
    return tuple(_placed(param.name, value, memory) if want else None for param, value, memory, want in parts)


def _placed(name: str, value: Any, memory: Any) -> Any:
    if type(value) is Tensor:
        return _with_array(name, value, memory)
    if type(value) is tuple and type(memory) is tuple:  # a list of tensors; an array of numbers has no memory
        parts = zip(value, memory, strict=True)
        return tuple(_placed(f"{name}[{at}]", item, where) for at, (item, where) in enumerate(parts))
    return value


def _with_array(name: str, tensor: Tensor, memory: Memory) -> Tensor:
    held, start = memory
    if 0 in tensor.shape:
        held, start = memoryview(b""), -tensor.offset * tensor.dtype.itemsize
    if isinstance(held, int):
        raise Unusable(_WHY[held].format(name=name, tensor=tensor))
    try:
        array = _view(tensor, held, start)
    except (ValueError, TypeError, OverflowError):  # the last: strides or an offset beyond every address
        raise Unusable(
            f"The elements of {name} ({tensor}) are not all inside of its device memory, of which "
            f"{held.nbytes - start} bytes follow its address."
        ) from None
    return _tensor(tensor, array)


def _view(tensor: Tensor, held: memoryview, start: int) -> NDArray[Any]:
    mold = mold_of(tensor)
    if mold is not None:
        return mold.within(held, start)
    if tensor.dtype.numpy is None:
        raise Unusable(f"The dtype ({tensor.dtype.name}) has no arithmetic in the simulator.")
    return np.empty(tensor.shape, tensor.dtype.numpy)


class Mold(NamedTuple):
    """What turns memory into the array of a tensor."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]
    skipped: int
    """Bytes before the first element."""
    steps: tuple[int, ...]

    def within(self, held: memoryview, start: int) -> NDArray[Any]:
        """The array in these bytes from ``start`` on; an error of NumPy's where it is not all inside."""
        return np.ndarray(self.shape, self.kind, held, start + self.skipped, self.steps)

    def filled(self, memory: Memory) -> NDArray[Any] | None:
        """The array in this memory; None where it is not all inside, or there is none."""
        held, start = memory
        if isinstance(held, int):
            return None
        try:
            return self.within(held, start)
        except (ValueError, TypeError, OverflowError):
            return None


def mold_of(tensor: Tensor) -> Mold | None:
    """The mold of a tensor; None for one without elements, or of a dtype without arithmetic."""
    kind = tensor.dtype.numpy
    if kind is None or tensor.numel <= 0:
        return None
    size = kind.itemsize
    return Mold(tensor.shape, kind, tensor.offset * size, tuple(step * size for step in tensor.strides))


def _tensor(tensor: Tensor, array: NDArray[Any] | None) -> Tensor:
    layout = Layout(tensor.strides, tensor.offset, tensor.storage_shape)
    return describe(tensor.shape, tensor.dtype, tensor.format, layout, array)


def without_memory(value: Any) -> Any:
    """The same value, its tensors in no memory."""
    if type(value) is tuple:
        return tuple(without_memory(item) for item in value)
    return _tensor(value, None) if type(value) is Tensor else value


def _value(param: Param, value: Any, operator: str) -> Any:
    if value is None:
        return None
    if param.type == "tensor":
        return _described(param.name, value, operator)
    if param.type == "tensor_list":
        return tuple(item and _described(f"{param.name}[{at}]", item, operator) for at, item in enumerate(value))
    if param.type == "scalar":
        return _scalar(value)
    if param.type == "scalar_list":
        return tuple(item and _scalar(item) for item in value)
    return _member(_DTYPES, value, "dtype", param.name, operator) if param.type == "dtype" else value


def _described(name: str, value: tuple[Any, ...], operator: str) -> Tensor:
    dtype, layout, shape, strides, offset, storage, memory = value
    kind = _member(_DTYPES, dtype, "dtype", name, operator)
    order = _member(_FORMATS, layout, "format", name, operator)
    tensor = describe(shape, kind, order, Layout(strides, offset, storage), None)
    if is_negative(shape):
        return tensor
    try:
        return _with_array(name, tensor, memory)
    except Unusable:  # phase one asks for no memory
        return tensor


def _member(members: dict[int, Any], number: int, noun: str, name: str, operator: str) -> Any:
    found = members.get(number)
    if found is None:
        raise ParamError(f"The {noun} of {name} ({number}) is not one that aclnn has.", name, operator)
    return found


def _scalar(value: tuple[int, bytes]) -> Scalar:
    dtype = _DTYPES[value[0]]
    kind = dtype.numpy
    return Scalar(0 if kind is None else np.frombuffer(value[1], kind, 1)[0].item(), dtype)
