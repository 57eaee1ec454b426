"""Plain text as Markdown that shows it unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Self

from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.wording.functions import PHRASES, WINDOWS
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

_PHRASES = tuple(
    dict.fromkeys(
        fragment for name in WINDOWS for fragment in re.split(r"\{\w+\}", PHRASES[name].en) if len(fragment) > 1
    )
)
"""The words between the arguments of functions that name each of them, such as "; stride: "."""
_IN_A_NOUN = f"(?:{'|'.join(f'(?<={word} )' for word in ('of', 'and', 'or', 'but', 'that', ','))})"
"""After what a plain word in a noun is the name of a parameter."""


def escaped(text: str) -> str:
    """The text with nothing left that Markdown, its extensions or a table would take for markup."""
    return " ".join(text.split()).translate(_ESCAPES)


def code(text: str) -> str:
    """The text as code; a table leaves a pipe in it alone."""
    ticks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def codes(texts: Iterable[object], separator: str = ", ") -> str:
    """Several texts as code."""
    return separator.join(code(str(text)) for text in texts)


class Prose:
    """Writes sentences with the names of an operator's parameters as code."""

    def __init__(self, names: Sequence[str], lang: Lang, nouns: Iterable[str] = ()) -> None:
        """Remember the names, and the nouns that a spec gives to its lets.

        A sentence derived from a rule means a parameter wherever it has its name. In those nouns and in the functions'
        own phrases it does so after "of" and its like: "the padding of input". In an English text written by hand a
        name such as ``mean`` may be the plain word, so that `written` marks only those that cannot be; a Chinese text
        has no such words.
        """
        self._derived = _pattern(names)
        self._in_nouns = _pattern(names, _IN_A_NOUN)
        self._written = _pattern(name for name in names if lang == "zh" or not name.islower() or name == "self")
        words = [*nouns, *_PHRASES] if lang == "en" else []
        self._nouns = re.compile(f"({'|'.join(map(_either_case, words))})" if words else "(?!)")

    @classmethod
    def of(cls, info: OperatorInfo, lang: Lang) -> Self:
        """The prose about one operator."""
        names = tuple(param.name for param in info.params)
        return cls(names, lang, tuple(getattr(let.doc, lang) for let in info.lets if let.doc))

    def __call__(self, text: str) -> str:
        """A derived sentence as Markdown."""
        parts = self._nouns.split(text)
        return "".join(_marked(self._in_nouns if at % 2 else self._derived, part) for at, part in enumerate(parts))

    def part(self, text: str) -> str:
        """A part of a derived sentence as Markdown, with the spacing that the whole would have."""
        return self(_even(text))

    def written(self, text: str) -> str:
        """A text written by hand as Markdown; what stands in backticks already stays."""
        return _marked(self._written, text)


def _either_case(text: str) -> str:
    """A pattern for the text, which may begin a sentence."""
    return f"[{re.escape(text[0].upper() + text[0].lower())}]{re.escape(text[1:])}"


def _pattern(names: Iterable[str], before: str = "") -> re.Pattern[str]:
    """What is shown as code: text in backticks, and the names as whole words, with an index where one follows.

    The boundaries are those of ASCII words: a Chinese character beside a name is none of its letters.
    """
    alternatives = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    words = (
        rf"|{before}(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])(?:\[[A-Za-z0-9_ +-]+\])?"
        if alternatives
        else ""
    )
    return re.compile(rf"(`[^`]+`{words})")


def _marked(pattern: re.Pattern[str], text: str) -> str:
    parts = pattern.split(text)
    return "".join(code(part.strip("`")) if at % 2 else _spaced(part) for at, part in enumerate(parts))


def _even(text: str) -> str:
    """Spaced as in a whole Chinese sentence: a part of one still has a space at each join."""
    return sentence(f"{text}。", "zh", frozenset()).removesuffix("。")


def _spaced(text: str) -> str:
    """Escaped text with the spaces at its ends kept."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text.strip() and text[-1:].isspace() else ""
    return f"{lead}{escaped(text)}{trail}"
