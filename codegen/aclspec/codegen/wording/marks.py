"""Names of parameters in sentences, marked where the sentence is made, so that a page need not search for the words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from aclspec.runtime.rules.operator_info import Text
from aclspec.runtime.rules.sentences import NAME_MARK, Lang

_MARKED = re.compile(rf"{NAME_MARK}(\w+(?:\[[{NAME_MARK}A-Za-z0-9_ +-]+\])?)", re.ASCII)
_ARTICLE = "(?<!the )(?<!an )(?<!a )"


def with_marks(text: Text, names: Iterable[str], lang: Lang) -> str:
    """A noun that a spec gives to a let, with the names of parameters in it marked.

    A Latin word in a Chinese text is a name always. An English one, such as ``dim`` or ``value``, may be the plain
    word: it is a name as often as the Chinese half has it, and after "of".
    """
    known = tuple(names)
    if lang == "zh":
        return _pattern(known, "").sub(_mark, text.zh)
    english = text.en
    for name in known:
        if named := len(_pattern((name,), "").findall(text.zh)):
            english = _pattern((name,), _ARTICLE).sub(_mark, english, count=named)
    return _pattern(known, "(?<=of )").sub(_mark, english)


def shown_marks(text: str, shown: Callable[[str], str], rest: Callable[[str], str] = str) -> str:
    """A marked text with each name, its index included, and what stands between them as these functions show it."""
    parts = _MARKED.split(text)
    return "".join(shown(part.replace(NAME_MARK, "")) if at % 2 else rest(part) for at, part in enumerate(parts))


def _mark(match: re.Match[str]) -> str:
    return NAME_MARK + match[0]


@cache
def _pattern(names: tuple[str, ...], before: str) -> re.Pattern[str]:
    """The names as whole words that are not marked; a Chinese character beside a name is none of its letters."""
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"{before}(?<![{NAME_MARK}A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])" if names else "(?!)")
