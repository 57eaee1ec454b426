"""A call as the sampler sees it: what is known of each argument before there is any data.

A call is a plain tuple of values in C order. A dtype and a format are their names, as in the interpreter. Everything
is immutable and hashable, so that a call is its own key in every cache and in every set of calls already tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.runtime.dtypes import DType
from aclspec.runtime.predicate.values import INFERRED, Inferred
from aclspec.runtime.testing.suite import Literal


@dataclass(frozen=True, slots=True, eq=False)
class TensorMeta:
    """What a predicate may ask of a tensor; ``strides`` None means contiguous.

    Equal tensors are one object, so that calls are hashed and compared without a look into them.
    """

    shape: tuple[int, ...]
    dtype: str
    format: str
    strides: tuple[int, ...] | None = None
    offset: int = 0

    def __new__(
        cls, shape: tuple[int, ...], dtype: str, format: str, strides: tuple[int, ...] | None = None, offset: int = 0
    ) -> TensorMeta:
        """The one tensor of these facts."""
        key = (shape, dtype, format, strides, offset)
        found = _TENSORS.get(key)
        if found is None:
            found = _TENSORS[key] = object.__new__(cls)
        return found

    @property
    def is_contiguous(self) -> bool:
        """Whether the strides are those of row-major order, which ``strides`` None says."""
        return self.strides is None

    @property
    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def is_negative(self) -> bool:
        """Whether a dimension is negative."""
        return any(size < 0 for size in self.shape)

    def reshaped(self, shape: Iterable[int], format: str | None = None) -> TensorMeta:
        """The same tensor, contiguous, with another shape, and with another format where one is given."""
        return TensorMeta(tuple(shape), self.dtype, format or self.format)

    def retyped(self, dtype: str) -> TensorMeta:
        """The same tensor with another dtype."""
        return TensorMeta(self.shape, dtype, self.format, self.strides, self.offset)


_TENSORS: dict[tuple[object, ...], TensorMeta] = {}


def forget_tensors() -> None:
    """Give back the memory of all tensors; those that somebody holds no longer equal the ones made later."""
    _TENSORS.clear()


@dataclass(frozen=True, slots=True)
class ScalarMeta:
    """An aclScalar: a number with a dtype of its own."""

    value: bool | int | float
    dtype: str


Value: TypeAlias = (
    TensorMeta
    | ScalarMeta
    | bool
    | int
    | float
    | str
    | tuple[TensorMeta | None, ...]
    | tuple[ScalarMeta | None, ...]
    | tuple[int, ...]
    | tuple[bool, ...]
    | tuple[float, ...]
    | Inferred
    | None
)
Call: TypeAlias = tuple[Value, ...]


def tensors(value: Value) -> tuple[TensorMeta, ...]:
    """The tensors of an argument: itself, or its elements."""
    if isinstance(value, tuple):
        return tuple(item for item in value if isinstance(item, TensorMeta))
    return (value,) if isinstance(value, TensorMeta) else ()


def literal(value: Value) -> Literal:
    """The value as it stands in a generated test: a tensor as ``float32[4,2]:ND``, a scalar as ``float32(1.0)``."""
    if isinstance(value, TensorMeta):
        return _tensor_literal(value)
    if isinstance(value, ScalarMeta):
        return f"{DType[value.dtype].short}({value.value})"
    if isinstance(value, tuple):
        return tuple(literal(item) for item in value)
    if value is INFERRED or isinstance(value, Inferred):
        raise ValueError("An inferred output has no literal.")
    return value


def _tensor_literal(tensor: TensorMeta) -> str:
    sizes = ",".join(map(str, tensor.shape))
    text = f"{DType[tensor.dtype].short}[{sizes}]:{tensor.format}"
    if tensor.strides is not None:
        text += f":strides={','.join(map(str, tensor.strides))}"
    return text + (f":offset={tensor.offset}" if tensor.offset else "")


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * max(shape[axis], 1)
    return tuple(strides)
