"""JavaScript values as lines of text: what fits into a line stands in one, everything else has a line a part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 120
_INDENT = "  "
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a group: its text before the value, the value, and the comments above it."""

    prefix: str
    value: Layout
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Parts in brackets; ``space`` stands inside the brackets of a single line, ``close`` after the last part."""

    opening: str
    parts: tuple[Part, ...]
    closing: str
    space: str = ""
    broken: bool = False

    @property
    def has_comments(self) -> bool:
        """Whether a part has comments, so that the group needs lines of its own."""
        return any(part.comments for part in self.parts)


Layout: TypeAlias = "str | Group"


def quoted(text: str) -> str:
    """A string of JavaScript."""
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def key(text: str) -> str:
    """The key of a property, in quotes where it is no name."""
    return text if _IDENTIFIER.match(text) else quoted(text)


def call(name: str, *args: Layout) -> Group:
    """A function call."""
    return Group(f"{name}(", tuple(Part("", arg) for arg in args), ")")


def array(items: Iterable[Layout], broken: bool = False) -> Group:
    """An array."""
    return Group("[", tuple(Part("", item) for item in items), "]", broken=broken)


def strings(items: Iterable[str]) -> Group:
    """An array of strings."""
    return array(map(quoted, items))


def record(fields: Mapping[str, Layout | None], broken: bool = False) -> Group:
    """An object; what is None is left out."""
    given = tuple(Part(f"{key(name)}: ", value) for name, value in fields.items() if value is not None)
    return Group("{", given, "}", " ", broken)


def lay_out(prefix: str, value: Layout, suffix: str, level: int = 0) -> Iterator[str]:
    """The lines of a value between two texts, indented so many levels."""
    indent = _INDENT * level
    line = f"{indent}{prefix}{inline(value)}{suffix}"
    if isinstance(value, str) or (len(line) <= WIDTH and not _is_broken(value)):
        yield line
        return
    yield f"{indent}{prefix}{value.opening}"
    for part in value.parts:
        yield from (f"{indent}{_INDENT}// {comment}" for comment in part.comments)
        yield from lay_out(part.prefix, part.value, ",", level + 1)
    yield f"{indent}{value.closing}{suffix}"


def inline(value: Layout) -> str:
    """A value in one line."""
    if isinstance(value, str):
        return value
    inner = ", ".join(part.prefix + inline(part.value) for part in value.parts)
    space = value.space if value.parts else ""
    return f"{value.opening}{space}{inner}{space}{value.closing}"


def _is_broken(value: Layout) -> bool:
    if isinstance(value, str):
        return False
    return value.broken or value.has_comments or any(_is_broken(part.value) for part in value.parts)
