"""From the text of a predicate to its tree: recursive descent, nothing evaluated, hostile text refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.suggest import question
from aclspec.runtime.rules import nodes as ast
from aclspec.runtime.rules.functions import FUNCTIONS
from aclspec.runtime.rules.nodes import Node, Position, children

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


def tokenize(text: str, most: int = MAX_LENGTH) -> list[Token]:
    """All tokens of a text, an end token last."""
    if len(text) > most:
        raise PredicateError(0, "length", f"The predicate has {len(text)} characters; expected at most {most}.")
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


MAX_DEPTH = 40
FOREIGN_WORDS = {"True": "true", "False": "false", "None": "is_null", "null": "is_null", "is": "==", "AND": "and"}
"""Words of other languages, and what they are here."""


class Cursor:
    """A place in the tokens of one text."""

    def __init__(self, tokens: list[Token], locate: Callable[[int], Position | None]) -> None:
        """Start at the first token."""
        self.tokens, self.locate = tokens, locate
        self.index = self.depth = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.index]

    def at(self, token: Token) -> Position | None:
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


SYMBOLS: dict[str, str] = {**{dtype.name: "dtype" for dtype in DType}, **{format_.name: "format" for format_ in Format}}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def parse(text: str, locate: Callable[[int], Position] | None = None) -> Node:
    """Parse a whole text; ``locate`` turns an index of the text into a position of the file."""
    node = _parsed(_Parser(tokenize(text), locate or (lambda offset: Position(1, offset + 1))))
    _refuse_deep(node)
    return node


def _parsed(parser: _Parser) -> Node:
    node = parser.expression()
    parser.finish()
    return node


@lru_cache(maxsize=1 << 12)
def parse_compiled(text: str) -> Node:
    """Parse a predicate of a compiled spec, which may also name the joint dtype rows: ``in_rows(self, out)``."""
    parser = _CompiledParser(tokenize(text, most=len(text)), lambda offset: None)
    return _parsed(parser)


def _refuse_deep(root: Node) -> None:
    """Long chains of one operator nest without recursion here, but not for those who read the tree."""
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise PredicateError(0, "depth", f"The predicate nests deeper than {MAX_DEPTH} levels.")


class _Parser(Cursor):
    """The grammar, from the loosest operator to the tightest."""

    def expression(self) -> Node:
        """``a if c else b``, the loosest of all."""
        self.nest()
        start = self.token
        node = self.disjunction()
        if self.take("if"):
            cond = self.disjunction()
            self.expect("else", "after the condition of if")
            node = ast.IfElse(cond, node, self.expression(), at=self.at(start))
        self.depth -= 1
        return node

    def disjunction(self) -> Node:
        start = self.token
        items = [self.conjunction()]
        while self.take("or"):
            items.append(self.conjunction())
        return ast.Or(tuple(items), at=self.at(start)) if len(items) > 1 else items[0]

    def conjunction(self) -> Node:
        start = self.token
        items = self.negation()
        while self.take("and"):
            items += self.negation()
        return ast.And(tuple(items), at=self.at(start)) if len(items) > 1 else items[0]

    def negation(self) -> list[Node]:
        """``not a``, or a comparison: a chain of several is that many items of the ``and`` around it."""
        start = self.token
        if not self.take("not"):
            return self.comparison()
        self.nest()
        items = self.negation()
        self.depth -= 1
        operand = ast.And(tuple(items), at=items[0].at) if len(items) > 1 else items[0]
        return [ast.Not(operand, at=self.at(start))]

    def comparison(self) -> list[Node]:
        start = self.token
        left = self.sum()
        items: list[Node] = []
        while op := self.comparison_operator():
            begin = self.token
            right = self.sum()
            items.append(ast.Compare(op, left, right, at=self.at(start)))
            start, left = begin, right
        return items or [left]

    def comparison_operator(self) -> str | None:
        if self.token.kind == "op" and self.token.text in _COMPARISONS:
            return self.advance().text
        if self.take("in"):
            return "in"
        if self.sees("not"):
            self.advance()
            self.expect("in", "after not")
            return "not in"
        return None

    def sum(self) -> Node:
        start = self.token
        node = self.product()
        while self.token.kind == "op" and self.sees("+", "-"):
            op = self.advance().text
            node = ast.Arith(op, node, self.product(), at=self.at(start))
        return node

    def product(self) -> Node:
        start = self.token
        node = self.unary()
        while self.token.kind == "op" and self.sees("*", "//", "%"):
            op = self.advance().text
            node = ast.Arith(op, node, self.unary(), at=self.at(start))
        return node

    def unary(self) -> Node:
        start = self.token
        if not (start.kind == "op" and self.take("-")):
            return self.postfix()
        if self.token.kind in ("int", "float"):
            return self.indexed(self.number(self.advance(), start, negative=True))
        self.nest()
        operand = self.unary()
        self.depth -= 1
        return ast.Negate(operand, at=self.at(start))

    def postfix(self) -> Node:
        return self.indexed(self.primary())

    def indexed(self, node: Node) -> Node:
        while self.sees("["):
            at = node.at
            self.advance()
            index = self.expression()
            self.expect("]", "after the index")
            node = ast.Index(node, index, at=at)
        return node

    def number(self, token: Token, start: Token, *, negative: bool = False) -> Node:
        sign = -1 if negative else 1
        if token.kind == "int":
            return ast.Int(sign * int(token.text), at=self.at(start))
        return ast.Float(sign * float(token.text), at=self.at(start))

    def primary(self) -> Node:
        token = self.token
        at = self.at(token)
        if token.kind in ("int", "float"):
            return self.number(self.advance(), token)
        if token.kind == "string":
            return ast.Str(string_value(self.advance()), at=at)
        if self.take("("):
            node = self.expression()
            self.expect(")", "to close the parenthesis")
            return node
        if self.take("["):
            return self.list_of(at)
        if token.kind != "word" or token.text in KEYWORDS - {"true", "false"}:
            self.fail("expected a value")
        return self.word(self.advance(), at)

    def word(self, token: Token, at: Position | None) -> Node:
        """A constant, a call, a dtype, a format or a name."""
        if token.text in ("true", "false"):
            return ast.Bool(token.text == "true", at=at)
        if self.take("("):
            return self.quantifier(token, at) if token.text in ("all", "any") else self.call(token, at)
        if token.text in FOREIGN_WORDS:
            self.index -= 1
            self.fail("")
        if token.text in SYMBOLS:
            return ast.Symbol(SYMBOLS[token.text], token.text, at=at)
        return ast.Name(token.text, at=at)

    def call(self, token: Token, at: Position | None) -> Node:
        if token.text not in FUNCTIONS:
            hint = question(token.text, (*FUNCTIONS, "all", "any"))
            raise PredicateError(token.offset, "unknown-function", f"A function ({token.text}) is unknown{hint}")
        return ast.Call(token.text, self.arguments(")"), at=at)

    def arguments(self, close: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self.take(close):
            items.append(self.expression())
            if not self.sees(close):
                self.expect(",", f"or ({close}) after an element")
        return tuple(items)

    def list_of(self, at: Position | None) -> Node:
        """A list by its elements, or by what they are for each element of another."""
        if self.take("]"):
            return ast.ListOf((), at=at)
        first = self.expression()
        if self.take("for"):
            variable, over = self.variable()
            self.expect("]", "to close the list")
            return ast.Each(variable, over, first, at=at)
        if not self.sees("]"):
            self.expect(",", "or (]) after an element")
        return ast.ListOf((first, *self.arguments("]")), at=at)

    def quantifier(self, token: Token, at: Position | None) -> Node:
        body = self.expression()
        self.expect("for", f"after the body of {token.text}")
        variable, over = self.variable()
        self.expect(")", f"to close {token.text}")
        return ast.Quantifier(token.text, variable, over, body, at=at)

    def variable(self) -> tuple[str, Node]:
        """What follows ``for``: a variable, and what it runs over."""
        token = self.advance()
        if token.kind != "word" or token.text in KEYWORDS or token.text in SYMBOLS:
            raise PredicateError(token.offset, "syntax", f"A variable ({token.text}) is not a free name.")
        self.expect("in", "after the variable")
        return token.text, self.expression()


class _CompiledParser(_Parser):
    """The same grammar with the function that only compiled specs have."""

    def call(self, token: Token, at: Position | None) -> Node:
        if token.text != "in_rows":
            return super().call(token, at)
        return ast.InRows(tuple(node.id for node in self.arguments(")") if isinstance(node, ast.Name)), at=at)
