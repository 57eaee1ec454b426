"""Text of others on a terminal: of a recording, a page, results, a spec, a file's name."""

from __future__ import annotations

from typing import Final

_KEPT: Final = "\t\n"
_TURNS: Final = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
"""Marks that turn the direction of writing: what is read is not what stands there."""
_OBEYED: Final = {code: None for code in (*range(0x20), *range(0x7F, 0xA0), *_TURNS) if chr(code) not in _KEPT}
_ESCAPED: Final = {code: f"\\u{code:04x}" for code in _OBEYED}


def printable(text: str) -> str:
    """The text without what a terminal obeys: control characters but tab and newline, and marks of direction."""
    return text.translate(_OBEYED)


def printable_json(text: str) -> str:
    """The same document: in JSON only strings have such characters, and there each can be written as an escape."""
    return text.translate(_ESCAPED)
