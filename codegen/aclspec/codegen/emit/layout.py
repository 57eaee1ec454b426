"""Where a line of generated code that is too long is broken: where ruff's formatter would break it.

An expression that starts or ends with brackets of its own, and has one operator at most, is broken in those; any
other is put in parentheses and broken at its operators.
"""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.emit.printer import (
    HOLE,
    INDENT,
    NEEDS,
    WIDTH,
    fits,
    level_of,
    operands,
    settled,
    shown,
)
from aclspec.codegen.emit.python import Bracket, Chain, Fill, Level, Names, Prefix, Py, Ternary, Walk
from aclspec.codegen.wrapping import wrapped


def comment(text: str, depth: int) -> Iterator[str]:
    """A comment, wrapped to the width of a line."""
    lead = f"{INDENT * depth}# "
    yield from wrapped(text, WIDTH, lead, lead)


def statement(before: str, item: Py, after: str, depth: int, names: Names) -> Iterator[str]:
    """The lines of ``<before> item <after>``."""
    item = settled(item, names)
    line = f"{INDENT * depth}{before}{shown(item)}{after}"
    if fits(line):
        yield line
        return
    pieces = list(_pieces(item))
    hugged = list(_hugged([before, *pieces, after], depth)) if _may_hug(item, pieces) else []
    if hugged and all(map(fits, hugged)):
        yield from hugged
    else:
        yield from _operand(before, item, Level.TERNARY, after, depth)


def _may_hug(item: Py, pieces: list[str | Py]) -> bool:
    """Whether an expression needs no parentheses around it to be broken."""
    while isinstance(item, Prefix):
        item = item.operand
    if isinstance(item, Ternary) or (isinstance(item, Chain) and len(item.ops) > 1):
        return False
    first = next(piece for piece in pieces if piece)
    return not isinstance(pieces[-1], str) or (not isinstance(first, str) and not _is_call(first))


def _is_call(item: Py) -> bool:
    return isinstance(item, Bracket) and item.opening not in ("(", "{")


def _pieces(item: Py, needs: Level = Level.TERNARY) -> Iterator[str | Py]:
    """An expression as text and as brackets, which may be opened over several lines."""
    if level_of(item) < needs or (isinstance(item, Bracket) and item.items):
        yield item
        return
    if not isinstance(item, Chain | Prefix):
        yield shown(item)
        return
    for at, (lead, part, needed) in enumerate(operands(item)):
        yield f" {lead}" if at else lead
        yield from _pieces(part, needed)


def _hugged(pieces: list[str | Py], depth: int) -> Iterator[str]:
    """The pieces one after the other; a bracket is opened where the text up to the next one does not fit."""
    line = INDENT * depth
    for at, piece in enumerate(pieces):
        if isinstance(piece, str):
            line += piece
            continue
        flat = _flat(piece)
        if fits(line + flat + _up_to_next(pieces[at + 1 :])):
            line += flat
            continue
        *opened, line = _opened(line, piece, "", depth)
        yield from opened
    yield line


def _flat(piece: Py) -> str:
    return shown(piece) if isinstance(piece, Bracket) else f"({shown(piece)})"


def _up_to_next(pieces: list[str | Py]) -> str:
    """The text up to the place where the next bracket opens."""
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        else:
            return text + (piece.opening if isinstance(piece, Bracket) else "(")
    return text


def _opened(lead: str, item: Py, after: str, depth: int) -> Iterator[str]:
    """An expression in brackets, its own ones or parentheses, whose inside stands on lines of its own."""
    if isinstance(item, Bracket):
        yield f"{lead}{item.opening}"
        yield from _inside_bracket(item, depth + 1)
        yield f"{INDENT * depth}{item.closing}{after}"
    else:
        yield f"{lead}("
        yield from _inside(item, depth + 1)
        yield f"{INDENT * depth}){after}"


def _inside_bracket(item: Bracket, depth: int) -> Iterator[str]:
    """What is in brackets: the arguments of a call on one line where they fit, else one a line."""
    line = f"{INDENT * depth}{', '.join(map(shown, item.items))}"
    if isinstance(item.items[0], Walk):
        yield from (line,) if fits(line) else _walked(item.items[0], depth)
    elif _is_call(item) and fits(line):
        yield line
    else:
        for part in item.items:
            yield from _operand("", part, Level.TERNARY, ",", depth)


def _walked(item: Walk, depth: int) -> Iterator[str]:
    """A generator: what it makes of each element above what it walks over."""
    yield from _inside(item.body, depth)
    yield from _operand(f"for {item.var} in ", item.over, Level.SUM, "", depth)


def _inside(item: Py, depth: int) -> Iterator[str]:
    """An expression inside parentheses: on one line, or broken at its operators."""
    line = f"{INDENT * depth}{shown(item)}"
    if fits(line):
        yield line
    elif isinstance(item, Chain | Ternary):
        for lead, part, needs in operands(item):
            yield from _operand(lead, part, needs, "", depth)
    else:
        yield from _operand("", item, Level.TERNARY, "", depth)


def _operand(lead: str, item: Py, needs: Level, after: str, depth: int) -> Iterator[str]:
    """``<lead> item <after>``, broken only inside brackets or parentheses."""
    line = f"{INDENT * depth}{lead}{shown(item, needs)}{after}"
    wrapped = level_of(item) < needs
    if fits(line):
        yield line
    elif wrapped or isinstance(item, Chain | Ternary) or (isinstance(item, Bracket) and item.items):
        yield from _opened(f"{INDENT * depth}{lead}", item, after, depth)
    elif isinstance(item, Prefix):
        yield from _operand(lead + item.op, item.operand, item.level, after, depth)
    elif isinstance(item, Fill):
        yield from _filled(lead, item, after, depth)
    else:
        yield line


def _filled(lead: str, item: Fill, after: str, depth: int) -> Iterator[str]:
    """A template, broken in the longest of its parts."""
    holes = list(HOLE.finditer(item.template))
    hole = max(holes, key=lambda hole: len(shown(item.args[int(hole[1])])))
    start, end = (shown(Fill(text, item.args)) for text in (item.template[: hole.start()], item.template[hole.end() :]))
    yield from _operand(lead + start, item.args[int(hole[1])], NEEDS[hole[2]], end + after, depth)
