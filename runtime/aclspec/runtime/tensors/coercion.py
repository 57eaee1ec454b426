"""Coercion of a Python argument to the value that the checks and the kernel take.

A converter takes a value and answers a `Tensor`, a `Scalar`, a tuple or a plain Python value; None stays None where
the C parameter is a pointer. What cannot be converted raises TypeError (the wrong Python type) or `AclnnError` with
status 161002 (the right type, but a value that no aclnn parameter can hold).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.abi.errors import ParamError, ParamTypeError
from aclspec.runtime.abi.parameters import MAX_LENGTH, PARAM_TYPES, Param, ParamType
from aclspec.runtime.tensors.array_coercion import brief, is_tensor_like, is_torch, parse_dtype, to_numpy
from aclspec.runtime.tensors.tensor import Scalar, Tensor, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

Converter: TypeAlias = Callable[[Any], Any]
FLOAT_MAX = float(np.finfo(np.float32).max)
DOUBLE_MAX = float(np.finfo(np.float64).max)
MAX_ELEMENTS = 10_000
"""The most elements of an output of unusual strides that are searched for two in one place."""
_ndarray = np.ndarray


def converter(param: Param, operator: str) -> Converter:
    """The converter of a parameter of an operator."""
    kind = PARAM_TYPES[param.type]
    if kind.key == "tensor":
        return tensor_converter(param, operator)
    if kind.key == "tensor_list":
        return list_converter(param, operator, tensor_converter)
    if kind.key in _ELEMENTS:
        return _array(param, operator, *_ELEMENTS[kind.key])
    return _scalar(param.name, operator, kind)


def tensor_converter(param: Param, operator: str) -> Converter:
    """The converter of a tensor: NumPy arrays in native byte order take a short path, everything else the long one."""
    by_rank, any_rank = param.default_formats()
    name, format_for = param.name, by_rank.get

    def convert(value: Any) -> Tensor | None:
        if type(value) is _ndarray and value.flags.c_contiguous:
            dtype = BY_NUMPY.get(value.dtype)
            if dtype is not None:
                return wrap(value.shape, dtype, format_for(value.ndim, any_rank), value)
        if value is None:
            return None
        if isinstance(value, Tensor):
            return value if value.format is not None else value.formatted(format_for(value.rank, any_rank))
        array = to_numpy(value, name, operator)
        return wrap(array.shape, BY_NUMPY[array.dtype], format_for(array.ndim, any_rank), array)

    return convert


def list_converter(param: Param, operator: str, make: Callable[[Param, str], Converter]) -> Converter:
    """The converter of a list of tensors, each converted by what ``make`` makes for it."""

    def convert(value: Any) -> tuple[Tensor | None, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise _type_error(param.name, value, "a list or tuple of tensors", operator)
        _check_length(value, param.name, operator)
        elements = (param._replace(name=f"{param.name}[{at}]", type="tensor") for at in range(len(value)))
        return tuple(make(one, operator)(item) for one, item in zip(elements, value, strict=True))

    return convert


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
            raise ParamTypeError(
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
    if array.flags.c_contiguous:
        return
    for axis, (size, step) in enumerate(zip(array.shape, array.strides, strict=True)):
        if size > 1 and step == 0 and array.size:
            raise ParamError(
                f"The stride of the output {name} on axis {axis} is 0, so that its {size} elements are one.",
                name,
                operator,
            )

    if _repeats(array):
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
    if array.size > MAX_ELEMENTS:
        return False
    places = sum(np.ix_(*(np.arange(size) * step for step, size in zip(array.strides, array.shape, strict=True))))
    return bool(np.unique(places).size < array.size)


_ELEMENTS: dict[str, tuple[str, str]] = {
    "int_array": ("int64", "ints"),
    "bool_array": ("bool", "bools"),
    "float_array": ("float", "floats"),
    "scalar_list": ("scalar", "numbers"),
}
"""The type of the elements of each array type, and their noun."""


def _array(param: Param, operator: str, element: str, noun: str) -> Converter:
    kind, coerce = PARAM_TYPES[element], _CONVERT[element]

    def convert(value: Any) -> tuple[Any, ...] | None:
        if value is None:
            return None
        if isinstance(value, _ndarray) and value.ndim == 1:
            value = list(value)
        if not isinstance(value, list | tuple | range):
            raise _type_error(param.name, value, f"a sequence of {noun}", operator)
        _check_length(value, param.name, operator)
        with suppress(ParamError, ParamTypeError):
            return tuple([coerce(item, param.name, operator, kind) for item in value])
        return tuple(coerce(item, f"{param.name}[{at}]", operator, kind) for at, item in enumerate(value))

    return convert


def _check_length(values: Sequence[Any], name: str, operator: str) -> None:
    if len(values) > MAX_LENGTH:  # beyond that a rule about each element would say nothing
        sentence = f"{name} has {len(values)} elements; expected at most {MAX_LENGTH}."
        raise ParamError(sentence, name, operator)


def _scalar(name: str, operator: str, kind: ParamType) -> Converter:
    convert = _integer if kind.is_integer else _CONVERT[kind.key]
    return lambda value: convert(value, name, operator, kind)


def _integer(value: Any, name: str, operator: str, kind: ParamType) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise _type_error(name, value, "an int", operator)
    number = int(value)
    if not kind.low <= number <= kind.high:
        sentence = f"The value of {name} ({_written(number)}) is outside its range, {kind.low} to {kind.high}."
        raise ParamError(sentence, name, operator)
    return number


def _boolean(value: Any, name: str, operator: str, _: ParamType) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _type_error(name, value, "a bool", operator)


def _floating(value: Any, name: str, operator: str, kind: ParamType) -> float:
    if not isinstance(value, float | int | np.floating | np.integer) or isinstance(value, bool):
        raise _type_error(name, value, "a float", operator)
    try:
        number = float(value)
    except OverflowError:  # an int beyond every double
        number = math.inf
    finite = isinstance(value, int) or math.isfinite(number)
    if finite and abs(number) > (FLOAT_MAX if kind.key == "float" else DOUBLE_MAX):
        raise ParamError(f"The value of {name} ({_written(value)}) is beyond the range of its C type.", name, operator)
    return number


def _string(value: Any, name: str, operator: str, _: ParamType) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _type_error(name, value, "a str", operator)


def _dtype(value: Any, name: str, operator: str, _: ParamType) -> DType:
    with suppress(TypeError, ValueError):
        return parse_dtype(value)
    raise _type_error(name, value, "a dtype that aclnn has", operator)


def _number(value: Any, name: str, operator: str, _: ParamType) -> Scalar | None:
    if value is None:
        return None
    if isinstance(value, np.generic) and (dtype := BY_NUMPY.get(value.dtype)) is not None:
        return Scalar(value.item(), dtype)
    found = value if isinstance(value, Scalar) else scalar_of(value)
    if found is None:
        raise _type_error(name, value, "a number", operator)
    if type(found.value) is int and not found.dtype.is_floating:
        _integer(found.value, name, operator, PARAM_TYPES["uint64" if found.dtype is DType.UINT64 else "int64"])
    return found


def scalar_of(value: Any) -> Scalar | None:
    """A Python number as an aclScalar of the dtype that stands for its type; None for anything else."""
    for python, kind in _PYTHON_SCALARS:
        if isinstance(value, python):
            return Scalar(value, kind)
    return None


_PYTHON_SCALARS: tuple[tuple[type[Any], DType], ...] = (
    (bool, DType.BOOL),  # before int, which it is a subclass of
    (int, DType.INT64),
    (float, DType.DOUBLE),
    (complex, DType.COMPLEX128),
)
_CONVERT: dict[str, Callable[[Any, str, str, ParamType], Any]] = {
    "int64": _integer,
    "bool": _boolean,
    "float": _floating,
    "double": _floating,
    "string": _string,
    "dtype": _dtype,
    "scalar": _number,
}


def _written(number: Any) -> str:
    """A number in full; of an int that Python does not write, since it has thousands of digits, how long it is."""
    try:
        return str(number)
    except ValueError:
        return f"an int of {number.bit_length()} bits"


def _type_error(name: str, value: object, expected: str, operator: str) -> TypeError:
    text = "" if is_tensor_like(value) else brief(value)
    shown = text or f"of type {type(value).__name__}"
    return ParamTypeError(f"The value of {name} ({shown}) is not {expected}.", name, operator)
