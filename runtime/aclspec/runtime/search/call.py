"""A call as derivation sees it: a tuple of immutable values in C order, one for each parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.tensor import Tensor


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, init=False)
class TensorMeta:
    """The metadata of a tensor; ``strides`` None means contiguous, ``storage`` None the usual shape of the storage.

    Equal tensors are one object, hashed by identity.
    """

    shape: tuple[int, ...]
    dtype: str
    format: str
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: tuple[int, ...] | None = None

    def __new__(
        cls,
        shape: tuple[int, ...],
        dtype: str,
        format: str,
        strides: tuple[int, ...] | None = None,
        offset: int = 0,
        storage: tuple[int, ...] | None = None,
    ) -> TensorMeta:
        """Intern by value."""
        key = (shape, dtype, format, strides, offset, storage)
        found = _TENSORS.get(key)
        if found is None:
            found = _TENSORS[key] = object.__new__(cls)
            for name, value in zip(cls.__match_args__, key, strict=True):
                object.__setattr__(found, name, value)
        return found

    @property
    def is_contiguous(self) -> bool:
        """Whether the strides are row-major."""
        return self.strides is None

    @property
    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def storage_shape(self) -> tuple[int, ...]:
        """The shape of the storage, as of a tensor that a call gives."""
        return described(self).storage_shape

    def reshaped(self, shape: tuple[int, ...]) -> TensorMeta:
        """The same tensor, contiguous, with another shape."""
        return TensorMeta(shape, self.dtype, self.format)


_TENSORS: WeakValueDictionary[tuple[object, ...], TensorMeta] = WeakValueDictionary()


@lru_cache(maxsize=10_000)
def described(tensor: TensorMeta) -> Tensor:
    """The tensor as a call gives it."""
    return Tensor(tensor.shape, tensor.dtype, tensor.format, tensor.strides, tensor.offset, tensor.storage)


@dataclass(frozen=True, slots=True)
class ScalarMeta:
    """An aclScalar: a number with a dtype."""

    value: bool | int | float
    dtype: str

    def of_dtype(self, dtype: str) -> ScalarMeta:
        """The number in another dtype, where it keeps its sign; one that holds no fraction takes the integer above.

        What no integer is near, an infinity or NaN, becomes 0 in a dtype of integers.
        """
        if dtype == "BOOL":
            return ScalarMeta(int(self.value != 0), dtype)
        whole = not (DType[dtype].is_floating or dtype.startswith("COMPLEX"))
        if whole and isinstance(self.value, float) and not math.isfinite(self.value):
            return ScalarMeta(0, dtype)
        value = math.ceil(abs(self.value)) if whole else abs(self.value)
        return ScalarMeta(value if self.value >= 0 or dtype.startswith("U") else -value, dtype)


Literal: TypeAlias = "bool | int | float | str | tuple[Literal, ...] | None"
"""A value as a generated test spells it."""
Value: TypeAlias = Any
"""A tensor, a scalar, a number, a string, the name of a dtype, a tuple of these, or None for a null pointer."""
Call: TypeAlias = tuple[Value, ...]


def literal(value: Value) -> Literal:
    """The value as a generated test spells it: a tensor as ``float32[4,2]:ND``, a scalar as ``float32(1.0)``."""
    if isinstance(value, TensorMeta):
        text = f"{DType[value.dtype].short}[{','.join(map(str, value.shape))}]:{value.format}"
        if value.strides is not None:
            text += f":strides={','.join(map(str, value.strides))}"
        text += f":offset={value.offset}" if value.offset else ""
        return text + (f":storage={','.join(map(str, value.storage))}" if value.storage is not None else "")
    if isinstance(value, ScalarMeta):
        return f"{DType[value.dtype].short}({value.value})"
    if isinstance(value, tuple):
        return tuple(literal(item) for item in value)
    return value  # type: ignore[no-any-return]


_REPEATED = re.compile(r"(\d{1,5}) \* (\S+)")
_LONG = 16


def brief(spelled: Literal) -> Literal:
    """A list of more than 16 equal tensors or scalars as one text, such as ``257 * float32[4,2]:ND``."""
    if isinstance(spelled, tuple) and len(spelled) > _LONG and len(set(spelled)) == 1 and isinstance(spelled[0], str):
        return (f"{len(spelled)} * {spelled[0]}",)
    return spelled


def elements(spelled: Iterable[Literal]) -> Iterator[Literal]:
    """The elements of a list; ``3 * int32[2]`` stands for three."""
    for item in spelled:
        found = _REPEATED.fullmatch(item) if isinstance(item, str) else None
        yield from (item,) if found is None else repeat(found[2], int(found[1]))


def replaced(call: Call, place: int, value: Value) -> Call:
    """The call with another value of one parameter; a shape or an array with another element."""
    return (*call[:place], value, *call[place + 1 :])


def key_of(places: tuple[int, ...]) -> Callable[[Call], Hashable]:
    """The values of some parameters in a call, by which what depends on them alone is remembered."""
    return itemgetter(*places) if places else lambda call: ()


def relabelled(value: Value, facet: str, name: str) -> Value:
    """The value, or each of its elements, with another dtype or format."""
    if isinstance(value, tuple):
        return tuple(relabelled(item, facet, name) for item in value)
    if isinstance(value, TensorMeta):
        return replace(value, **{facet: name})  # type: ignore[arg-type]
    if isinstance(value, ScalarMeta) and facet == "dtype":
        return value.of_dtype(name)
    return name if isinstance(value, str) and facet == "dtype" else value
