"""An expression as text on one line, with parentheses where its places ask for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from aclspec.codegen.emit.python import (
    SLICE,
    Bracket,
    Chain,
    Fill,
    Kept,
    Level,
    Names,
    Prefix,
    Py,
    Shared,
    Ternary,
    Text,
    Walk,
)

WIDTH: Final = 120
INDENT: Final = "    "
HOLE: Final = re.compile(r"\{(\d+)([.-]?)\}")
"""A hole of a template: the number of its argument, and the sign that says what it takes."""
NEEDS: Final = {"": Level.TERNARY, ".": Level.POSTFIX, "-": Level.SUM}
"""How tightly the argument of a hole must bind, by its sign."""


def width(line: str) -> int:
    """The columns of a line; a character of East Asian width takes two."""
    return len(line) + (0 if line.isascii() else sum(unicodedata.east_asian_width(c) in "WF" for c in line))


def fits(line: str) -> bool:
    """Whether a line is no wider than a line may be."""
    return len(line) <= WIDTH and width(line) <= WIDTH


def show(item: Py, names: Names) -> str:
    """The expression, with each shared value that has a local by the name of that."""
    return shown(settled(item, names))


def settled(item: Py, names: Names) -> Py:
    """The expression with each shared value replaced by the name of its local, or where it has none by itself."""
    match item:
        case Shared(key=key, value=value):
            return Text(names[key]) if key in names else settled(value, names)
        case Kept(name=name):
            return Text(names.get(item, name))
        case Text():
            return item
        case Fill(template=template, args=parts, level=level):
            return Fill(template, tuple([settled(part, names) for part in parts]), level)
        case Bracket(opening=opening, items=parts, closing=closing):
            return Bracket(opening, tuple([settled(part, names) for part in parts]), closing)
        case Chain(ops=ops, items=parts, level=level):
            return Chain(ops, tuple([settled(part, names) for part in parts]), level)
        case Prefix(op=op, operand=operand, level=level):
            return Prefix(op, settled(operand, names), level)
        case Walk(var=var, body=body, over=over):
            return Walk(var, settled(body, names), settled(over, names))
        case Ternary(cond=cond, then=then, orelse=orelse):
            return Ternary(settled(cond, names), settled(then, names), settled(orelse, names))


def shown(item: Py, needs: Level = Level.TERNARY) -> str:
    """The expression, in parentheses where its place asks for a tighter one."""
    text = _bare(item)
    return text if level_of(item) >= needs else f"({text})"


def _bare(item: Py) -> str:
    match item:
        case Text(text=text):
            return text
        case Fill(template=template, args=(base, start, stop)) if template == SLICE:
            return f"{shown(base, Level.POSTFIX)}[{_bounds(shown(start), shown(stop))}]"
        case Fill(template=template, args=args):
            return HOLE.sub(lambda hole: shown(args[int(hole[1])], NEEDS[hole[2]]), template)
        case Bracket(opening=opening, items=items, closing=closing):
            comma = "," if opening == "(" and len(items) == 1 and not isinstance(items[0], Walk) else ""
            return f"{opening}{', '.join(map(shown, items))}{comma}{closing}"
        case Chain() | Prefix():
            return " ".join(f"{lead}{shown(part, needs)}" for lead, part, needs in operands(item))
        case Ternary(cond=cond, then=then, orelse=orelse):
            return f"{shown(then, Level.OR)} if {shown(cond, Level.OR)} else {shown(orelse)}"
        case Walk(var=var, body=body, over=over):
            return f"{shown(body)} for {var} in {shown(over, Level.SUM)}"
        case Kept(name=name):
            return name
        case Shared(value=value):
            return _bare(value)


def _bounds(start: str, stop: str) -> str:
    """The bounds of a slice, with room around the colon when one of them is more than a name or a number."""
    first = "" if start == "0" else start
    simple = all(bound == "" or bound.isidentifier() or bound.removeprefix("-").isdigit() for bound in (first, stop))
    return f"{first}:{stop}" if simple else f"{first} : {stop}".strip()


def operands(item: Py) -> Iterator[tuple[str, Py, Level]]:
    """The operands of an expression, each with the word before it; ``else a if b else c`` goes on as one chain."""
    match item:
        case Ternary(cond=cond, then=then, orelse=orelse):
            yield "", then, Level.OR
            yield "if ", cond, Level.OR
            if isinstance(orelse, Ternary):
                yield from ((lead or "else ", part, needs) for lead, part, needs in operands(orelse))
            else:
                yield "else ", orelse, Level.TERNARY
        case Chain(ops=ops, items=items, level=level):
            for op, part in zip(("", *ops), items, strict=True):
                yield f"{op} " if op else "", part, Level(level + 1 + _mixed(part, level))
        case Prefix(op=op, operand=operand, level=level):
            yield op, operand, level
        case _:
            yield "", item, Level.TERNARY


def _mixed(part: Py, level: Level) -> int:
    """1 where an ``and`` stands in an ``or``: it gets parentheses although Python needs none."""
    return int(level == Level.OR and isinstance(part, Chain) and part.level == Level.AND)


def level_of(item: Py) -> Level:
    """How tightly an expression binds."""
    match item:
        case Text(level=level) | Fill(level=level) | Chain(level=level) | Prefix(level=level):
            return level
        case Ternary() | Walk():
            return Level.TERNARY
        case Bracket() | Kept():
            return Level.ATOM
        case Shared(value=value):
            return level_of(value)
