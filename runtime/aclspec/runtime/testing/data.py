"""Arguments of a case as a caller would give them: descriptions from literals, and seeded data in any layout."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import TensorValue
from aclspec.runtime.layout import contiguous_strides, is_negative
from aclspec.runtime.leaves import each_leaf, leaves
from aclspec.runtime.operator import Operator
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.tensor import Tensor

SENTINEL = 0xA5
"""The byte that outputs are filled with, so that a write shows."""
_SCALAR = re.compile(r"(\w+)\((.+)\)\Z")
_LARGEST = 1 << 22


def argument(literal: Any, kind: str) -> Any:
    """The argument that a literal of a case stands for; tensors have no data."""
    if literal is None:
        return None
    if kind in ("tensor_list", "scalar_list"):
        return tuple(argument(item, kind.removesuffix("_list")) for item in literal)
    if kind == "tensor":
        return Tensor.parse(literal)
    if kind == "scalar":
        return scalar(literal)
    return DType[literal] if kind == "dtype" else literal


def scalar(literal: str) -> Scalar:
    """The aclScalar of a literal such as ``float32(1.5)``; ValueError for another text."""
    found = _SCALAR.match(literal)
    if found is None:
        raise ValueError(f"The scalar literal ({literal}) is not of the form dtype(value).")
    text = found[2]
    value: bool | int | float = text == "True" if text in ("True", "False") else float(text)
    return Scalar(int(value) if text.lstrip("-").isdigit() else value, DType.parse(found[1]))


def arguments(operator: Operator, call: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by C name, without data."""
    return {param.name: argument(call[param.name], param.type) for param in operator.params}


def can_hold(tensor: Tensor) -> bool:
    """Whether a test may allocate the tensor's storage: NumPy has the dtype, no dimension is negative, it is small."""
    held = tensor.dtype.numpy is not None and not is_negative(tensor.shape)
    return held and math.prod(tensor.storage_shape) * tensor.dtype.itemsize <= _LARGEST


def all_held(value: Any) -> bool:
    """Whether that is so of every tensor of an argument."""
    if isinstance(value, tuple):
        return all(map(all_held, value))
    return can_hold(value) if isinstance(value, Tensor) else True


def filled(tensor: Tensor, seed: str) -> Tensor:
    """The same tensor over a storage of seeded random numbers."""
    kind = tensor.dtype.numpy
    assert kind is not None
    random = np.random.default_rng(zlib.crc32(seed.encode()))
    return over(tensor, _numbers(random, math.prod(tensor.storage_shape), kind))


def _numbers(random: np.random.Generator, count: int, kind: np.dtype[Any]) -> NDArray[Any]:
    if kind.kind == "b":
        return random.integers(0, 2, count).astype(kind)
    if kind.kind in "iu":
        return random.integers(0, 4, count).astype(kind)
    values = random.standard_normal(count)
    if kind.kind == "c":
        return (values + 1j * random.standard_normal(count)).astype(kind)
    return values.astype(kind)


def over(tensor: Tensor, storage: NDArray[Any]) -> Tensor:
    """The same tensor over this storage."""
    return Tensor(
        tensor.shape, tensor.dtype, tensor.format, tensor.strides, tensor.offset, tensor.storage_shape, storage
    )


def blank(tensor: Tensor) -> Tensor:
    """The same tensor over a storage of sentinels."""
    count = math.prod(tensor.storage_shape)
    raw = np.full(count * tensor.dtype.itemsize, SENTINEL, np.uint8)
    assert tensor.dtype.numpy is not None
    return over(tensor, raw.view(tensor.dtype.numpy))


def blanked(value: Any) -> Any:
    """An output as a call describes it, each of its tensors over a storage of sentinels."""
    return None if value is None else each_leaf(lambda one: one and blank(one), value)


def named_tensors(values: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors among values by name, those of a list with their index."""
    for name, value in values.items():
        for at, tensor in enumerate(leaves(value)):
            yield (f"{name}[{at}]" if isinstance(value, tuple) else name), tensor


def plain(tensor: Tensor) -> Tensor:
    """A contiguous tensor of the same values."""
    return Tensor(tensor.shape, tensor.dtype, tensor.format, data=np.array(tensor.array, order="C", copy=True))


def spread(tensor: Tensor) -> Tensor:
    """A tensor of the same values whose elements lie apart, at an offset, in column-major order."""
    strides = tuple(2 * step for step in reversed(contiguous_strides(tensor.shape[::-1])))
    moved = blank(Tensor(tensor.shape, tensor.dtype, tensor.format, strides, 1))
    moved.array[...] = tensor.array
    return moved


def shifted(tensor: Tensor) -> Tensor:
    """A contiguous tensor of the same values at an offset in a larger storage."""
    storage_shape = (tensor.numel + 5,)
    moved = blank(Tensor(tensor.shape, tensor.dtype, tensor.format, None, 3, storage_shape))
    moved.array[...] = tensor.array
    return moved


def storage(tensor: Tensor) -> bytes:
    """Every byte that the tensor's memory holds, those between its elements included."""
    base: NDArray[Any] = tensor.array
    while isinstance(base.base, np.ndarray):
        base = base.base
    return base.tobytes()


def bits(array: NDArray[Any]) -> bytes:
    """The elements of an array, bit for bit, in row-major order; every NaN counts as the same."""
    values = np.array(array, order="C", copy=True)
    if values.dtype.kind not in "biu":
        values[values != values] = np.nan
    return values.tobytes()


def gaps(tensor: Tensor) -> bytes:
    """The bytes of a tensor's storage that belong to none of its elements."""
    marks = over(tensor, np.zeros(int(np.prod(tensor.storage_shape)), tensor.dtype.numpy))
    marks.array.fill(1)
    inside = np.frombuffer(storage(marks), np.uint8) != 0
    element = inside.reshape(-1, tensor.dtype.itemsize).any(axis=1) if inside.size else inside
    stored = np.frombuffer(storage(tensor), np.uint8).reshape(-1, tensor.dtype.itemsize)
    return stored[~element].tobytes() if stored.size else b""


def example_argument(value: Any) -> Any:
    """A value of an example as an argument."""
    if not isinstance(value, TensorValue):
        return value
    kind = DType[value.dtype].numpy
    flat = np.array(value.values, np.float64 if kind is not None and kind.kind not in "iub" else None)
    filled = np.broadcast_to(flat, value.shape) if flat.size == 1 else flat.reshape(value.shape)
    return Tensor(value.shape, value.dtype, value.format, data=np.ascontiguousarray(filled.astype(kind)))
