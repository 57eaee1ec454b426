"""Placeholders of a template while its text is written.

A text under construction has a short token for each placeholder, without spaces, brackets or words, so that the
writer can treat it as words. `Slots.template` puts the placeholders into their places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aclspec.runtime.language.nodes import Node, Quantifier
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.template import escaped

_TOKEN = re.compile("\x02([0-9]+)\x03")
APPOSITION = re.compile("\x03, [^;]*$")
"""The end of a sentence that says what a value is, "it must be 4, the rank of x", and takes a comma before more."""


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
        """The first text where a condition is true, else the second."""
        return self._several("?", condition, texts)

    def element(self, node: Quantifier, texts: Sequence[str]) -> str:
        """A text about the first element that decides a quantifier."""
        return self._several("@", node, texts)

    def _several(self, kind: str, node: Node, texts: Sequence[str]) -> str:
        return self._token("|".join([kind + escaped(unparse(node)), *map(self.template, texts)]))

    def _token(self, text: str) -> str:
        text = f"{{{text}}}"
        self._texts.setdefault(text)
        return f"\x02{list(self._texts).index(text)}\x03"
