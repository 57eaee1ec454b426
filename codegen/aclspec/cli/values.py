"""What a person types for a parameter, turned into what the operator takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from aclspec.cli import arrays
from aclspec.cli.errors import UsageError
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import ParamInfo
from aclspec.runtime.memory import available_bytes
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.tensor import Tensor

NULL = "null"


def parse(param: ParamInfo, text: str) -> object:
    """The value of a parameter; UsageError names the parameter, what was given and what is expected."""
    kind = PARAM_TYPES[param.type]
    if text.strip() == NULL and kind.pointer:
        return None
    read = _READERS[kind.predicate]
    try:
        return read(text.strip(), param)
    except UsageError as error:
        raise UsageError(f"The value of {param.name} is refused: {error}") from error
    except ValueError as error:
        expected = _EXPECTED.get(kind.predicate, kind.predicate)
        raise UsageError(f"The value of {param.name} ({text}) is not {expected}") from error


_EXPECTED = {
    "tensor": (
        "a tensor; write a file (x.npy, x.npz:key), a description (float32[4,2]:NCHW), "
        "a description with values (float32[4,2]=1) or a list ([0.5, 0.5]:float32)"
    ),
    "scalar": "a number, with its dtype after a colon where it matters (1.5:float16)",
    "ints": "a list of integers, such as 2,2",
    "bools": "a list of booleans, such as true,false",
    "floats": "a list of numbers, such as 0.5,1",
    "bool": "true or false",
    "int": "an integer",
    "float": "a number",
}


_WITH_VALUES = re.compile(
    r"(?P<description>\w+\s*\[[^\]]*\](?::(?!strides=|offset=|storage=)\w+)?)=(?P<values>.*)", re.DOTALL
)


def _tensor(text: str, param: ParamInfo) -> object:
    if arrays.is_file(text):
        return arrays.load(text, param.snake)
    if text.startswith(("[", "(")):
        return _listed(text)
    if "[" not in text:
        raise ValueError(text)
    filled = _WITH_VALUES.fullmatch(text)
    tensor = _described(filled["description"] if filled else text)
    return _filled(tensor, filled["values"]) if filled else tensor


def _described(text: str) -> Tensor:
    try:
        return Tensor.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _listed(text: str) -> object:
    """``[[1, 2], [3, 4]]:float16:NCHW``: nested lists, then the dtype (float32 where none is named) and the format."""
    body, bracket, rest = text.rpartition("]")
    if not bracket:
        raise ValueError(text)
    words = [word for word in rest.split(":") if word]
    dtype = arrays.parse_dtype(words[0]) if words else DType.FLOAT
    array = _array(_numbers(f"{body}]"), dtype)
    if len(words) < 2:
        return array
    return Tensor.from_array(array, format=_described(f"{dtype.short}[]:{':'.join(words[1:])}").format)


def _filled(tensor: Tensor, text: str) -> object:
    """``float32[4,2]=1`` repeats a number, ``float32[2]=[1, 2]`` lists them all in row-major order."""
    values = _array(_numbers(text), tensor.dtype)
    if values.size != 1 and values.size != tensor.numel:
        raise UsageError(f"the number of values ({values.size}) is not the number of elements ({tensor.numel})")
    if tensor.nbytes > (available := available_bytes()):
        raise UsageError(f"its elements would take {tensor.nbytes} bytes, and {available} bytes are available")
    filled = np.empty(tensor.shape, dtype=values.dtype)
    filled[...] = values.reshape(tensor.shape) if values.size == tensor.numel else values.reshape(())
    return Tensor.from_array(filled, format=tensor.format)


def _numbers(text: str) -> Any:
    """Numbers and nested lists of numbers, written as JSON or as Python does; nan, inf and -inf count as numbers."""
    text = re.sub(r"(?<![\d.])\.(?=\d)", "0.", re.sub(r"(?<=\d)\.(?!\d)", ".0", text))
    plain = text.replace("(", "[").replace(")", "]").replace("-inf", "-Infinity").replace("nan", "NaN")
    if "Infinity" not in plain:
        plain = plain.replace("inf", "Infinity")
    return json.loads(plain)


def _array(numbers: Any, dtype: DType) -> arrays.Array:
    """Numbers as an array of a dtype; one that the dtype does not have is refused, not wrapped or cut."""
    wide = np.asarray(numbers)
    try:
        with np.errstate(all="ignore"):
            values: arrays.Array = wide.astype(_storage(dtype))
            back = values.astype(wide.dtype)
    except OverflowError:  # more digits than any integer of NumPy holds
        back = values = np.asarray(np.nan)
    lost = np.isfinite(back) != np.isfinite(wide) if dtype.is_floating and wide.dtype != object else back != wide
    if np.any(lost):
        first = wide.reshape(-1)[int(np.argmax(lost))]
        raise UsageError(f"the number ({first}) is not one that {dtype.name} has")
    return values


def _storage(dtype: DType) -> np.dtype[Any]:
    if dtype.numpy is None:
        raise UsageError(f"NumPy has no type for {dtype.name}, so that such a tensor cannot have values here")
    return dtype.numpy


def _scalar(text: str, param: ParamInfo) -> object:
    number, _, dtype = text.partition(":")
    value = _numbers(number)
    if isinstance(value, list):
        raise ValueError(text)
    return _array(value, arrays.parse_dtype(dtype))[()] if dtype else value


def _bool(text: str, param: ParamInfo) -> bool:
    return {"true": True, "false": False}[text.lower()] if text.lower() in ("true", "false") else _refuse(text)


def _refuse(text: str) -> bool:
    raise ValueError(text)


def _int(text: str, param: ParamInfo) -> int:
    return int(text, 0)


def _float(text: str, param: ParamInfo) -> float:
    return float(text)


def _string(text: str, param: ParamInfo) -> str:
    return text


def _dtype(text: str, param: ParamInfo) -> DType:
    return arrays.parse_dtype(text)


Reader = Callable[[str, ParamInfo], object]


def _many(read: Reader, separator: str) -> Reader:
    """A reader of a list of what another one reads; brackets around it are optional."""

    def reader(text: str, param: ParamInfo) -> object:
        inner = text[1:-1] if separator == "," and text.startswith("[") and text.endswith("]") else text
        return tuple(read(item.strip(), param) for item in inner.split(separator)) if inner.strip() else ()

    return reader


_READERS: dict[str, Reader] = {
    "tensor": _tensor,
    "tensors": _many(_tensor, ";"),
    "scalar": _scalar,
    "scalars": _many(_scalar, ";"),
    "ints": _many(_int, ","),
    "bools": _many(_bool, ","),
    "floats": _many(_float, ","),
    "bool": _bool,
    "int": _int,
    "float": _float,
    "string": _string,
    "dtype": _dtype,
}
