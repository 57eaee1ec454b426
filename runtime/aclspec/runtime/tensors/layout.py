"""The layout of a tensor in memory, and literals: ``float32[4,2]:NCHW:strides=1,4:offset=2:storage=12``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format

if TYPE_CHECKING:
    from numpy.typing import NDArray


INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


class Layout(NamedTuple):
    """Where a view's elements stand in its storage."""

    strides: tuple[int, ...]
    offset: int
    storage_shape: tuple[int, ...]

    @classmethod
    def checked(
        cls,
        shape: tuple[int, ...],
        strides: Sequence[int] | None,
        offset: int,
        storage_shape: Sequence[int] | None,
        data_shape: tuple[int, ...] | None,
    ) -> Layout:
        """The layout of these arguments of a Tensor; ValueError or TypeError when they make no sense together."""
        if data_shape is not None and is_negative(shape):
            raise ValueError(f"The shape of a tensor with data ({shape}) has a negative dimension.")
        steps = contiguous_strides(shape) if strides is None else dims(strides, "strides")
        if len(steps) != len(shape):
            raise ValueError(f"The number of strides ({len(steps)}) is not the number of dimensions ({len(shape)}).")
        start = int64(offset, "offset")
        end = start + span(shape, steps)
        storage = (end,) if data_shape is None else data_shape
        if storage_shape is not None:
            storage = dims(storage_shape, "storage_shape")
        if data_shape is not None and prod(storage) != prod(data_shape):
            raise ValueError(
                f"The number of elements of storage_shape ({prod(storage)}) is not that of data ({prod(data_shape)})."
            )
        if end > prod(storage):
            raise ValueError(
                f"The view ends at element {end} and leaves its storage, which has {prod(storage)} elements."
            )
        return cls(steps, start, storage)

    def is_contiguous(self, shape: tuple[int, ...]) -> bool:
        """Whether the elements of a view of this shape stand one after the other in row-major order."""
        if any(size <= 0 for size in shape):
            return True
        expected = contiguous_strides(shape)
        return all(d == 1 or s == e for d, s, e in zip(shape, self.strides, expected, strict=True))

    def view(self, storage: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The view on this storage, without a copy; ValueError when the storage itself is not contiguous."""
        if not storage.flags.c_contiguous:
            raise ValueError("The storage of a Tensor (data) is not contiguous, so that offsets into it mean nothing.")
        size = storage.itemsize
        flat = storage.reshape(-1).view(f"V{size}")  # NumPy knows the layout of raw bytes alone for every dtype
        steps = tuple(step * size for step in self.strides)
        return np.ndarray(shape, flat.dtype, flat, self.offset * size, steps).view(storage.dtype)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major strides of a shape, in elements; an axis without elements counts as one element."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def span(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """The elements from the first to the last of a view, both counted; 0 for one without elements."""
    if any(size <= 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def has_int64_elements(shape: tuple[int, ...]) -> bool:
    """Whether the sizes of a shape, and its number of elements, are INT64."""
    return all(INT64_MIN <= number <= INT64_MAX for number in (*shape, prod(shape)))


def is_negative(shape: tuple[int, ...]) -> bool:
    """Whether a dimension is negative: aclCreateTensor takes such a shape, and the checks of an operator refuse it."""
    return any(size < 0 for size in shape)


def dims(values: Sequence[int], noun: str, low: int = 0) -> tuple[int, ...]:
    """A sequence of sizes or strides as a tuple of ints, none of them below ``low``."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"The value of {noun} ({values!r}) is not a sequence of integers.")
    return tuple(int64(value, f"{noun}[{at}]", low) for at, value in enumerate(values))


def int64(value: object, noun: str, low: int = 0) -> int:
    """An int from ``low`` to the largest int64."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"The value of {noun} ({value!r}) is not an integer.")
    number = index(value)
    if number < low == 0:
        raise ValueError(f"The value of {noun} ({number}) is negative.")
    if not low <= number <= INT64_MAX:
        raise ValueError(f"The value of {noun} ({number}) is beyond the range of int64.")
    return number


GRAMMAR = "dtype[d0,d1,...], then any of :FORMAT :strides=s0,s1,... :offset=n :storage=d0,d1,..."
_HEAD = re.compile(r"\s*((?:\w+\.)?\w+)\s*((?:torch\.Size\s*)?[\[(][^:=]*[\])])\s*(?::(.*))?\Z", re.DOTALL)
_SHAPE = re.compile(r"(?:(?:torch\.Size)?\s*[\[(]\s*){1,4}([^\[\]()]*?)(,?)\s*[\])\s]{1,4}\Z")
"""The sizes within any of ``[4, 2]``, ``(4, 2)`` and ``torch.Size([4, 2])``, and the comma that ends a Python tuple."""
_CROSSED = re.compile(r"\s*\d+(?:\s*[x×]\s*\d+)+\s*", re.ASCII)
_OPTIONS = ("strides", "offset", "storage")


def parse_literal(text: str) -> dict[str, Any]:
    """The arguments of the `Tensor` that a literal describes; ValueError with a sentence for a bad literal."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"The tensor literal ({text}) is not of the form {GRAMMAR}.")
    layout, options = _suffixes(text, head[3])
    offset = options.get("offset", (0,))
    if len(offset) != 1:
        raise ValueError(f"The offset of the tensor literal ({text}) is not one integer.")
    return {
        "shape": _integers(text, _sizes(head[2]), "shape"),
        "dtype": DType.parse(head[1]),
        "format": layout,
        "strides": options.get("strides"),
        "offset": offset[0],
        "storage_shape": options.get("storage"),
    }


def format_literal(shape: tuple[int, ...], dtype: DType, format: Format | None, layout: Layout) -> str:
    """The literal of a tensor; what a contiguous tensor has by default is left out."""
    parts = [f"{dtype.short}[{_join(shape)}]"]
    if format is not None:
        parts.append(format.name)
    contiguous = layout.is_contiguous(shape)
    if not contiguous:
        parts.append(f"strides={_join(layout.strides)}")
    if layout.offset:
        parts.append(f"offset={layout.offset}")
    if contiguous and not layout.offset:
        named = layout.storage_shape not in (shape, (prod(shape),))
    else:
        named = layout.storage_shape != (layout.offset + span(shape, layout.strides),)
    if named:
        parts.append(f"storage={_join(layout.storage_shape)}")
    return ":".join(parts)


def _suffixes(text: str, tail: str | None) -> tuple[Format | None, dict[str, tuple[int, ...]]]:
    layout: Format | None = None
    options: dict[str, tuple[int, ...]] = {}
    for part in () if tail is None else tail.split(":"):
        name, equals, value = part.partition("=")
        key = name.strip()
        if not equals and layout is None and not options:
            layout = Format.parse(part)
        elif equals and key in _OPTIONS and key not in options:
            options[key] = _integers(text, value, key)
        else:
            raise ValueError(
                f"The part {part} of the tensor literal ({text}) is unexpected; it is of the form {GRAMMAR}."
            )
    return layout, options


def _sizes(text: str) -> str:
    """The sizes of a shape between commas, of whatever way to write it."""
    found = _SHAPE.match(text)
    if found is None:
        return text
    sizes = found[1] if "(" in text else found[1] + found[2]
    return re.sub("[x×]", ",", sizes) if _CROSSED.fullmatch(sizes) else sizes


def _integers(text: str, values: str, noun: str) -> tuple[int, ...]:
    try:
        return tuple(int(value) for value in values.split(",")) if values.strip() else ()
    except ValueError:
        raise ValueError(f"The {noun} of the tensor literal ({text}) is not a list of integers.") from None


def _join(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))
