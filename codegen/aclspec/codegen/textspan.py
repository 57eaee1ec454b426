"""Where each character of a YAML scalar stands in its file.

A predicate is the value of a scalar that may be plain, quoted, folded or literal. Its value and its source text differ
only in quotes, escapes and folded white space, so walking both together finds the place of every character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from aclspec.codegen.yamltext import Scalar
from aclspec.runtime.predicate.nodes import Position

_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


@dataclass(frozen=True, slots=True)
class Lines:
    """The line starts of a text, to turn an index into a position."""

    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Find the starts of all lines."""
        return cls((0, *(found.end() for found in re.finditer("\n", text))))

    def at(self, index: int) -> Position:
        """The one-based line and column of an index."""
        line = bisect_right(self.starts, index)
        return Position(line, index - self.starts[line - 1] + 1)


def offsets(text: str, scalar: Scalar) -> list[int]:
    """The index in ``text`` of each character of the scalar's value, and one past the last."""
    value = scalar.value if isinstance(scalar.value, str) else ""
    start, end = scalar.span
    if scalar.style in ("|", ">"):
        return _block(text, start, end, value)
    if scalar.style:
        return _flow(text, start + 1, end - 1, value, scalar.style)
    return _flow(text, start, end, value, "")


def _flow(text: str, index: int, end: int, value: str, quote: str) -> list[int]:
    """Plain and quoted scalars: a line break with the space around it is one space, or as many line breaks."""
    places: list[int] = []
    for char in value:
        if quote == '"':
            index = _skip_joined_lines(text, index, end)
        places.append(min(index, end))
        if quote == '"' and text[index : index + 1] == "\\":
            index += _ESCAPE_LENGTH.get(text[index + 1 : index + 2], 2)
        elif quote == "'" and text[index : index + 2] == "''":
            index += 2
        elif char in " \n":
            index = _skip_fold(text, index, end, char)
        else:
            index += 1
    return [*places, min(index, end)]


def _skip_joined_lines(text: str, index: int, end: int) -> int:
    """Past a backslash at the end of a line, which joins two lines of a double-quoted scalar."""
    while index + 1 < end and text[index] == "\\" and text[index + 1] == "\n":
        index += 2
        while index < end and text[index] in " \t\n":
            index += 1
    return index


def _skip_fold(text: str, index: int, end: int, char: str) -> int:
    """Past the white space that one folded character stands for."""
    run = index
    while run < end and text[run] in " \t\r\n":
        run += 1
    breaks = text.count("\n", index, run)
    if breaks == 0:
        return index + 1
    if char == " ":
        return run
    # Of n line breaks n - 1 are kept: each kept one ends at the next break, the last of them at the text.
    after = text.index("\n", index) + 1
    return after if text.count("\n", after, run) > 1 else run


def _block(text: str, start: int, end: int, value: str) -> list[int]:
    """Literal and folded block scalars: the header line and the indentation are no part of the value."""
    index = text.find("\n", start, end) + 1 or end
    indent = _indentation(text, index, end)
    places: list[int] = []
    line_start = True
    for char in value:
        if line_start:
            index = _skip_indent(text, index, indent)
            line_start = False
        places.append(min(index, end))
        if index < end and text[index] == "\n":
            line_start = True
            index += 1
            if char == " ":
                continue
            # A folded line break is written as two: skip the blank line's own break when the value has only one.
            if places and text[index : index + 1] == "\n" and value[len(places) : len(places) + 1] != "\n":
                index += 1
        else:
            index += 1
    return [*places, min(index, end)]


def _indentation(text: str, index: int, end: int) -> int:
    """The indentation of the first line that is not blank."""
    while index < end:
        stop = text.find("\n", index, end)
        line = text[index : end if stop < 0 else stop]
        if line.strip():
            return len(line) - len(line.lstrip(" "))
        index = end if stop < 0 else stop + 1
    return 0


def _skip_indent(text: str, index: int, indent: int) -> int:
    """Past at most ``indent`` spaces."""
    for _ in range(indent):
        if text[index : index + 1] != " ":
            break
        index += 1
    return index
