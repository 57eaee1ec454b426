"""From the text of a predicate to tokens."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

TokenKind: TypeAlias = Literal["int", "float", "string", "word", "op", "end"]
MAX_LENGTH = 4000
MAX_DIGITS = 20
KEYWORDS = frozenset({"and", "or", "not", "in", "if", "else", "for", "true", "false"})
_FOREIGN = {
    "=": "==",
    "&&": "and",
    "||": "or",
    "!": "not",
    "&": "and",
    "|": "or",
    "/": "//",
    "**": "*",
    "<>": "!=",
    "===": "==",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<float>[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)
      | (?P<int>[0-9]+)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<op>==(?!=)|!=|<=|>=|//|<(?!>)|>|\+|-|\*(?!\*)|%|\(|\)|\[|\]|,)
      | (?P<foreign>===|\*\*|<>|&&|\|\||[=!&|/≤≥≠])""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


class PredicateError(Exception):
    """A predicate that cannot be read; ``offset`` is the index of the character in its text."""

    def __init__(self, offset: int, kind: str, message: str) -> None:
        """Remember the place; the caller knows the file."""
        super().__init__(message)
        self.offset, self.kind, self.message = offset, kind, message


class Token(NamedTuple):
    """A word, a number, a string, an operator or the end of the text."""

    kind: TokenKind
    text: str
    offset: int

    @property
    def shown(self) -> str:
        """The token as a message names it, cut where it is long."""
        return f"({self.text if len(self.text) <= 40 else self.text[:40] + '...'})"


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, an end token last."""
    if len(text) > MAX_LENGTH:
        raise PredicateError(0, "length", f"The predicate has {len(text)} characters; expected at most {MAX_LENGTH}.")
    tokens: list[Token] = []
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise _unknown(text, offset)
        kind = match.lastgroup or ""
        if kind == "foreign":
            found = match.group()
            raise PredicateError(offset, "syntax", f"An operator ({found}) is unknown; did you mean {_FOREIGN[found]}?")
        if kind != "space":
            tokens.append(_token(kind, match.group(), offset))
        offset = match.end()
    return [*tokens, Token("end", "", len(text))]


def _token(kind: str, text: str, offset: int) -> Token:
    counted = {"int": text, "float": text.lstrip("0.")}.get(kind, "")  # the zeros before a float say nothing
    digits = sum(char.isdigit() for char in counted)
    if digits > MAX_DIGITS:
        raise PredicateError(offset, "number", f"A number has {digits} digits; expected at most {MAX_DIGITS}.")
    if kind == "float" and float(text) == float("inf"):
        raise PredicateError(offset, "number", f"A number ({text}) is too large for a float.")
    match kind:
        case "int" | "float" | "string" | "word" | "op":
            return Token(kind, text, offset)
    raise AssertionError(kind)


def _unknown(text: str, offset: int) -> PredicateError:
    char = text[offset]
    if char in "'\"":
        return PredicateError(offset, "syntax", f"A string ({text[offset : offset + 12]}) is not closed.")
    return PredicateError(offset, "syntax", f"A character ({char}) has no meaning in a predicate.")


def string_value(token: Token) -> str:
    """The string that a string token writes."""

    def unescape(match: re.Match[str]) -> str:
        if match.group(1):
            return chr(int(match.group(1), 16))
        if match.group(2) not in _ESCAPES:
            known = r"\n, \t, \\, \', \" or \uXXXX"
            raise PredicateError(
                token.offset + 1 + match.start(), "syntax", f"An escape ({match.group()}) is unknown; expected {known}."
            )
        return _ESCAPES[match.group(2)]

    return _ESCAPE.sub(unescape, token.text[1:-1])
