"""Columns of a long table that are as wide from its first row on as they become with its last.

A browser shows a table while it reads it, and makes a column wider with each longer cell that arrives. The head of a
column therefore has the longest texts of its cells, which the style sheet lays out without showing them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import zip_longest

_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr\b[^>]*>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_LONGEST = 4
"""Texts of a column: the letters of the longest may be narrow."""
PROSE = 60
"""Characters of a text that may take several lines."""


def with_widths(text: str) -> str:
    """The text with the longest cells of each column of its tables in the heads."""
    return _TABLE.sub(lambda found: _reserved(found[0]), text)


def _reserved(table: str) -> str:
    rows = [[_plain(cell) for cell in _CELL.findall(row)] for row in _ROW.findall(table)]
    widest = map(_widest, zip_longest(*rows, fillvalue=""))
    return re.sub("<th>", lambda _: f'<th data-widest="{next(widest)}">', table)


def _widest(column: Iterable[str]) -> str:
    """The longest texts, a line each; nothing for a column of prose, which takes the room that is left."""
    longest = sorted(set(column), key=lambda one: (-len(one), one))[:_LONGEST]
    return "" if len(longest[0]) > PROSE else "&#10;".join(html.escape(one) for one in longest)


def _plain(cell: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", cell)).split())
