"""What a run asks: its settings, its pieces of work, the texts of calls, and the ids that follow from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.layout import is_negative
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.expected import arguments

Origin: TypeAlias = Literal["derived", "random", "shrunk"]
Call: TypeAlias = dict[str, Any]
"""The arguments of a call by C name in C order; tensors have no data."""


@dataclass(frozen=True)
class Settings:
    """What is asked of every call: where it runs and what is compared.

    ``kernels`` are those that compute on the host, numpy or torch. ``root`` is the folder of the simulator, ``timeout``
    the seconds after which a call hangs, ``environment`` the variables that the process of the calls gets beside its
    own.
    """

    backend: str = "numpy"
    mode: str = "status"
    forbidden: bool = False
    root: str | None = None
    timeout: float = 60.0
    environment: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()
    kernels: str = "numpy"


@dataclass(frozen=True)
class Piece:
    """Some calls of one operator on one product: these texts, and a number of random ones.

    ``spec`` is the hash of the spec's text. The calls of a piece without an id of its own follow from its parts.
    """

    operator: str
    product: str
    spec: str
    origin: Origin
    seed: int
    calls: tuple[str, ...] = field(default=(), repr=False)
    random: int = 0
    scale: int = 1
    """How many times as large the sizes of random calls may be."""

    def id(self, settings: Settings) -> str:
        """The id: two pieces of one id ask the same."""
        parts = (self.operator, self.product, self.spec, self.origin, self.seed, self.random, self.scale)
        return digest(settings.backend, settings.kernels, settings.mode, settings.forbidden, *parts, *self.calls)


def digest(*parts: object) -> str:
    """The SHA-256 of some texts and numbers."""
    hashed = hashlib.sha256()
    for part in parts:
        data = str(part).encode()
        hashed.update(b"%d:" % len(data) + data)
    return hashed.hexdigest()


def call_id(piece: Piece, settings: Settings, text: str) -> str:
    """The id of one call of a piece."""
    asked = settings.backend, settings.kernels, settings.mode
    return digest(*asked, piece.product, piece.operator, piece.spec, piece.seed, text)


def spelled(value: Any) -> Any:
    """A value as the literal that `arguments` reads: a tensor as ``float32[4,2]:ND``, a scalar as ``float32(1.0)``."""
    match value:
        case tuple():
            return tuple(map(spelled, value))
        case Tensor():
            text, layout = str(value), Format.ND if value.format is None else value.format
            if "]:" + layout.name in text:
                return text
            head, bracket, tail = text.partition("]")
            return f"{head}{bracket}:{layout.name}{tail}"
        case Scalar():
            return repr(value)
        case DType():
            return value.name
    return value


def text_of(call: Mapping[str, Any]) -> str:
    """A call of literals or of arguments as one line of JSON."""
    return json.dumps({name: spelled(value) for name, value in call.items()}, separators=(",", ":"))


def literals(text: str) -> dict[str, Any]:
    """The literals of a call's text."""
    return {name: _frozen(value) for name, value in json.loads(text).items()}


def read_call(info: OperatorInfo, text: str) -> Call:
    """The arguments of a call's text."""
    return held(arguments(info, literals(text)))


def held(call: Mapping[str, Any]) -> Call:
    """The call with scalars that their dtypes hold, which is all that C can be given: 2 in BOOL is 1."""
    return {name: _held(value) for name, value in call.items()}


def _held(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_held, value))
    if not isinstance(value, Scalar) or value.dtype.numpy is None or value.dtype.numpy.kind == "c":
        return value
    with np.errstate(all="ignore"):
        try:
            return Scalar(np.asarray(value.value).astype(value.dtype.numpy).item(), value.dtype)
        except (OverflowError, TypeError, ValueError):  # a number that no conversion takes is the checks' business
            return value


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def size_of(call: Mapping[str, Any]) -> int:
    """How large a call is: its elements, axes, array entries and numbers; the least call shows a fault best."""
    return sum(_size(value) for value in call.values())


def _size(value: Any) -> int:
    match value:
        case Tensor():
            elements = 1 << 40 if is_negative(value.shape) else value.numel
            return 2 + 2 * elements + 2 * value.rank + 3 * (not value.is_contiguous or bool(value.offset))
        case tuple():
            return 1 + sum(map(_size, value))
        case bool() | None | str() | DType():
            return 0
        case int() | float():
            return min(64, int(abs(value))) if abs(value) < 1 << 62 else 64
    return 1
