"""Texts in lines of a width, broken at spaces alone."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """The lines of a text as `textwrap.wrap` has them, without breaking words; ``first`` and ``later`` are indents."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
