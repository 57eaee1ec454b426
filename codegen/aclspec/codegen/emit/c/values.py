"""What a lowered tree is in C: the text of an expression with its type, or a list that is never stored.

An integer is a ``wide`` (128 bits) where its interval fits, and else an ``aclspec_big``. A list is a length and a text
for the element at an index, so that no check needs memory for one, whatever its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import count
from typing import Final


class Level(IntEnum):
    """How tightly an expression binds; one that binds less than its place needs is put in parentheses."""

    TERNARY = 1
    OR = 2
    AND = 3
    COMPARE = 4
    SUM = 5
    TERM = 6
    UNARY = 7
    POSTFIX = 8


INT64: Final = (-(2**63), 2**63 - 1)
LENGTH: Final = (0, 2**63 - 1)
WIDE: Final = (-(2**127) + 1, 2**127 - 1)


@dataclass(frozen=True, slots=True)
class Code:
    """An expression: its type, its text, how tightly it binds, and for an integer the least and greatest value.

    ``kind`` is a predicate type of one value, "big" for an integer beyond a ``wide``, "number" for the value of a
    scalar, "dtypes" for a set of dtypes, "rows" for rows of them, or "none" for a null.
    """

    kind: str
    text: str
    level: Level = Level.POSTFIX
    low: int = 0
    high: int = 0

    def within(self, level: Level) -> str:
        """The text, in parentheses where its place binds tighter."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def is_literal(self) -> bool:
        """Whether it is an integer literal."""
        return self.kind == "int" and self.text.lstrip("-").isdigit()

    @property
    def is_simple(self) -> bool:
        """Whether it may be written more than once."""
        return self.text.replace("_", "").replace("->", "").isalnum() or self.text.lstrip("-").isdigit()


@dataclass(frozen=True, slots=True)
class Listed:
    """A list: the type of its elements with their interval, its length, and the element at an index.

    ``view`` is the text of an ``aclspec_ints`` that holds it, ``array`` that of a parameter that lists other things,
    ``items`` its elements where their number is fixed, and ``start`` and ``stop`` the ends of a range.
    """

    kind: str
    length: Code
    at: Callable[[Code], Code]
    low: int = 0
    high: int = 0
    view: str | None = None
    array: str | None = None
    items: tuple[Code, ...] | None = None
    start: Code | None = None
    stop: Code | None = None


class Names:
    """Fresh names of the places that loops run over."""

    def __init__(self) -> None:
        """None given yet."""
        self._numbers = count(1)

    def place(self) -> Code:
        """A new loop variable."""
        return Code("int", f"at{next(self._numbers)}", low=LENGTH[0], high=LENGTH[1])


def literal(value: int) -> Code:
    """An integer literal."""
    level = Level.POSTFIX if value >= 0 else Level.UNARY
    if INT64[0] < value <= INT64[1]:
        return Code("int", str(value), level, value, value)
    if not WIDE[0] <= value <= WIDE[1]:
        raise ValueError(f"The integer ({value}) has no literal in C.")
    high, low = divmod(value, 2**64)
    return Code("int", f"(((wide){high} << 32 << 32) + {low}u)", Level.POSTFIX, value, value)


def integer(text: str, level: Level, low: int, high: int) -> Code:
    """An integer expression whose value fits a ``wide``."""
    assert WIDE[0] <= low <= high <= WIDE[1], (text, low, high)
    return Code("int", text, level, low, high)


def fits(low: int, high: int) -> bool:
    """Whether integers of an interval fit a ``wide``."""
    return WIDE[0] <= low and high <= WIDE[1]


def as_big(code: Code) -> Code:
    """An integer as an ``aclspec_big``."""
    if code.kind == "big":
        return code
    assert code.kind == "int", code
    return replace(code, kind="big", text=f"aclspec_big_of({code.text})", level=Level.POSTFIX)


def call(kind: str, name: str, *args: Code | str, low: int = 0, high: int = 0) -> Code:
    """A call of a function or a macro."""
    texts = (one if isinstance(one, str) else one.text for one in args)
    return Code(kind, f"{name}({', '.join(texts)})", Level.POSTFIX, low, high)


def conjunction(*items: Code) -> Code:
    """``a && b``."""
    items = tuple(item for item in items if item.text != "true") or items[:1]
    if len(items) == 1:
        return items[0]
    return Code("bool", " && ".join(item.within(Level.COMPARE) for item in items), Level.AND)


def disjunction(*items: Code) -> Code:
    """``a || b``; an ``&&`` gets parentheses in it."""
    if len(items) == 1:
        return items[0]
    return Code("bool", " || ".join(item.within(Level.COMPARE) for item in items), Level.OR)


def negated(code: Code) -> Code:
    """``!a``."""
    return Code("bool", f"!{code.within(Level.UNARY)}", Level.UNARY)


def ternary(cond: Code, then: Code, orelse: Code) -> Code:
    """``cond ? then : orelse``, two integers of different width as the wider."""
    if then.text == orelse.text or cond.text == "true":
        return then
    if cond.text == "false":
        return orelse
    if {then.kind, orelse.kind} == {"int", "big"}:
        then, orelse = as_big(then), as_big(orelse)
    kind = orelse.kind if then.kind == "none" else then.kind
    text = f"{cond.within(Level.OR)} ? {then.within(Level.OR)} : {orelse.within(Level.TERNARY)}"
    return Code(kind, text, Level.TERNARY, min(then.low, orelse.low), max(then.high, orelse.high))


def bound(name: str, value: Code, body: Code) -> Code:
    """An expression in which a name stands for a value; the expression itself where it does not use the name."""
    if re.search(rf"\b{name}\b", body.text) is None:
        return body
    return replace(
        body, text=f"({{ const {TYPES[value.kind]} {name} = {value.text}; {body.text}; }})", level=Level.POSTFIX
    )


TYPES: Final = {
    "bool": "bool",
    "int": "wide",
    "big": "aclspec_big",
    "float": "double",
    "string": "char *",
    "dtype": "int",
    "format": "int",
    "dtypes": "dtype_set",
    "rows": "dtype_rows",
    "tensor": "aclspec_tensor *",
    "scalar": "aclspec_scalar *",
}
"""The C type of each kind of value, a pointer to what is constant."""
