"""Text that a terminal would obey, and what a command prints of it."""

from __future__ import annotations

import unicodedata

ESCAPES = "\x1b]0;evil\x07\x1b[31m\x9b31m\x7f\x00\r\b\u202e"
"""A window's title, colours by both introducers, deletions, and a turn of the direction of writing."""
SEEN = "[31m"
"""What is left of them."""
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def obeyed(text: str) -> list[str]:
    """The characters of a text that a terminal obeys, by Unicode's own tables."""
    return [
        one
        for one in text
        if (unicodedata.category(one) == "Cc" and one not in "\t\n") or unicodedata.bidirectional(one) in _DIRECTIONS
    ]


def require_stripped(text: str) -> None:
    """A hostile text was printed, and without what a terminal obeys."""
    assert SEEN in text
    assert obeyed(text) == []
