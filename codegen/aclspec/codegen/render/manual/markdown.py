"""Plain text as Markdown that shows it unchanged."""

from __future__ import annotations

from aclspec.codegen.render.manual.prose import Markup

_SPECIAL = {
    "\\": "&#92;",
    "`": "&#96;",
    "*": r"\*",
    "_": r"\_",
    "#": "&#35;",
    "$": "&#36;",
    "[": "&#91;",
    "]": "&#93;",
    "<": "&lt;",
    ">": "&gt;",
    "|": "&#124;",
    "{": "&#123;",
    "}": "&#125;",
    "~": "&#126;",
    "&": "&amp;",
}

_ESCAPES = str.maketrans(_SPECIAL)


def escaped(text: str) -> str:
    """The text with nothing left that Markdown, its extensions or a table would take for markup."""
    return " ".join(text.split()).translate(_ESCAPES)


def code(text: str) -> str:
    """The text as code; a table leaves a pipe in it alone."""
    ticks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


MARKDOWN = Markup(escaped, code)
