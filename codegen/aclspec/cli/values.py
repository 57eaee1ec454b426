"""What a person types for a parameter, turned into what the operator takes; arrays in and out of files.

Files are .npy and .npz, bfloat16 included, which NumPy stores as two bytes without a dtype.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from aclspec.cli.errors import UsageError
from aclspec.codegen.source.atomic import atomic_write
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.host_memory import available_bytes
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import ParamInfo
from aclspec.runtime.search.call import elements
from aclspec.runtime.tensors.tensor import Scalar, Tensor

Array = np.ndarray[Any, np.dtype[Any]]
_FILE = re.compile(r"(?P<path>.+?\.(?P<kind>npy|npz))(?P<rest>(?::[^:]*)*)", re.IGNORECASE)


def is_file(text: str) -> bool:
    """Whether a value names an array file rather than being a literal."""
    return _FILE.fullmatch(text) is not None


def load(text: str, name: str) -> Array:
    """The array of ``x.npy[:dtype]`` or ``x.npz[:key[:dtype]]``; the key is ``name`` where none is given."""
    found = _FILE.fullmatch(text)
    if found is None:
        raise UsageError(f"The value ({text}) is not the name of a .npy or .npz file")
    path, words = found["path"], [word for word in found["rest"].split(":") if word]
    try:
        # Opened here, since NumPy leaves a broken archive open.
        with open(path, "rb") as stream:
            if found["kind"].lower() == "npz":
                array = _member(stream, path, words.pop(0) if words else None, name)
            else:
                array = np.load(stream, allow_pickle=False)
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise UsageError(f"The file {path} is not a readable array file ({error})") from error
    if len(words) > 1:
        raise UsageError(f"The value ({text}) says more than a file, a key and a dtype")
    return _typed(array, words[0] if words else None, path)


def _member(stream: IO[bytes], path: str, key: str | None, name: str) -> Array:
    with np.load(stream, allow_pickle=False) as archive:
        names = list(archive.files)
        wanted = key or (names[0] if len(names) == 1 else name)
        if wanted not in names:
            raise UsageError(f"The file {path} has no array {wanted}; it has {', '.join(names) or 'none'}")
        return np.asarray(archive[wanted])


def _typed(array: Array, dtype: str | None, path: str) -> Array:
    """The array with the dtype that its file could not name."""
    if array.dtype.kind != "V" or array.dtype.fields:
        if dtype is not None:
            raise UsageError(f"The dtype ({dtype}) given for {path} is refused: the file has its own, {array.dtype}")
        return array
    wanted = parse_dtype(dtype) if dtype else DType.BF16
    if wanted.numpy is None or wanted.numpy.itemsize != array.dtype.itemsize:
        raise UsageError(
            f"The file {path} holds elements of {array.dtype.itemsize} bytes with no dtype; "
            f"name the dtype after the file, as in {path}:float8_e5m2"
        )
    return array.view(wanted.numpy)


def parse_dtype(text: str) -> DType:
    """A dtype by any of its names."""
    try:
        return DType.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def target(path: Path) -> Path:
    """A path that a .npz can be written to; refused before anything is computed."""
    if path.suffix != ".npz":
        raise UsageError(f"The file to write ({path}) does not end in .npz")
    if not path.parent.is_dir() or path.is_dir():
        raise UsageError(f"The file to write ({path}) is not in a folder that exists")
    return path


def save(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write a .npz so that a reader sees the whole file or the old one, never a part."""
    with atomic_write(path) as beside, beside.open("wb") as stream:
        np.savez(stream, **{name: _storable(array) for name, array in arrays.items()})  # type: ignore[arg-type]


def _storable(array: Array) -> Array:
    """The array under a dtype that NumPy can read back: one that NumPy lacks becomes its bytes."""
    own = array.dtype.isbuiltin == 1
    return array if own else array.copy().view(f"V{array.dtype.itemsize}")


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


def parse_all(param: ParamInfo, texts: Sequence[str]) -> object:
    """The value of a parameter whose option is given once, or several times with parts of a list."""
    parts = [parse(param, text) for text in texts]
    if len(parts) == 1:
        return parts[0]
    elements: list[object] = []
    for part in parts:
        if not isinstance(part, tuple):
            raise UsageError(f"The value of {param.name} is refused: {NULL} stands beside other values")
        elements += part
    return tuple(elements)


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
    "string": "a JSON string: its double quotes have to close; without them the text stands as it is",
}


_WITH_VALUES = re.compile(
    r"(?P<description>\w+\s*\[[^\]]*\](?::(?!strides=|offset=|storage=)\w+)?)=(?P<values>.*)", re.DOTALL
)


def _tensor(text: str, param: ParamInfo) -> object:
    if is_file(text):
        return load(text, param.snake)
    if text.startswith(("[", "(")):
        return _listed(text)
    if not re.search(r"[\[(]", text):
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
    dtype = parse_dtype(words[0]) if words else DType.FLOAT
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


def _array(numbers: Any, dtype: DType) -> Array:
    """Numbers as an array of a dtype; one that the dtype does not have is refused, not wrapped or cut."""
    wide = np.asarray(numbers)
    try:
        with np.errstate(all="ignore"):
            values: Array = wide.astype(_storage(dtype))
            back = values if values.dtype.kind == "c" else values.astype(wide.dtype)
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


_SCALAR = re.compile(r"(?P<dtype>[a-z]\w*)\((?P<value>[^()]*)\)")
"""A scalar as messages and derived calls spell it: float32(1.5)."""


def _scalar(text: str, param: ParamInfo) -> object:
    if literal := _SCALAR.fullmatch(text):
        text = f"{literal['value'].lower()}:{literal['dtype']}"
    number, _, dtype = text.partition(":")
    value = _numbers(number)
    if isinstance(value, list):
        raise ValueError(text)
    if not dtype:
        return value
    kind = parse_dtype(dtype)
    return Scalar(value, kind) if kind.numpy is None else _array(value, kind)[()]


def _bool(text: str, param: ParamInfo) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _string(text: str, param: ParamInfo) -> str:
    """The text as it stands, or as JSON writes it in double quotes, which also tells ``"null"`` from a null pointer."""
    return str(json.loads(text)) if text.startswith('"') else text


Reader = Callable[[str, ParamInfo], object]


def _element(text: str, param: ParamInfo) -> object:
    """A tensor of a list, where a null pointer may stand too."""
    return None if text == NULL else _tensor(text, param)


def _many(read: Reader, separator: str) -> Reader:
    """A reader of a list of what another one reads; brackets around it, or a semicolon at its end, are optional.

    ``3 * int32[2]`` stands for three.
    """

    def reader(text: str, param: ParamInfo) -> object:
        is_bracketed = separator == "," and text[:1] + text[-1:] in ("[]", "()")
        inner = text[1:-1] if is_bracketed else text
        inner = inner.removesuffix(";")
        items = elements(item.strip() for item in inner.split(separator)) if inner.strip() else ()
        return tuple(read(str(item), param) for item in items)

    return reader


_READERS: dict[str, Reader] = {
    "tensor": _tensor,
    "tensors": _many(_element, ";"),
    "scalar": _scalar,
    "scalars": _many(_scalar, ";"),
    "ints": _many(lambda text, _: int(text, 0), ","),
    "bools": _many(_bool, ","),
    "floats": _many(lambda text, _: float(text), ","),
    "bool": _bool,
    "int": lambda text, _: int(text, 0),
    "float": lambda text, _: float(text),
    "string": _string,
    "dtype": lambda text, _: parse_dtype(text),
}
