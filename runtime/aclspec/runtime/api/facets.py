"""What of a value a fix changes: the facet, how far, and whether the value still stands for the same."""

from __future__ import annotations

import math
from typing import Any, Final

from aclspec.runtime.language.library import IMPLEMENTATIONS
from aclspec.runtime.search.call import ScalarMeta, TensorMeta, Value

_LIMIT: Final = 1 << 20


def common_facet(pairs: list[tuple[Value, Value]]) -> str | None:
    """The one facet in which all parameters change alike; None where they do not, or where a tensor becomes empty."""
    facets = {_facet(old, new) for old, new in pairs}
    if len(facets) != 1 or None in facets:
        return None
    (facet,) = facets
    if len(pairs) > 1 and (
        facet not in ("dtype", "format", "shape") or len({part_of(new, facet) for _, new in pairs}) > 1
    ):
        return None
    return facet


def _facet(old: Value, new: Value) -> str | None:
    """What of a value changes; None for more than one thing, and for what no caller wants."""
    if (old is None) != (new is None):
        return "null"
    if isinstance(old, TensorMeta) and isinstance(new, TensorMeta):
        if new.numel == 0 < old.numel or any(size < 0 for size in new.shape):
            return None
        layout = (new.strides, new.offset)
        names = ("shape", "dtype", "format")
        changed = [facet for facet in names if getattr(old, facet) != getattr(new, facet)]
        if (old.strides, old.offset) != layout and old.shape == new.shape:
            changed.append("strides")
        return changed[0] if len(changed) == 1 and (layout == (None, 0) or changed == ["dtype"]) else None
    if isinstance(old, ScalarMeta) and isinstance(new, ScalarMeta):
        return "dtype" if old.dtype != new.dtype else "value"
    if isinstance(old, tuple) and isinstance(new, tuple) and any(isinstance(one, TensorMeta) for one in (*old, *new)):
        facets = {_facet(one, other) for one, other in zip(old, new, strict=False) if one != other}
        alike = len(old) == len(new) and len(facets) == 1 and len({part_of(one, "dtype") for one in new}) == 1
        return "dtype" if alike and facets == {"dtype"} else None
    return "value"


def keeps_meaning(old: Value, new: Value, facet: str) -> bool:
    """Whether an input that is changed so can stand for what it was."""
    if facet == "shape":
        before, after = part_of(old, "shape"), part_of(new, "shape")
        return len(before) == len(after) or is_padded(old, new) or _is_fewer(before, after)
    if facet == "dtype" and not isinstance(old, ScalarMeta):
        before, after = kind_of(part_of(old, "dtype")), kind_of(part_of(new, "dtype"))
        is_byte = part_of(new, "dtype") in ("INT8", "UINT8")
        return before == after or (before != "COMPLEX" and after != "BOOL" and (before != "BOOL" or is_byte))
    return facet != "null" or old is None


def is_padded(old: Value, new: Value) -> bool:
    """Whether a tensor gets axes of size 1, not behind its last one."""
    before, after = part_of(old, "shape"), part_of(new, "shape")
    if not isinstance(old, TensorMeta) or len(after) <= len(before):
        return False
    return after[-1:] == before[-1:] and _long(after) == _long(before)


def _long(shape: tuple[int, ...]) -> list[int]:
    return [size for size in shape if size != 1]


def _is_fewer(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    return len(after) < len(before) and math.prod(before) == math.prod(after)


def is_flattened(old: Value, new: Value) -> bool:
    """Whether the leading axes of a tensor become one."""
    if not (isinstance(old, TensorMeta) and isinstance(new, TensorMeta)):
        return False
    count = len(old.shape) - len(new.shape) + 1
    return count > 1 and len(new.shape) > 0 and new.shape == (math.prod(old.shape[:count]), *old.shape[count:])


def loss(old: Value, new: Value) -> tuple[int, int]:
    """What a new dtype keeps of the numbers: first the smallest that holds all, else the largest."""
    before, after = part_of(old, "dtype"), part_of(new, "dtype")
    old_bits, new_bits = map(IMPLEMENTATIONS["bits"], (before, after))
    is_wider = new_bits > old_bits and not (kind_of(after) == "INT" and has_more(before, after))
    holds_all = is_wider or IMPLEMENTATIONS["promote"](before, after) == after
    return (0, new_bits) if holds_all else (1, -new_bits)


def has_more(before: str, after: str) -> bool:
    """Whether a dtype has numbers that integers of another one lack, however wide: fractions, or negative ones."""
    return kind_of(before) not in ("INT", "BOOL") or (after.startswith("UINT") and before.startswith("INT"))


def is_smaller(old: Value, new: Value) -> bool:
    """Whether numbers beyond 65504, which a dtype holds, are infinite in the new one."""
    before, after = part_of(old, "dtype"), part_of(new, "dtype")
    return bool(after == "FLOAT16" and before in ("FLOAT", "DOUBLE", "BF16"))


def part_of(value: Value, facet: str) -> Any:
    """A facet of a value; that of the first tensor of a list."""
    first = value[0] if isinstance(value, tuple) and value and isinstance(value[0], TensorMeta) else value
    return getattr(first, facet, first)


def kind_of(dtype: str) -> str:
    """Whether a dtype holds integers, complex numbers, truth values or real numbers."""
    return next((kind for kind in ("INT", "COMPLEX", "BOOL") if dtype.removeprefix("U").startswith(kind)), "FLOAT")


def distance(old: Value, new: Value) -> int:
    """By how much two values differ: the numbers that change, and how far."""
    if isinstance(old, TensorMeta) and isinstance(new, TensorMeta):
        return distance(old.shape, new.shape)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return 64 * abs(len(old) - len(new)) + sum(distance(*pair) for pair in zip(old, new, strict=False))
    if isinstance(old, int | float) and isinstance(new, int | float):
        if old < -1 and new == -1:  # the last axis, where axes are counted from the end
            return 8
        return 0 if old == new else 8 + _bits(abs(old - new))
    return int(old != new)


def gap(old: Value, new: Value) -> int:
    """How far integers are from others, up to a limit: which of two at the same `distance` is nearer."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        return sum(gap(*pair) for pair in zip(old, new, strict=False))
    if isinstance(old, int) and isinstance(new, int) and not isinstance(old, bool):
        return min(abs(old - new), _LIMIT)
    return 0


def _bits(size: float) -> int:
    """The bits of the whole part of a number, of a large one and of NaN those of a limit."""
    return int(size if size < _LIMIT else _LIMIT).bit_length()


def shown(value: Value, facet: str, nothing: str) -> str:
    """The part of a new value that a sentence names."""
    if value is None:
        return nothing
    if facet in ("dtype", "format", "shape") and not isinstance(value, str):
        part = part_of(value, facet)
        return str(list(part)) if facet == "shape" else str(part)
    return _as_text(value)


def _as_text(value: Value) -> str:
    if isinstance(value, TensorMeta):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_text, value))}]"
    return str(value.value if isinstance(value, ScalarMeta) else value)
