"""Arguments with data: seeded numbers in any memory layout, and outputs full of sentinels."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.bounds import Bounds
from aclspec.runtime.rules.operator_info import ParamInfo, TensorValue
from aclspec.runtime.tensors.layout import contiguous_strides, is_negative
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves

SENTINEL = 0xA5
"""The byte that outputs are filled with, so that a write shows."""
NAN_SENTINEL = 0xFF
"""The same for a dtype in which these bytes are a NaN, so that a kernel that computes with what it finds shows."""
_LARGEST = 1 << 22


def can_hold(tensor: Tensor) -> bool:
    """Whether a test may allocate the tensor's storage: NumPy has the dtype, no dimension is negative, it is small."""
    held = tensor.dtype.numpy is not None and not is_negative(tensor.shape)
    return held and math.prod(tensor.storage_shape) * tensor.dtype.itemsize <= _LARGEST


def all_held(value: Any) -> bool:
    """Whether that is so of every tensor of an argument."""
    if isinstance(value, tuple):
        return all(map(all_held, value))
    return can_hold(value) if isinstance(value, Tensor) else True


def filled(tensor: Tensor, seed: str, bounds: Bounds | None = None) -> Tensor:
    """The same tensor over a storage of seeded random numbers within bounds."""
    kind = tensor.dtype.numpy
    assert kind is not None
    random = np.random.default_rng(zlib.crc32(seed.encode()))
    return over(tensor, _numbers(random, math.prod(tensor.storage_shape), kind, bounds))


def is_possible(bounds: Bounds) -> bool:
    """Whether there is an integer within bounds, which is what tests fill a bounded tensor with."""
    low, below = _integers_within(bounds)
    return low < below


def _integers_within(bounds: Bounds) -> tuple[int, int]:
    """The integers from one up to but not including another; a few of them where a bound is missing or far away."""
    if bounds.low is None:
        below = 4 if bounds.below is None else math.ceil(min(bounds.below, 4))
        return below - 4, below
    low = math.ceil(bounds.low)
    return low, low + 4 if bounds.below is None else math.ceil(min(bounds.below, low + 64))


def _numbers(random: np.random.Generator, count: int, kind: np.dtype[Any], bounds: Bounds | None) -> NDArray[Any]:
    if bounds is not None:
        return random.integers(*_integers_within(bounds), count).astype(kind)
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


@cache
def sentinel(dtype: DType) -> int:
    """The byte that outputs of a dtype are filled with."""
    kind = dtype.numpy
    assert kind is not None
    raw = np.full(dtype.itemsize, NAN_SENTINEL, np.uint8).view(kind)
    return NAN_SENTINEL if (raw != raw).all() else SENTINEL


def blank(tensor: Tensor, byte: int | None = None) -> Tensor:
    """The same tensor over a storage of sentinels, or of another byte."""
    count = math.prod(tensor.storage_shape)
    raw = np.full(count * tensor.dtype.itemsize, sentinel(tensor.dtype) if byte is None else byte, np.uint8)
    assert tensor.dtype.numpy is not None
    return over(tensor, raw.view(tensor.dtype.numpy))


def blanked(value: Any, byte: int | None = None) -> Any:
    """An output as a call describes it, each of its tensors over a storage of sentinels, or of another byte."""
    return None if value is None else each_leaf(lambda one: one and blank(one, byte), value)


def as_tensors(result: Sequence[Any]) -> list[Any]:
    """The outputs of a call as tensors; they are arrays where no input is a tensor of the runtime."""
    return [Tensor.from_array(one) if isinstance(one, np.ndarray) else one for one in result]


def named_tensors(values: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors among values by name, those of a list with their index."""
    for name, value in values.items():
        for at, tensor in enumerate(leaves(value)):
            yield (f"{name}[{at}]" if isinstance(value, tuple) else name), tensor


def contiguous(tensor: Tensor) -> Tensor:
    """A contiguous tensor of the same values; one that is contiguous keeps the shape of its storage."""
    storage_shape = tensor.storage_shape if tensor.is_contiguous and not tensor.offset else None
    moved = blank(Tensor(tensor.shape, tensor.dtype, tensor.format, None, 0, storage_shape))
    moved.array[...] = tensor.array
    return moved


def strided(tensor: Tensor) -> Tensor:
    """A tensor of the same values with strides of 2, at an offset, in column-major order."""
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


def first_part(param: ParamInfo, tensor: Tensor, length: int | None) -> Tensor:
    """What is written of a tensor whose length depends on the data; all of it where that is None."""
    array = tensor.array
    if param.data_dependent == "last" and length is not None:
        shape = (*array.shape[:-1], length)
        return Tensor.from_array(array.ravel()[: math.prod(shape)].reshape(shape), tensor.format)
    return Tensor.from_array(array[:length], tensor.format)


def storage(tensor: Tensor) -> bytes:
    """Every byte that the tensor's memory holds, those between its elements included."""
    base: NDArray[Any] = tensor.array
    while isinstance(base.base, np.ndarray):
        base = base.base
    return base.tobytes()


def bits(array: NDArray[Any]) -> bytes:
    """The elements of an array, bit for bit, in row-major order; every NaN counts as the same."""
    values = np.array(array, order="C", copy=True)
    if values.dtype.kind not in "biu" and (is_nan := values != values).any():  # INT4 cannot even be asked for a NaN
        values[is_nan] = np.nan
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
    if isinstance(value, tuple):
        return tuple(map(example_argument, value))
    if not isinstance(value, TensorValue):
        return value
    kind = DType[value.dtype].numpy
    flat = np.array(value.values, np.float64 if kind is not None and kind.kind not in "iub" else None)
    filled = np.broadcast_to(flat[0], value.shape) if flat.size == 1 else flat.reshape(value.shape)
    return Tensor(value.shape, value.dtype, value.format, data=np.ascontiguousarray(filled.astype(kind)))


_SPECIALS = (np.nan, np.inf, -np.inf, -0.0)


def with_specials(tensor: Tensor, chosen: Tensor) -> Tensor:
    """The tensor itself, or where it is the chosen one a copy that begins with special values."""
    if tensor is not chosen:
        return tensor
    copy = contiguous(tensor)
    flat = copy.array.reshape(-1)
    flat[: len(_SPECIALS)] = np.array(_SPECIALS[: flat.size], np.float64).astype(flat.dtype)
    return copy


def is_blank(tensor: Tensor) -> bool:
    """Whether a tensor has nothing but sentinels in its memory."""
    return set(storage(tensor)) in (set(), {SENTINEL}, {NAN_SENTINEL})


def bits_of(value: Any) -> bytes:
    """The bits of an output, of a list one tensor after the other."""
    return b"".join(bits(tensor.array) for tensor in leaves(value))


def kinds(value: Any) -> list[tuple[tuple[int, ...], DType]]:
    """The shape and dtype of each tensor of an output."""
    return [(tensor.shape, tensor.dtype) for tensor in leaves(value)]


def zeroed(found: Any, expected: bytes) -> bytes:
    """What is expected of a new output: zeros where the kernel may have written nothing over the sentinels."""
    parts, at = [], 0
    for tensor in leaves(found):
        size = tensor.dtype.itemsize
        own = np.frombuffer(bits(tensor.array), np.uint8).reshape(-1, size)
        wanted = np.frombuffer(expected, np.uint8, own.size, at).reshape(-1, size)
        unwritten = np.frombuffer(bits(blank(Tensor((1,), tensor.dtype)).array), np.uint8)
        skipped = (wanted == unwritten).all(1, keepdims=True) & ~own.any(1, keepdims=True)
        parts.append(np.where(skipped, np.uint8(0), wanted).tobytes())
        at += own.size
    return b"".join(parts)
