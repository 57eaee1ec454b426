"""Pieces of C: string literals, arrays and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from aclspec.codegen.source.wrapping import wrapped

WIDTH = 120
INDENT = "    "


def quoted(text: str) -> str:
    """A string literal in UTF-8."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "\\?"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


def comment(text: str, depth: int = 0) -> list[str]:
    """A comment, wrapped to the width of a line; no text of a spec ends it or goes on behind it."""
    lead = f"{INDENT * depth}// "
    return wrapped(re.sub(r"\s", " ", text).replace("\\", "/"), WIDTH, lead, lead) if text else []


def folded(items: Iterable[str], depth: int = 1) -> Iterator[str]:
    """Items with commas behind them, as many on a line as its width takes."""
    line = INDENT * depth
    for item in items:
        if line.strip() and len(line) + len(item) + 1 > WIDTH:
            yield line.rstrip()
            line = INDENT * depth
        line += f"{item}, "
    if line.strip():
        yield line.rstrip()


def array(declaration: str, items: Iterable[str]) -> Iterator[str]:
    """An array of these items; one element where there are none, since C has no empty array."""
    yield f"{declaration} = {{"
    yield from list(folded(items)) or [f"{INDENT}0,"]
    yield "};"


def product_name(key: str) -> str:
    """The number of a product by its key."""
    return f"ACLSPEC_{key.upper()}"
