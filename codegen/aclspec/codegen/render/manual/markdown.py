"""Plain text as Markdown that shows it unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Self

from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.wording.marks import shown_marks
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.rules.sentences import sentence

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


def formula(latex: str) -> str:
    """LaTeX between two lines of dollars, which nothing in it ends."""
    text = re.sub(r"<(?=[A-Za-z/!?])", "< ", re.sub(r"\\[][()]", " ", latex))
    lines = (line.strip() for line in re.sub(r"(?<!\\)\$", r"\\$", text).splitlines())
    return "\n".join(re.sub(r"^(?=(.)\1\1)", "{}", line) for line in lines if line)


def codes(texts: Iterable[object], separator: str = ", ") -> str:
    """Several texts as code."""
    return separator.join(code(str(text)) for text in texts)


class Prose:
    """Writes sentences with the names of an operator's parameters as code."""

    def __init__(self, names: Sequence[str], lang: Lang) -> None:
        """Remember the names.

        A sentence derived from a rule has them marked. In an English text written by hand a name such as ``mean`` may
        be the plain word, so that `written` shows as code only those that cannot be; a Chinese text has no such words.
        """
        self._written = _pattern(name for name in names if lang == "zh" or not name.islower() or name == "self")

    @classmethod
    def of(cls, info: OperatorInfo, lang: Lang) -> Self:
        """The prose about one operator."""
        return cls(tuple(param.name for param in info.params), lang)

    def __call__(self, text: str) -> str:
        """A derived sentence, its names marked, as Markdown."""
        return shown_marks(text, code, lambda part: _marked(_CODE, part))

    def part(self, text: str) -> str:
        """A part of a derived sentence as Markdown, with the spacing that the whole would have."""
        return self(_even(text))

    def written(self, text: str) -> str:
        """A text written by hand as Markdown; what stands in backticks already stays."""
        return _marked(self._written, text)


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """What is shown as code: text in backticks, and the names as whole words, with an index where one follows.

    The boundaries are those of ASCII words: a Chinese character beside a name is none of its letters.
    """
    alternatives = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    words = rf"|(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])(?:\[[A-Za-z0-9_ +-]+\])?" if alternatives else ""
    return re.compile(rf"(`[^`]+`{words})")


_CODE = _pattern(())
"""Text in backticks alone."""


def _marked(pattern: re.Pattern[str], text: str) -> str:
    parts = pattern.split(text)
    return "".join(
        code(" ".join(part.strip("`").split())) if at % 2 else _spaced(part) for at, part in enumerate(parts)
    )


def _even(text: str) -> str:
    """Spaced as in a whole Chinese sentence: a part of one still has a space at each join."""
    return sentence(f"{text}。", "zh", frozenset()).removesuffix("。")


def _spaced(text: str) -> str:
    """Escaped text with the spaces at its ends kept."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text.strip() and text[-1:].isspace() else ""
    return f"{lead}{escaped(text)}{trail}"
