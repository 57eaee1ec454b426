"""Reading the tokens of a predicate one after the other, and refusing the one that does not fit."""

from __future__ import annotations

from collections.abc import Callable

from aclspec.codegen.predicate.lexer import PredicateError, Token
from aclspec.runtime.predicate.nodes import Position

MAX_DEPTH = 40
FOREIGN_WORDS = {"True": "true", "False": "false", "None": "is_null", "null": "is_null", "is": "==", "AND": "and"}
"""Words of other languages, and what they are here."""


class Cursor:
    """A place in the tokens of one text."""

    def __init__(self, tokens: list[Token], locate: Callable[[int], Position]) -> None:
        """Start at the first token."""
        self.tokens, self.locate = tokens, locate
        self.index = self.depth = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.index]

    def at(self, token: Token) -> Position:
        """The place of a token in the file."""
        return self.locate(token.offset)

    def advance(self) -> Token:
        """The next token, which becomes the last one read."""
        token = self.token
        self.index += token.kind != "end"
        return token

    def sees(self, *texts: str) -> bool:
        """Whether the next token is one of these words or operators."""
        token = self.tokens[self.index]
        return token.text in texts and token.kind in ("op", "word")

    def take(self, text: str) -> bool:
        """Read the next token if it is this one."""
        token = self.tokens[self.index]
        found = token.text == text and token.kind in ("op", "word")
        self.index += found
        return found

    def expect(self, text: str, after: str) -> None:
        """Read this token; fail when another comes."""
        if not self.take(text):
            self.fail(f"expected ({text}) {after}")

    def fail(self, expected: str) -> None:
        """Refuse the next token."""
        found = self.token
        if found.kind == "word" and found.text in FOREIGN_WORDS:
            hint = f"did you mean {FOREIGN_WORDS[found.text]}?"
            raise PredicateError(found.offset, "syntax", f"A word ({found.text}) has no meaning here; {hint}")
        goes_on = "ends too early" if found.kind == "end" else f"goes on with {found.shown}"
        raise PredicateError(found.offset, "syntax", f"The predicate {goes_on}; {expected}.")

    def finish(self) -> None:
        """Refuse whatever is left."""
        if self.token.kind != "end":
            self.fail("expected an operator or the end of the text")

    def nest(self) -> None:
        """Count one more level of nesting."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise PredicateError(self.token.offset, "depth", f"The predicate nests deeper than {MAX_DEPTH} levels.")
