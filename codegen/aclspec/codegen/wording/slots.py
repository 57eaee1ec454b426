"""Placeholders of a template while its text is written.

A text under construction has a short token for each placeholder, without spaces, brackets or words, so that the
writer can treat it as words. `Slots.template` puts the placeholders into their places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from aclspec.runtime.language.nodes import Node, Quantifier
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.template import escaped

_TOKEN = re.compile("\x02([0-9]+)\x03")


class Slots:
    """The placeholders of one template, each known by its text."""

    def __init__(self) -> None:
        """No placeholder yet."""
        self._texts: dict[str, None] = {}

    def template(self, text: str) -> str:
        """The text with its placeholders; what is special in a template is escaped."""
        texts = list(self._texts)
        parts = _TOKEN.split(text)
        for at, part in enumerate(parts):
            parts[at] = texts[int(part)] if at % 2 else escaped(part)
        return "".join(parts)

    def value(self, node: Node, kind: str = "") -> str:
        """The value of an expression, shown by this kind of placeholder."""
        return self._token(kind + escaped(unparse(node)))

    def index(self, variable: str) -> str:
        """The index of the element that a variable is bound to."""
        return self._token(f"#{variable}")

    def product(self) -> str:
        """The product of the call."""
        return self._token("$")

    def rows(self, params: Sequence[str]) -> str:
        """The clause that dtypes are not supported."""
        return self._token(f"%{','.join(params)}")

    def choice(self, condition: Node, texts: Sequence[str]) -> str:
        """The first text where a condition is true, the second where it is false, the last where it is undefined."""
        if len(texts) == 3 and texts[1] == texts[2]:
            texts = texts[:2]
        if len(set(texts)) == 1:
            return texts[0]
        before = _shared_words(texts)
        texts = [text[len(before) :] for text in texts]
        after = _shared_words([text[::-1] for text in texts])[::-1]
        texts = [text[: len(text) - len(after)] for text in texts]
        return before + self._several("?", condition, texts) + after

    def clauses(self, items: Sequence[tuple[Node | None, str]]) -> str:
        """The clauses whose conditions hold, joined; a single one stands for itself."""
        if len(items) == 1:
            return items[0][1]
        parts = [f"{'' if node is None else escaped(unparse(node))}|{self.template(text)}" for node, text in items]
        return self._token(f"&{'|'.join(parts)}")

    def element(self, node: Quantifier, texts: Sequence[str]) -> str:
        """A text about the element that decides a quantifier; a second text where none does."""
        return self._several("@", node, texts)

    def _several(self, kind: str, node: Node, texts: Sequence[str]) -> str:
        return self._token("|".join([kind + escaped(unparse(node)), *map(self.template, texts)]))

    def _token(self, text: str) -> str:
        text = f"{{{text}}}"
        self._texts.setdefault(text)
        return f"\x02{list(self._texts).index(text)}\x03"


def has_placeholder(text: str) -> bool:
    """Whether a text under construction depends on the call."""
    return _TOKEN.search(text) is not None


def _shared_words(texts: Sequence[str]) -> str:
    """What all the texts begin with, up to its last space, so that no word is cut."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    shared = "".join(column[0] for column in columns)
    return shared[: shared.rfind(" ") + 1]
