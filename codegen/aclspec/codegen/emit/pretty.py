"""Nested Python literals and constructors as a formatter would lay them out.

An item stands on one line when it fits, else each of its parts stands on its own line with a comma behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.codegen.emit.printer import INDENT, WIDTH, width


@dataclass(frozen=True, slots=True)
class Group:
    """Parts between brackets; a part may have a label before it, ``name=`` or ``key: ``."""

    opening: str
    parts: tuple[tuple[str, Literal], ...]
    closing: str


Literal: TypeAlias = str | Group


def group(opening: str, items: Iterable[Literal], closing: str) -> Group:
    """Parts without labels."""
    return Group(opening, tuple(("", item) for item in items), closing)


def tuple_literal(items: Iterable[Literal]) -> Literal:
    """A tuple."""
    return group("(", items, ")")


def call(name: str, *args: Literal, **keywords: Literal) -> Literal:
    """A call or a constructor; keywords keep their order."""
    return Group(f"{name}(", (*(("", arg) for arg in args), *((f"{key}=", arg) for key, arg in keywords.items())), ")")


def flat(item: Literal) -> str:
    """The item on one line."""
    if isinstance(item, str):
        return item
    inner = ", ".join(f"{label}{flat(part)}" for label, part in item.parts)
    comma = "," if item.opening == "(" and len(item.parts) == 1 else ""
    return f"{item.opening}{inner}{comma}{item.closing}"


def lay_out(before: str, item: Literal, after: str = "", depth: int = 0) -> Iterator[str]:
    """The lines of ``<before><item><after>``."""
    indent = INDENT * depth
    line = f"{indent}{before}{flat(item)}{after}"
    if isinstance(item, str) or width(line) <= WIDTH or not item.parts:
        yield line
        return
    yield f"{indent}{before}{item.opening}"
    for label, part in item.parts:
        yield from lay_out(label, part, ",", depth + 1)
    yield f"{indent}{item.closing}{after}"


def quoted(text: str) -> str:
    """A string literal in double quotes, as a formatter writes it: single ones where they save backslashes."""
    body = repr(text)
    if body.startswith('"') or '"' in text:
        return body
    return f'"{body[1:-1]}"'
