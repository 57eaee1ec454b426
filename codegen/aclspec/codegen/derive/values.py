"""Values near and beside other values, from which the moves of the search choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from aclspec.codegen.derive import shapes
from aclspec.codegen.derive.call import Call, ScalarMeta, TensorMeta, Value
from aclspec.codegen.derive.space import DTYPES, FORMATS

_SPREAD = 6


def with_dtype(value: Value, dtype: str) -> Value:
    """The value with another dtype; every element of a list."""
    if isinstance(value, TensorMeta):
        return value.retyped(dtype)
    if isinstance(value, ScalarMeta):
        return replace(value, dtype=dtype)
    if isinstance(value, tuple):
        return tuple(with_dtype(item, dtype) for item in value)  # type: ignore[return-value]
    return dtype if isinstance(value, str) else value


def dtypes_in(value: Any) -> set[str]:
    """Every dtype that a value has."""
    if isinstance(value, TensorMeta | ScalarMeta):
        return {value.dtype}
    if isinstance(value, tuple):
        return {dtype for item in value for dtype in dtypes_in(item)}
    return {value} if isinstance(value, str) else set()


def changes(one: Call, other: Call) -> int:
    """How many arguments of two calls differ."""
    return sum(left != right for left, right in zip(one, other, strict=True))


def outside(members: tuple[Any, ...]) -> Iterator[Any]:
    """Values beside the members of a list, of the members' own kind."""
    if all(isinstance(member, int) for member in members):
        yield from sorted({member + step for member in members for step in (-1, 1)} - set(members))
        return
    others = [name for name in (*FORMATS, *DTYPES, "", "other") if name not in members and _alike(name, members)]
    yield from others[:: max(len(others) // _SPREAD, 1)]


def _alike(name: str, members: tuple[Any, ...]) -> bool:
    """Whether a name is of the family of the members: dtypes with dtypes, formats with formats, else any string."""
    for family in (FORMATS, DTYPES):
        if any(member in family for member in members):
            return name in family
    return name not in FORMATS and name not in DTYPES


def satisfying(op: str, value: Any) -> Iterator[Any]:
    """Values that stand in this relation to a given one."""
    if isinstance(value, bool):
        yield value if op == "==" else not value
    elif isinstance(value, int | float):
        steps = {"==": (0,), "!=": (1, -1, 2), "<": (-1, -2), "<=": (0, -1), ">": (1, 2), ">=": (0, 1)}
        yield from (value + step for step in steps[op])
        if op == "!=" and value:
            yield 0
            yield 2 * value
    elif op == "==":
        yield value
    elif isinstance(value, tuple):
        yield from shapes.other_lists(value)
    else:
        family = next((family for family in (FORMATS, DTYPES) if value in family), ("", "other", "none"))
        others = [name for name in family if name != value]
        yield from others[:: max(len(others) // _SPREAD, 1)]
