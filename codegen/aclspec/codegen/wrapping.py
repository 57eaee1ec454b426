"""Texts in lines of a width, broken at spaces alone."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """The lines of a text as `textwrap.wrap` has them, without breaking words; ``first`` and ``later`` are indents."""
    words = text.split()
    if " ".join(words) != text:  # white space of other kinds, which textwrap knows about
        return textwrap.wrap(
            text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
        )
    lines: list[str] = []
    line: list[str] = []
    indent, length = first, len(first)
    for word in words:
        if line and length + 1 + len(word) > width:
            lines.append(indent + " ".join(line))
            line, indent, length = [], later, len(later)
        length += len(word) + bool(line)
        line.append(word)
    return [*lines, indent + " ".join(line)] if line else lines
