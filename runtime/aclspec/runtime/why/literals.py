"""Calls as the layer and aclspec write them: ``aclnnPreluGetWorkspaceSize(self=FLOAT[4, 2]:ND, weight=null)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor

_HEAD: Final = re.compile(r"\b(aclnn[A-Za-z0-9]{1,90}?)(?:GetWorkspaceSize)?\((?=[A-Za-z]\w{0,63}=)", re.ASCII)
_MOST: Final = 20_000
"""Characters of a call."""
_MOST_CALLS: Final = 64
_PRODUCT: Final = re.compile(r" (?:for|产品) ((?:atlas|ascend)_\w{1,24})", re.ASCII)
_BEFORE: Final = 600
"""Characters before a call in which its report names the product."""
_SCALAR: Final = re.compile(r"([A-Za-z]\w*)\((.*)\)\Z", re.DOTALL)
_NULL: Final = ("null", "nullptr", "None")


class WrittenCall(NamedTuple):
    """A call as a text: its operator, the texts of its arguments, and the product that its report names."""

    operator: str
    arguments: Mapping[str, str]
    product: str | None


def written_calls(text: str) -> Iterator[WrittenCall]:
    """The calls of a text that name their arguments."""
    for head in islice(_HEAD.finditer(text), _MOST_CALLS):
        parts = split(text[head.end() : head.end() + _MOST])
        if parts is None:
            continue
        pairs = [part.partition("=") for part in parts]
        arguments = {name.strip(): value.strip() for name, equals, value in pairs if equals}
        product = [*_PRODUCT.finditer(text, max(0, head.start() - _BEFORE), head.start())]
        yield WrittenCall(head[1], arguments, product[-1][1] if product else None)


def split(text: str) -> list[str] | None:
    """The parts between commas up to the bracket that closes the call; None where none does."""
    parts, depth, start, quoted = list[str](), 0, 0, False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth -= 1
        elif char == ")":
            return [*parts, text[start:at]] if text[start:at].strip() or parts else parts
        elif char == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return None


def read_arguments(info: OperatorInfo, arguments: Mapping[str, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values by C name, and the parameters whose text says nothing or cannot be read."""
    values: dict[str, Any] = {}
    unread: list[str] = []
    for param in info.params:
        try:
            if (text := arguments.get(param.name)) is not None:
                values[param.name] = read(param.type, text)
            elif param.direction != "out":
                unread.append(param.name)
        except (ValueError, KeyError, OverflowError):
            unread.append(param.name)
    return values, tuple(unread)


def read(kind: str, text: str) -> Any:
    """The value that a text stands for; ValueError for one that stands for none, as a value that was cut."""
    predicate = PARAM_TYPES[kind].predicate
    if "?" in text or "..." in text:
        raise ValueError(text)
    if text in _NULL:
        return None
    if predicate.endswith("s"):
        return tuple(_READERS[predicate[:-1]](one.strip()) for one in _elements(text))
    return _READERS[predicate](text)


def _elements(text: str) -> list[str]:
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(text)
    inner = text[1:-1].strip()
    if not inner:
        return []
    parts = split(inner + ")")
    if parts is None:
        raise ValueError(text)
    return parts


def _tensor(text: str) -> Tensor | None:
    if text in _NULL:
        return None
    return Tensor.parse(re.sub(r"=\[([^\]]*)\]", r"=\1", text))


def _scalar(text: str) -> Scalar:
    found = _SCALAR.match(text)
    if found is None:
        raise ValueError(text)
    dtype = DType.parse(found[1])
    number = found[2].strip()
    if dtype is DType.BOOL:
        return Scalar(_bool(number.lower()), dtype)
    if dtype.name.startswith("COMPLEX"):
        return Scalar(complex(number.replace(" ", "")), dtype)
    return Scalar(float(number) if dtype.is_floating else int(number, 0), dtype)


def _bool(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "tensor": _tensor,
    "scalar": _scalar,
    "int": lambda text: int(text, 0),
    "float": float,
    "bool": _bool,
    "string": lambda text: text.strip('"'),
    "dtype": DType.parse,
}
