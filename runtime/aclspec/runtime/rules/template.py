r"""Templates of failure sentences: text with placeholders for what a call makes of a rule.

The generator compiles the failure of each rule into one template a language; `filling` fills it in a call.

    {expr}             the value of a predicate expression
    {~expr}            the value in parentheses after a space; nothing where it is undefined
    {=expr}            an arithmetic term with the values of its operands: 4 + 2 * 1 = 6
    {/tensor}          the strides of a tensor
    {#variable}        the index of the element that a variable is bound to
    {$}                the product
    {?cond|a|b}        a where cond is true, b where it is false; a third text, else b, where it is undefined
    {&cond|a|cond|b}   the texts whose condition holds, joined by "and"; all of them, joined by "or", where none does.
                       An empty condition always holds.
    {@all(...)|a}      a, about the first element that decides the quantifier; a second text where none does
    {%x,y}             the clause that the dtypes of these parameters are not supported

A backslash before ``\``, ``{``, ``|`` or ``}`` makes it a character of the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.parser import parse_compiled

KINDS = "~=/#$?&@%"
_SPECIAL = re.compile(r"[\\{|}]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LITERAL = re.compile(r"(?:[^\\{|}]|\\.)*", re.DOTALL)


class Placeholder(NamedTuple):
    """A part of a template that depends on the call; ``kind`` is one of `KINDS`, or empty for a value.

    ``nodes`` are its expressions and conditions (None: an empty one), ``texts`` its templates, ``names`` its names.
    """

    kind: str
    nodes: tuple[Node | None, ...] = ()
    texts: tuple[Template, ...] = ()
    names: tuple[str, ...] = ()


Template: TypeAlias = "tuple[str | Placeholder, ...]"


def escaped(text: str) -> str:
    """A text as a template writes it."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@lru_cache(maxsize=1 << 10)
def read_template(text: str) -> Template:
    """The template that a text writes."""
    reader = _Reader(text)
    template = reader.template()
    if reader.at < len(text):
        raise ValueError(f"A template ({text}) has an unexpected {text[reader.at]} at {reader.at}.")
    return template


class _Reader:
    """Reads one template from left to right."""

    def __init__(self, text: str) -> None:
        """Start at the first character."""
        self.text, self.at = text, 0

    def template(self) -> Template:
        """The parts up to the end of the text, or of this part of a placeholder."""
        parts: list[str | Placeholder] = []
        while True:
            if literal := self.literal():
                parts.append(literal)
            if not self.take("{"):
                return tuple(parts)
            parts.append(self.placeholder())

    def literal(self) -> str:
        """Characters up to the next one with a meaning."""
        match = _LITERAL.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return _ESCAPED.sub(r"\1", match[0])

    def take(self, char: str) -> bool:
        """Read this character if it is the next one."""
        found = self.text.startswith(char, self.at)
        self.at += found
        return found

    def placeholder(self) -> Placeholder:
        """What stands between braces."""
        kind = next((kind for kind in KINDS if self.take(kind)), "")
        head = self.literal()
        names = tuple(head.split(",")) if kind in ("#", "%") else ()
        nodes = [parse_compiled(head) if head and not names else None]
        texts: list[Template] = []
        while self.take("|"):
            if kind == "&" and len(texts) == len(nodes):
                condition = self.literal()
                nodes.append(parse_compiled(condition) if condition else None)
            else:
                texts.append(self.template())
        if not self.take("}"):
            raise ValueError(f"A placeholder of a template ({self.text}) is not closed.")
        return Placeholder(kind, tuple(nodes), tuple(texts), names)
