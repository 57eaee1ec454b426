"""What the evaluation of a predicate works on: undefined, inferred, and the facts of a tensor.

A dtype and a format are their names inside the interpreter, an array is a tuple, and a tensor is whatever the
caller gave, looked at only through the functions here.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from aclspec.runtime.tensors.layout import contiguous_strides


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
NULL: Final = "null"
"""What stands for a null pointer among the dtypes of a row."""


def names_null(name: str, rows: Iterable[Mapping[str, Collection[str]]]) -> bool:
    """Whether a parameter may be null in some of these rows, but not in all."""
    return len({NULL in row.get(name, ()) for row in rows}) > 1


def symbol(value: object) -> str:
    """The name of a dtype or a format, given as an enum member or as its name."""
    return value if type(value) is str else str(getattr(value, "name", value))


def shape_of(tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor, as Python integers."""
    shape = tensor.shape
    return shape if type(shape) is tuple else tuple(map(int, shape))


def strides_of(tensor: Any) -> tuple[int, ...]:
    """The strides of a tensor in elements; one that has none is contiguous."""
    found = tensor.strides
    return contiguous_strides(shape_of(tensor)) if found is None else tuple(found)


def dtype_of(value: Any) -> str | Undefined:
    """The dtype's name of a tensor or a scalar; undefined for a Python number, which has none."""
    dtype = getattr(value, "dtype", None)
    return UNDEFINED if dtype is None else symbol(dtype)


def dtypes_of(value: Any) -> tuple[str, ...] | Undefined:
    """The dtypes that a dtype row compares: of each tensor of a list, else the one dtype of the value."""
    if isinstance(value, str):
        return (value,)
    found = tuple(dtype_of(item) for item in value) if isinstance(value, tuple) else (dtype_of(value),)
    names = tuple(name for name in found if not isinstance(name, Undefined))
    return names if len(names) == len(found) else UNDEFINED


def normalized(value: object) -> object:
    """An argument of a call as the interpreter holds it: arrays become tuples, the rest stays."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    return value


SHOWN_ELEMENTS: Final = 6
"""Of a longer list a sentence shows this number of elements, and says how many there are more."""


def shortened(texts: Sequence[str], more: str) -> Sequence[str]:
    """The texts of a list as a sentence shows it; ``more``, such as "and {0} more", is the rest of a long one."""
    if not more or len(texts) <= SHOWN_ELEMENTS:
        return texts
    return [*texts[:SHOWN_ELEMENTS], more.format(len(texts) - SHOWN_ELEMENTS)]


def value_text(value: object, *, quoted: bool = False, more: str = "") -> str:
    """A value as the sentence shows it: arrays as tuples, enums by name, strings optionally in quotes.

    ``more`` stands for the rest of a long array, such as "and {0} more"; without it an array is shown whole.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return _tuple_text(value, more)
        case str():
            return f'"{value}"' if quoted else value
        case float():
            return repr(value)
        case _:
            return symbol(value)


def _tuple_text(values: tuple[object, ...], more: str) -> str:
    texts = shortened([value_text(value, more=more) for value in values], more)
    numbers = not any(isinstance(value, str) for value in values)
    return f"({texts[0]},)" if len(texts) == 1 and numbers else f"({', '.join(texts)})"


def parenthesized(text: str) -> str:
    """The text in parentheses, unless it is a shape, which brings its own."""
    return text if text.startswith("(") and text.endswith(")") else f"({text})"
