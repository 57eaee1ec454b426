"""Texts in lines of a width, broken at spaces alone."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """The lines of a text as `textwrap.wrap` has them, without breaking words; ``first`` and ``later`` are indents."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def c_comment(text: str) -> str:
    """A text that neither ends a comment of C nor begins one, and lets no line of one go on in the next."""
    line = " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
    return f"{line} ." if line.endswith("\\") else line
