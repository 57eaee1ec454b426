"""Sentences with the names of an operator's parameters as code, in the markup of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.wording.marks import shown_marks
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.rules.sentences import sentence


@dataclass(frozen=True, slots=True)
class Markup:
    """How a kind of page writes plain text so that it is shown unchanged, and code."""

    escaped: Callable[[str], str]
    code: Callable[[str], str]

    def codes(self, texts: Iterable[object], separator: str = ", ") -> str:
        """Several texts as code."""
        return separator.join(self.code(str(text)) for text in texts)


class Prose:
    """Writes sentences with the names of an operator's parameters as code."""

    def __init__(self, names: Sequence[str], lang: Lang, markup: Markup) -> None:
        """Remember the names.

        A sentence derived from a rule has them marked. In an English text written by hand a name such as ``mean`` may
        be the plain word, so that `written` shows as code only those that cannot be; a Chinese text has no such words.
        """
        self.markup = markup
        self._written = _pattern(name for name in names if lang == "zh" or not name.islower() or name == "self")

    @classmethod
    def of(cls, info: OperatorInfo, lang: Lang, markup: Markup) -> Self:
        """The prose about one operator."""
        return cls(tuple(param.name for param in info.params), lang, markup)

    def __call__(self, text: str) -> str:
        """A derived sentence, its names marked, as markup."""
        return shown_marks(text, self.markup.code, lambda part: self._marked(_CODE, part))

    def part(self, text: str) -> str:
        """A part of a derived sentence as markup, with the spacing that the whole would have."""
        return self(_even(text))

    def written(self, text: str) -> str:
        """A text written by hand as markup; what stands in backticks is code."""
        return self._marked(self._written, text)

    def _marked(self, pattern: re.Pattern[str], text: str) -> str:
        parts = pattern.split(text)
        return "".join(
            self.markup.code(" ".join(part.strip("`").split())) if at % 2 else self._spaced(part)
            for at, part in enumerate(parts)
        )

    def _spaced(self, text: str) -> str:
        """Escaped text with the spaces at its ends kept."""
        lead = " " if text[:1].isspace() else ""
        trail = " " if text.strip() and text[-1:].isspace() else ""
        return f"{lead}{self.markup.escaped(text)}{trail}"


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """What is shown as code: text in backticks, and the names as whole words, with an index where one follows.

    The boundaries are those of ASCII words: a Chinese character beside a name is none of its letters.
    """
    alternatives = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    words = rf"|(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])(?:\[[A-Za-z0-9_ +-]+\])?" if alternatives else ""
    return re.compile(rf"(`[^`]+`{words})")


_CODE = _pattern(())
"""Text in backticks alone."""


def _even(text: str) -> str:
    """Spaced as in a whole Chinese sentence: a part of one still has a space at each join."""
    return sentence(f"{text}。", "zh", frozenset()).removesuffix("。")
