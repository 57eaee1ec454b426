"""What the evaluation of a predicate works on: undefined, inferred, and the facts of a tensor.

A dtype and a format are their names inside the interpreter, an array is a tuple, and a tensor is whatever the
caller gave, looked at only through the functions here.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Final


class Undefined(enum.Enum):
    """The type of `UNDEFINED`."""

    UNDEFINED = "undefined"

    def __repr__(self) -> str:
        """The name by which the texts of the project know it."""
        return "UNDEFINED"

    def __bool__(self) -> bool:
        """Refused: a predicate that is undefined is neither true nor false."""
        raise TypeError("UNDEFINED is neither true nor false; compare it with `is`")


class Inferred(enum.Enum):
    """The type of `INFERRED`."""

    INFERRED = "inferred"

    def __repr__(self) -> str:
        """The name by which the texts of the project know it."""
        return "INFERRED"


UNDEFINED: Final = Undefined.UNDEFINED
INFERRED: Final = Inferred.INFERRED


def symbol(value: object) -> str:
    """The name of a dtype or a format, given as an enum member or as its name."""
    return str(getattr(value, "name", value))


def shape_of(tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor, in plain integers."""
    return tuple(int(size) for size in tensor.shape)


def dtype_of(value: Any) -> str | Undefined:
    """The dtype's name of a tensor or a scalar; undefined for a plain number, which has none."""
    dtype = getattr(value, "dtype", None)
    return UNDEFINED if dtype is None else symbol(dtype)


def dtypes_of(value: Any) -> tuple[str, ...] | Undefined:
    """The dtypes that a dtype row compares: of each tensor of a list, else the one dtype of the value."""
    if isinstance(value, str):
        return (value,)
    found = tuple(dtype_of(item) for item in value) if isinstance(value, tuple) else (dtype_of(value),)
    names = tuple(name for name in found if not isinstance(name, Undefined))
    return names if len(names) == len(found) else UNDEFINED


def plain(value: object) -> object:
    """An argument of a call as the interpreter holds it: arrays become tuples, the rest stays."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    return value
