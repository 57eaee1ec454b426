"""A Python expression before it is text: parentheses and line breaks are decided when it is printed.

`Shared` marks a value that may be kept in a local; whether it is, the printer learns from ``names``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from aclspec.runtime.predicate.nodes import Node

WIDTH = 120
INDENT = "    "


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
class Fill:
    """A template with holes: ``{0}`` takes any expression, ``{0.}`` what a dot may follow, ``{0-}`` an operand."""

    template: str
    args: tuple[Py, ...]
    level: Level = Level.POSTFIX


@dataclass(frozen=True, slots=True)
class Bracket:
    """A tuple, or a call with its arguments: what may be broken inside its brackets."""

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


Py: TypeAlias = Text | Fill | Bracket | Chain | Prefix | Ternary | Shared
Names: TypeAlias = Mapping[Hashable, str]

TRUE = Text("True")
FALSE = Text("False")
_HOLE = re.compile(r"\{(\d+)([.-]?)\}")
_NEEDS = {"": Level.TERNARY, ".": Level.POSTFIX, "-": Level.SUM}


def width(line: str) -> int:
    """The columns of a line; a character of East Asian width takes two."""
    return len(line) + (0 if line.isascii() else sum(unicodedata.east_asian_width(c) in "WF" for c in line))


def conj(*items: Py) -> Py:
    """``a and b``, with the constants folded and inner chains joined to it."""
    return _join("and", Level.AND, items, neutral=TRUE, absorbing=FALSE)


def disj(*items: Py) -> Py:
    """``a or b``, with the constants folded and inner chains joined to it."""
    return _join("or", Level.OR, items, neutral=FALSE, absorbing=TRUE)


def _join(op: str, level: Level, items: tuple[Py, ...], neutral: Py, absorbing: Py) -> Py:
    flat: list[Py] = []
    for item in items:
        if item == absorbing:
            return absorbing
        parts = item.items if isinstance(item, Chain) and item.level == level else (item,)
        flat.extend(part for part in parts if part != neutral and part not in flat)
    if not flat:
        return neutral
    return flat[0] if len(flat) == 1 else Chain((op,) * (len(flat) - 1), tuple(flat), level)


def negation(item: Py) -> Py:
    """``not a``, with the constants folded."""
    if item in (TRUE, FALSE):
        return FALSE if item == TRUE else TRUE
    return Prefix("not ", item, Level.NOT)


def choice(cond: Py, negated: Py, then: Py, orelse: Py) -> Py:
    """A condition chosen by another, as a ternary or, where an arm is constant, as what it comes to."""
    if then == orelse:
        return then
    if FALSE in (then, orelse):
        return conj(negated, orelse) if then == FALSE else conj(cond, then)
    if TRUE in (then, orelse):
        return disj(cond, orelse) if then == TRUE else disj(negated, then)
    return Ternary(cond, then, orelse)


def compare(left: Py, op: str, right: Py) -> Py:
    """One comparison."""
    return Chain((op,), (left, right), Level.COMPARE)


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
        case Shared(value=value):
            return (value,)
        case Text():
            return ()


def show(item: Py, names: Names, needs: Level = Level.TERNARY) -> str:
    """The expression on one line, in parentheses where its place asks for a tighter one."""
    text, level = _show(item, names)
    return text if level >= needs else f"({text})"


def _show(item: Py, names: Names) -> tuple[str, Level]:
    match item:
        case Text(text=text, level=level):
            return text, level
        case Fill(template=template, args=args, level=level):
            return _HOLE.sub(lambda hole: show(args[int(hole[1])], names, _NEEDS[hole[2]]), template), level
        case Bracket(opening=opening, items=items, closing=closing):
            comma = "," if opening == "(" and len(items) == 1 else ""
            return f"{opening}{', '.join(show(part, names) for part in items)}{comma}{closing}", Level.ATOM
        case Chain(ops=ops, items=items, level=level):
            first, *rest = (show(part, names, Level(level + 1 + _mixed(part, level))) for part in items)
            return " ".join([first, *(f"{op} {text}" for op, text in zip(ops, rest, strict=True))]), level
        case Prefix(op=op, operand=operand, level=level):
            return f"{op}{show(operand, names, level)}", level
        case Ternary(cond=cond, then=then, orelse=orelse):
            arms = show(then, names, Level.OR), show(cond, names, Level.OR), show(orelse, names)
            return f"{arms[0]} if {arms[1]} else {arms[2]}", Level.TERNARY
        case Shared(key=key, value=value):
            return (names[key], Level.ATOM) if key in names else _show(value, names)


def _mixed(part: Py, level: Level) -> int:
    """1 where an ``and`` stands in an ``or``: it gets parentheses although Python needs none."""
    return int(level == Level.OR and isinstance(part, Chain) and part.level == Level.AND)


def statement(before: str, item: Py, after: str, depth: int, names: Names) -> Iterator[str]:
    """The lines of ``<before> item <after>``, with an ``and`` or ``or`` broken at its operators when it is too long."""
    indent = INDENT * depth
    line = f"{indent}{before}{show(item, names)}{after}"
    if width(line) <= WIDTH or not _breakable(item):
        yield line
        return
    if isinstance(item, Bracket):
        yield f"{indent}{before}{item.opening}"
        for part in item.items:
            yield from statement("", part, ",", depth + 1, names)
        yield f"{indent}{item.closing}{after}"
        return
    first, last = _split_last(item)
    if last is not None:
        yield f"{indent}{before}{show(first, names, Level.NOT)} {_op(item)} ("
        line = f"{indent}{INDENT}{show(last, names)}"
        yield from (line,) if width(line) <= WIDTH else _broken(last, depth + 1, names)
    else:
        yield f"{indent}{before}("
        yield from _broken(item, depth + 1, names)
    yield f"{indent}){after}"


def _split_last(item: Py) -> tuple[Py, Py | None]:
    """``a and (b or c)`` keeps its first operand on the line and breaks in the parentheses of its last."""
    match item:
        case Chain(ops=(_,), items=(first, Chain(level=inner) as last), level=level) if inner <= level + 1 <= Level.NOT:
            return first, last
        case _:
            return item, None


def _op(item: Py) -> str:
    return item.ops[0] if isinstance(item, Chain) else ""


def _breakable(item: Py) -> bool:
    return isinstance(item, Bracket | Chain | Ternary)


def _broken(item: Py, depth: int, names: Names) -> Iterator[str]:
    """An expression inside parentheses, one operand a line."""
    indent = INDENT * depth
    for lead, part, needs in _operands(item):
        line = f"{indent}{lead}{show(part, names, needs)}"
        if width(line) <= WIDTH or not _breakable(part):
            yield line
        elif isinstance(part, Bracket):
            yield from statement(lead, part, "", depth, names)
        else:
            yield f"{indent}{lead}("
            yield from _broken(part, depth + 1, names)
            yield f"{indent})"


def _operands(item: Py) -> Iterator[tuple[str, Py, Level]]:
    if isinstance(item, Ternary):
        yield "", item.then, Level.OR
        yield "if ", item.cond, Level.OR
        yield "else ", item.orelse, Level.TERNARY
    elif isinstance(item, Chain):
        for op, part in zip(("", *item.ops), item.items, strict=True):
            yield f"{op} " if op else "", part, Level(item.level + 1 + _mixed(part, item.level))
