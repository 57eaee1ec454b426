"""A Python expression before it is text: parentheses and line breaks are decided when it is printed.

`Shared` marks a value that may be kept in a local; whether it is, the printer learns from ``names``, and the name of
the constant that a `Kept` one is in.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from aclspec.codegen.emit.scope import identifier
from aclspec.runtime.predicate.nodes import Node

if TYPE_CHECKING:
    from aclspec.codegen.emit.pretty import Literal


class Level(IntEnum):
    """How tightly an expression binds; one that binds less than its place needs is put in parentheses."""

    TERNARY = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARE = 5
    SUM = 6
    TERM = 7
    UNARY = 8
    POSTFIX = 9
    ATOM = 10


@dataclass(frozen=True, slots=True)
class Text:
    """Python text with nothing to decide in it."""

    text: str
    level: Level = Level.ATOM


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that the module keeps in a constant, of which ``text`` is all; it has this name where that is free."""

    text: str
    name: str = field(compare=False)
    comment: str = field(compare=False)
    value: Literal = field(compare=False)


@dataclass(frozen=True, slots=True)
class Fill:
    """A template with holes: ``{0}`` takes any expression, ``{0.}`` what a dot may follow, ``{0-}`` an operand."""

    template: str
    args: tuple[Py, ...]
    level: Level = Level.POSTFIX


@dataclass(frozen=True, slots=True)
class Bracket:
    """A tuple, a dict, or a call with its arguments: what may be broken inside its brackets."""

    opening: str
    items: tuple[Py, ...]
    closing: str = ")"


@dataclass(frozen=True, slots=True)
class Chain:
    """``a op b op c``: a boolean chain, a comparison or a sum."""

    ops: tuple[str, ...]
    items: tuple[Py, ...]
    level: Level


@dataclass(frozen=True, slots=True)
class Prefix:
    """``not a`` or ``-a``."""

    op: str
    operand: Py
    level: Level


@dataclass(frozen=True, slots=True)
class Ternary:
    """``then if cond else orelse``."""

    cond: Py
    then: Py
    orelse: Py


@dataclass(frozen=True, slots=True)
class Walk:
    """``body for var in over``, what stands between the brackets of a generator."""

    var: str
    body: Py
    over: Py


@dataclass(frozen=True, slots=True)
class Shared:
    """A value that a local may hold under a name like ``hint``.

    ``node`` is what the value means, so that it can be compiled again where the local is bound; ``where`` is set
    instead for the row of a table, which exists for these pairs of mode and product only.
    """

    key: Hashable
    hint: str
    value: Py
    node: Node | None = None
    where: frozenset[tuple[str, str]] = frozenset()


Py: TypeAlias = Text | Kept | Fill | Bracket | Chain | Prefix | Ternary | Walk | Shared
Names: TypeAlias = Mapping[Hashable, str]
"""The locals that hold shared values, by key, and the constants that hold kept ones, by these."""

SLICE = "{0.}[{1}:{2}]"
"""The template of a slice, whose colon gets room when a bound is more than a name."""
TRUE = Text("True")
FALSE = Text("False")


def is_short(item: Py) -> bool:
    """Whether an expression is a name, a number, a fact of something, or a sum of such."""
    match item:
        case Text() | Kept():
            return True
        case Shared(value=value):
            return is_short(value)
        case Fill(args=items) | Chain(items=items) | Bracket(opening="len(", items=items):
            return all(map(is_short, items))
        case Prefix(operand=operand):
            return is_short(operand)
        case _:
            return False


def compare(left: Py, op: str, right: Py) -> Py:
    """One comparison."""
    return Chain((op,), (left, right), Level.COMPARE)


def walk(opening: str, var: str, body: Py, over: Py) -> Py:
    """A generator in the brackets of a call: ``any(body for var in over)``."""
    return Bracket(opening, (Walk(identifier(var), body, over),))


def parts(item: Py) -> tuple[Py, ...]:
    """The direct parts of an expression, left to right."""
    match item:
        case Fill(args=args):
            return args
        case Chain(items=items) | Bracket(items=items):
            return items
        case Prefix(operand=operand):
            return (operand,)
        case Ternary(cond=cond, then=then, orelse=orelse):
            return (then, cond, orelse)
        case Walk(body=body, over=over):
            return (body, over)
        case Shared(value=value):
            return (value,)
        case Text() | Kept():
            return ()
