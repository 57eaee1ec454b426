"""An expression as text: where parentheses stand and where a line that is too long is broken."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from aclspec.codegen.emit.python import (
    SLICE,
    Bracket,
    Chain,
    Fill,
    Level,
    Names,
    Prefix,
    Py,
    Shared,
    Ternary,
    Text,
)

WIDTH = 120
INDENT = "    "
_HOLE = re.compile(r"\{(\d+)([.-]?)\}")
_BREAKABLE = (Chain, Ternary, Bracket, Prefix)
_NEEDS = {"": Level.TERNARY, ".": Level.POSTFIX, "-": Level.SUM}


def width(line: str) -> int:
    """The columns of a line; a character of East Asian width takes two."""
    return len(line) + (0 if line.isascii() else sum(unicodedata.east_asian_width(c) in "WF" for c in line))


def comment(text: str, depth: int) -> Iterator[str]:
    """A comment, wrapped to the width of a line."""
    lead = f"{INDENT * depth}# "
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=lead, subsequent_indent=lead, break_long_words=False, break_on_hyphens=False
    )


def show(item: Py, names: Names) -> str:
    """The expression on one line."""
    return _text(_settled(item, names))


def statement(before: str, item: Py, after: str, depth: int, names: Names) -> Iterator[str]:
    """The lines of ``<before> item <after>``; one that is too long is broken where a formatter would break it."""
    return _statement(before, _settled(item, names), after, depth)


def _settled(item: Py, names: Names) -> Py:
    """The expression with each shared value replaced by the name of its local, or where it has none by itself."""
    match item:
        case Shared(key=key, value=value):
            return Text(names[key]) if key in names else _settled(value, names)
        case Fill(args=parts):
            return replace(item, args=tuple(_settled(part, names) for part in parts))
        case Bracket(items=parts) | Chain(items=parts):
            return replace(item, items=tuple(_settled(part, names) for part in parts))
        case Prefix(operand=operand):
            return replace(item, operand=_settled(operand, names))
        case Ternary(cond=cond, then=then, orelse=orelse):
            return Ternary(*(_settled(part, names) for part in (cond, then, orelse)))
        case Text():
            return item


def _text(item: Py, needs: Level = Level.TERNARY) -> str:
    """The expression on one line, in parentheses where its place asks for a tighter one."""
    text = _bare(item)
    return text if level_of(item) >= needs else f"({text})"


def _bare(item: Py) -> str:
    match item:
        case Text(text=text):
            return text
        case Fill(template=template, args=(base, start, stop)) if template == SLICE:
            return f"{_text(base, Level.POSTFIX)}[{_bounds(_text(start), _text(stop))}]"
        case Fill(template=template, args=args):
            return _HOLE.sub(lambda hole: _text(args[int(hole[1])], _NEEDS[hole[2]]), template)
        case Bracket(opening=opening, items=items, closing=closing):
            comma = "," if opening == "(" and len(items) == 1 else ""
            return f"{opening}{', '.join(map(_text, items))}{comma}{closing}"
        case Chain() | Prefix():
            return " ".join(f"{lead}{_text(part, needs)}" for lead, part, needs in _operands(item))
        case Ternary(cond=cond, then=then, orelse=orelse):
            return f"{_text(then, Level.OR)} if {_text(cond, Level.OR)} else {_text(orelse)}"
        case Shared(value=value):
            return _bare(value)


def _bounds(start: str, stop: str) -> str:
    """The bounds of a slice, with room around the colon when one of them is more than a name or a number."""
    first = "" if start == "0" else start
    simple = all(bound == "" or bound.isidentifier() or bound.removeprefix("-").isdigit() for bound in (first, stop))
    return f"{first}:{stop}" if simple else f"{first} : {stop}".lstrip()


def _statement(before: str, item: Py, after: str, depth: int) -> Iterator[str]:
    indent = INDENT * depth
    line = f"{indent}{before}{_text(item)}{after}"
    if width(line) <= WIDTH or not _is_breakable(item):
        yield line
        return
    head, tail = _split_last(item)
    if isinstance(tail, Bracket):
        yield f"{indent}{before}{head}{tail.opening}"
        yield from _bracketed(tail, depth + 1)
        yield f"{indent}{tail.closing}{after}"
    else:
        yield f"{indent}{before}{head}("
        line = f"{indent}{INDENT}{_text(tail)}"
        yield from (line,) if head and width(line) <= WIDTH else _broken(tail, depth + 1)
        yield f"{indent}){after}"


def _is_breakable(item: Py) -> bool:
    """Whether a line may be broken inside; what is unpacked by ``*`` stands in no parentheses of its own."""
    if isinstance(item, Prefix) and item.op == "*":
        return isinstance(item.operand, _BREAKABLE)
    return isinstance(item, _BREAKABLE)


def _bracketed(item: Bracket, depth: int) -> Iterator[str]:
    """What is in brackets: the arguments of a call on one line where they fit, else one a line."""
    line = f"{INDENT * depth}{', '.join(map(_text, item.items))}"
    if item.opening not in ("(", "{") and width(line) <= WIDTH:
        yield line
        return
    for part in item.items:
        yield from _statement("", part, ",", depth)


def _split_last(item: Py) -> tuple[str, Py]:
    """What stays before the bracket in which an expression is broken, and what is in it.

    ``a and (b or c)`` keeps its first operand on the line, ``a and f(b)`` too, and ``not f(b)`` its ``not``.
    """
    match item:
        case Prefix(op=op, operand=Bracket() | Chain() | Ternary() as operand):
            return op, operand
        case Chain(ops=(op,), items=(first, last), level=level):
            start = f"{_text(first, Level(level + 1))} {op} "
            match last:
                case Chain(level=inner) if inner <= level + _mixed(last, level):
                    return start, last
                case Bracket() | Prefix(operand=Bracket()):
                    sign, bracket = _split_last(last)
                    return start + sign, bracket
    return "", item


def _broken(item: Py, depth: int) -> Iterator[str]:
    """An expression inside parentheses, one operand a line."""
    indent = INDENT * depth
    for lead, part, needs in _operands(item):
        line = f"{indent}{lead}{_text(part, needs)}"
        if width(line) <= WIDTH or not isinstance(part, _BREAKABLE):
            yield line
        elif level_of(part) >= needs and isinstance(_split_last(part)[1], Bracket):
            yield from _statement(lead, part, "", depth)
        else:
            yield f"{indent}{lead}("
            yield from _broken(part, depth + 1)
            yield f"{indent})"


def _operands(item: Py) -> Iterator[tuple[str, Py, Level]]:
    """The operands of an expression, each with the word before it; ``else a if b else c`` goes on as one chain."""
    match item:
        case Ternary(cond=cond, then=then, orelse=orelse):
            yield "", then, Level.OR
            yield "if ", cond, Level.OR
            if isinstance(orelse, Ternary):
                yield from ((lead or "else ", part, needs) for lead, part, needs in _operands(orelse))
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
        case Ternary():
            return Level.TERNARY
        case Bracket():
            return Level.ATOM
        case Shared(value=value):
            return level_of(value)
