"""Nested Python literals and constructors as a formatter would lay them out.

An item stands on one line when it fits, else each of its parts stands on its own line with a comma behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from aclspec.codegen.emit.printer import INDENT, fits


@dataclass(slots=True, unsafe_hash=True)
class Group:
    """Parts between brackets; a part may have a label before it, ``name=`` or ``key: ``.

    It never changes; a dataclass that says so takes twice as long to make, and there are very many.
    """

    opening: str
    parts: tuple[tuple[str, Literal], ...]
    closing: str
    flat: str = field(init=False, compare=False, repr=False)
    """All of it on one line."""

    def __post_init__(self) -> None:
        """Write it on one line once; the groups around it take that."""
        inner = ", ".join([label + (part if isinstance(part, str) else part.flat) for label, part in self.parts])
        comma = "," if self.opening == "(" and len(self.parts) == 1 else ""
        self.flat = f"{self.opening}{inner}{comma}{self.closing}"


Literal: TypeAlias = str | Group


def group(opening: str, items: Iterable[Literal], closing: str) -> Group:
    """Parts without labels."""
    return Group(opening, tuple([("", item) for item in items]), closing)


def tuple_literal(items: Iterable[Literal]) -> Literal:
    """A tuple."""
    return group("(", items, ")")


def call(name: str, *args: Literal, **keywords: Literal) -> Literal:
    """A call or a constructor; keywords keep their order."""
    return Group(f"{name}(", (*(("", arg) for arg in args), *((f"{key}=", arg) for key, arg in keywords.items())), ")")


def flat(item: Literal) -> str:
    """The item on one line."""
    return item if isinstance(item, str) else item.flat


def lay_out(before: str, item: Literal, after: str = "", depth: int = 0) -> Iterator[str]:
    """The lines of ``<before><item><after>``."""
    return iter(_laid_out([], before, item, after, depth))


def _laid_out(lines: list[str], before: str, item: Literal, after: str, depth: int) -> list[str]:
    indent = INDENT * depth
    line = f"{indent}{before}{flat(item)}{after}"
    if isinstance(item, str) or fits(line) or not item.parts:
        lines.append(line)
        return lines
    lines.append(f"{indent}{before}{item.opening}")
    for label, part in item.parts:
        _laid_out(lines, label, part, ",", depth + 1)
    lines.append(f"{indent}{item.closing}{after}")
    return lines


@lru_cache(maxsize=1 << 12)
def quoted(text: str) -> str:
    """A string literal in double quotes, as a formatter writes it: single ones where they save backslashes."""
    body = repr(text)
    if body.startswith('"') or '"' in text:
        return body
    return f'"{body[1:-1]}"'
