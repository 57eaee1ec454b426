"""What a Python caller gives for a parameter, as the checks and the kernel see it.

A converter takes a value and answers a `Tensor`, a `Scalar`, a tuple or a plain Python value; None stays None where
the C parameter is a pointer. What cannot be converted raises TypeError (the wrong Python type) or `AclnnError` with
status 161002 (the right type, but a value that no aclnn parameter can hold).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from aclspec.runtime.arrays import is_tensor_like, to_numpy
from aclspec.runtime.dtypes import BY_NUMPY, DType
from aclspec.runtime.errors import ParamError, ParamTypeError, type_error
from aclspec.runtime.formats import Format
from aclspec.runtime.parameters import Param
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.tensor import Tensor, with_format, wrap

Converter: TypeAlias = Callable[[Any], Any]
FLOAT_MAX = float(np.finfo(np.float32).max)
DOUBLE_MAX = float(np.finfo(np.float64).max)
_ndarray = np.ndarray


def converter(param: Param, operator: str) -> Converter:
    """The converter of a parameter of an operator."""
    kind = PARAM_TYPES[param.type]
    if kind.key == "tensor":
        return tensor_converter(param, operator)
    if kind.is_integer:
        return _integer(param.name, operator, kind.low, kind.high)
    return _MAKERS[kind.key](param, operator)


def format_of_rank(param: Param) -> tuple[dict[int, Format], Format]:
    """The format that an array of each rank takes, and that of every other rank: the first that the spec allows."""
    named = {rank: Format[formats[0]] for rank, formats in param.formats if formats}
    return named, named.get(-1, Format.ND)


def tensor_converter(param: Param, operator: str) -> Converter:
    """The converter of a tensor: NumPy arrays in native byte order take a short path, everything else the long one."""
    by_rank, any_rank = format_of_rank(param)
    name, format_for = param.name, by_rank.get

    def convert(value: Any) -> Tensor | None:
        if type(value) is _ndarray and value.flags.c_contiguous:
            dtype = BY_NUMPY.get(value.dtype)
            if dtype is not None:
                return wrap(value.shape, dtype, format_for(value.ndim, any_rank), value)
        if value is None:
            return None
        if isinstance(value, Tensor):
            return value if value.format is not None else with_format(value, format_for(value.rank, any_rank))
        array = to_numpy(value, name, operator)
        return wrap(array.shape, BY_NUMPY[array.dtype], format_for(array.ndim, any_rank), array)

    return convert


def list_converter(param: Param, operator: str, make: Callable[[Param, str], Converter]) -> Converter:
    """The converter of a list of tensors, each converted by what ``make`` makes for it."""

    def convert(value: Any) -> tuple[Tensor | None, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise _wrong(param.name, value, "a list or tuple of tensors", operator)
        elements = (param._replace(name=f"{param.name}[{at}]", type="tensor") for at in range(len(value)))
        return tuple(make(one, operator)(item) for one, item in zip(elements, value, strict=True))

    return convert


def _tensor_list(param: Param, operator: str) -> Converter:
    return list_converter(param, operator, tensor_converter)


def _integer(name: str, operator: str, low: int, high: int) -> Converter:
    def convert(value: Any) -> int:
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            raise _wrong(name, value, "an int", operator)
        number = int(value)
        if not low <= number <= high:
            raise ParamError(f"The value of {name} ({number}) is outside its range, {low} to {high}.", name, operator)
        return number

    return convert


def _boolean(param: Param, operator: str) -> Converter:
    name = param.name

    def convert(value: Any) -> bool:
        if value is True or value is False:
            return value
        if isinstance(value, np.bool_):
            return bool(value)
        raise _wrong(name, value, "a bool", operator)

    return convert


def _floating(param: Param, operator: str) -> Converter:
    name, narrow = param.name, PARAM_TYPES[param.type].key in ("float", "float_array")

    def convert(value: Any) -> float:
        if not isinstance(value, float | int | np.floating | np.integer) or isinstance(value, bool):
            raise _wrong(name, value, "a float", operator)
        try:
            number = float(value)
        except OverflowError:  # an int beyond every double
            number = math.inf
        finite = isinstance(value, int) or math.isfinite(number)
        if finite and abs(number) > (FLOAT_MAX if narrow else DOUBLE_MAX):
            raise ParamError(f"The value of {name} ({value}) is beyond the range of its C type.", name, operator)
        return number

    return convert


def _string(param: Param, operator: str) -> Converter:
    def convert(value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise _wrong(param.name, value, "a str", operator)

    return convert


def _dtype(param: Param, operator: str) -> Converter:
    def convert(value: Any) -> DType:
        if isinstance(value, DType):
            return value
        try:
            if isinstance(value, str):
                return DType.parse(value)
            if value is not None:  # which NumPy would take for float64
                return BY_NUMPY[np.dtype(value)]
        except (TypeError, ValueError, KeyError):
            pass
        raise _wrong(param.name, value, "a dtype that aclnn has", operator)

    return convert


def _scalar(param: Param, operator: str) -> Converter:
    def convert(value: Any) -> Scalar | None:
        if value is None or isinstance(value, Scalar):
            return value
        if isinstance(value, np.generic) and (dtype := BY_NUMPY.get(value.dtype)) is not None:
            return Scalar(value.item(), dtype)
        found = scalar_of(value)
        if found is None:
            raise _wrong(param.name, value, "a number", operator)
        return found

    return convert


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


def _array_of(make: Callable[[Param, str], Converter], noun: str) -> Callable[[Param, str], Converter]:
    def maker(param: Param, operator: str) -> Converter:
        element = make(param, operator)

        def convert(value: Any) -> tuple[Any, ...] | None:
            if value is None:
                return None
            if isinstance(value, _ndarray) and value.ndim == 1:
                value = list(value)
            if not isinstance(value, list | tuple | range):
                raise _wrong(param.name, value, f"a sequence of {noun}", operator)
            with suppress(ParamError, ParamTypeError):
                return tuple(map(element, value))
            # Once more, for the place of the element at fault.
            elements = (make(param._replace(name=f"{param.name}[{at}]"), operator) for at in range(len(value)))
            return tuple(one(item) for one, item in zip(elements, value, strict=True))

        return convert

    return maker


def _int64(param: Param, operator: str) -> Converter:
    return _integer(param.name, operator, PARAM_TYPES["int64"].low, PARAM_TYPES["int64"].high)


_MAKERS: dict[str, Callable[[Param, str], Converter]] = {
    "tensor_list": _tensor_list,
    "scalar": _scalar,
    "scalar_list": _array_of(_scalar, "numbers"),
    "int_array": _array_of(_int64, "ints"),
    "bool_array": _array_of(_boolean, "bools"),
    "float_array": _array_of(_floating, "floats"),
    "bool": _boolean,
    "float": _floating,
    "double": _floating,
    "string": _string,
    "dtype": _dtype,
}


def _wrong(name: str, value: object, expected: str, operator: str) -> TypeError:
    text = repr(value)
    told = f"of type {type(value).__name__}" if is_tensor_like(value) or len(text) > 60 else text
    return type_error(f"The value of {name} ({told}) is not {expected}.", name, operator)
