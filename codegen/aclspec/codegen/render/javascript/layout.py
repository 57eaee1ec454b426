"""JavaScript values as lines of text: what fits into a line stands in one, everything else has a line a part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

WIDTH = 120
_INDENT = "  "
_JSON = json.JSONEncoder(ensure_ascii=False)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z", re.ASCII)


class Part(NamedTuple):
    """A part of a group: its text before the value, the value, and the comments above it."""

    prefix: str
    value: Layout
    comments: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Group:
    """Parts in brackets; ``space`` stands inside the brackets of a single line, ``close`` after the last part.

    It never changes; a dataclass that says so takes twice as long to make, and there are very many.
    """

    opening: str
    parts: tuple[Part, ...]
    closing: str
    space: str = ""
    broken: bool = False
    inline: str = field(init=False)
    """All of it in one line."""
    is_broken: bool = field(init=False)
    """Whether it needs lines of its own however short it is: where something in it does, or has a comment."""

    def __post_init__(self) -> None:
        """Write it in one line once; the groups around it take that."""
        inner = ", ".join([part.prefix + inline(part.value) for part in self.parts])
        space = self.space if self.parts else ""
        self.inline = f"{self.opening}{space}{inner}{space}{self.closing}"
        self.is_broken = self.broken or any(part.comments or _is_broken(part.value) for part in self.parts)


Layout: TypeAlias = "str | Group"


def quoted(text: str) -> str:
    """A string of JavaScript."""
    return _JSON.encode(text).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


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
    return value if isinstance(value, str) else value.inline


def _is_broken(value: Layout) -> bool:
    return not isinstance(value, str) and value.is_broken
