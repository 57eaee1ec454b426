"""Tensor literals: ``float32[4,2]:NCHW:strides=1,4:offset=2:storage=12``."""

from __future__ import annotations

import re

from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.layout import span
from aclspec.runtime.tensor import Tensor

GRAMMAR = "dtype[d0,d1,...], then any of :FORMAT :strides=s0,s1,... :offset=n :storage=d0,d1,..."
_HEAD = re.compile(r"\s*(\w+)\s*\[([^\]]*)\]\s*(?::(.*))?\Z", re.DOTALL)
_OPTIONS = ("strides", "offset", "storage")


def parse_tensor(text: str) -> Tensor:
    """The tensor, without data, that a literal describes; ValueError with a sentence for a bad literal."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"The tensor literal ({text}) is not of the form {GRAMMAR}.")
    layout, options = _suffixes(text, head[3])
    offset = options.get("offset", (0,))
    if len(offset) != 1:
        raise ValueError(f"The offset of the tensor literal ({text}) is not one integer.")
    return Tensor(
        shape=_integers(text, head[2], "shape"),
        dtype=DType.parse(head[1]),
        format=layout,
        strides=options.get("strides"),
        offset=offset[0],
        storage_shape=options.get("storage"),
    )


def format_tensor(tensor: Tensor) -> str:
    """The literal of a tensor; what a contiguous tensor has by default is left out."""
    parts = [f"{tensor.dtype.short}[{_join(tensor.shape)}]"]
    if tensor.format is not None:
        parts.append(tensor.format.name)
    if not tensor.is_contiguous:
        parts.append(f"strides={_join(tensor.strides)}")
    if tensor.offset:
        parts.append(f"offset={tensor.offset}")
    if _storage_is_told(tensor):
        parts.append(f"storage={_join(tensor.storage_shape)}")
    return ":".join(parts)


def _storage_is_told(tensor: Tensor) -> bool:
    if tensor.is_contiguous and not tensor.offset:
        return tensor.storage_shape not in (tensor.shape, (tensor.numel,))
    return tensor.storage_shape != (tensor.offset + span(tensor.shape, tensor.strides),)


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


def _integers(text: str, values: str, noun: str) -> tuple[int, ...]:
    try:
        return tuple(int(value) for value in values.split(",")) if values.strip() else ()
    except ValueError:
        raise ValueError(f"The {noun} of the tensor literal ({text}) is not a list of integers.") from None


def _join(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))
