"""From the text of a predicate to its tree: recursive descent, nothing evaluated, hostile text refused."""

from __future__ import annotations

from collections.abc import Callable

from aclspec.codegen.findings import did_you_mean
from aclspec.codegen.predicate.cursor import FOREIGN_WORDS, MAX_DEPTH, Cursor
from aclspec.codegen.predicate.lexer import KEYWORDS, PredicateError, Token, string_value, tokenize
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Position,
    Quantifier,
    Str,
    Symbol,
)
from aclspec.runtime.predicate.walk import children

SYMBOLS: dict[str, str] = {**{dtype.name: "dtype" for dtype in DType}, **{format_.name: "format" for format_ in Format}}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def parse(text: str, locate: Callable[[int], Position] | None = None) -> Node:
    """Parse a whole text; ``locate`` turns an index of the text into a position of the file."""
    parser = _Parser(tokenize(text), locate or (lambda offset: Position(1, offset + 1)))
    node = parser.expression()
    parser.finish()
    _refuse_deep(node)
    return node


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
            node = IfElse(cond, node, self.expression(), self.at(start))
        self.depth -= 1
        return node

    def disjunction(self) -> Node:
        start = self.token
        items = [self.conjunction()]
        while self.take("or"):
            items.append(self.conjunction())
        return Or(tuple(items), self.at(start)) if len(items) > 1 else items[0]

    def conjunction(self) -> Node:
        start = self.token
        items = self.negation()
        while self.take("and"):
            items += self.negation()
        return And(tuple(items), self.at(start)) if len(items) > 1 else items[0]

    def negation(self) -> list[Node]:
        """``not a``, or a comparison: a chain of several is that many items of the ``and`` around it."""
        start = self.token
        if not self.take("not"):
            return self.comparison()
        self.nest()
        items = self.negation()
        self.depth -= 1
        operand = And(tuple(items), items[0].at) if len(items) > 1 else items[0]
        return [Not(operand, self.at(start))]

    def comparison(self) -> list[Node]:
        start = self.token
        left = self.sum()
        items: list[Node] = []
        while op := self.comparison_operator():
            begin = self.token
            right = self.sum()
            items.append(Compare(op, left, right, self.at(start)))
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
            node = Arith(op, node, self.product(), self.at(start))
        return node

    def product(self) -> Node:
        start = self.token
        node = self.unary()
        while self.token.kind == "op" and self.sees("*", "//", "%"):
            op = self.advance().text
            node = Arith(op, node, self.unary(), self.at(start))
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
        return Negate(operand, self.at(start))

    def postfix(self) -> Node:
        return self.indexed(self.primary())

    def indexed(self, node: Node) -> Node:
        while self.sees("["):
            at = node.at
            self.advance()
            index = self.expression()
            self.expect("]", "after the index")
            node = Index(node, index, at)
        return node

    def number(self, token: Token, start: Token, *, negative: bool = False) -> Node:
        sign = -1 if negative else 1
        if token.kind == "int":
            return Int(sign * int(token.text), self.at(start))
        return Float(sign * float(token.text), self.at(start))

    def primary(self) -> Node:
        token = self.token
        at = self.at(token)
        if token.kind in ("int", "float"):
            return self.number(self.advance(), token)
        if token.kind == "string":
            return Str(string_value(self.advance()), at)
        if self.take("("):
            node = self.expression()
            self.expect(")", "to close the parenthesis")
            return node
        if self.take("["):
            return self.list_of(at)
        if token.kind != "word" or token.text in KEYWORDS - {"true", "false"}:
            self.fail("expected a value")
        return self.word(self.advance(), at)

    def word(self, token: Token, at: Position) -> Node:
        """A constant, a call, a dtype, a format or a name."""
        if token.text in ("true", "false"):
            return Bool(token.text == "true", at)
        if self.take("("):
            return self.quantifier(token, at) if token.text in ("all", "any") else self.call(token, at)
        if token.text in FOREIGN_WORDS:
            self.index -= 1
            self.fail("")
        if token.text in SYMBOLS:
            return Symbol(SYMBOLS[token.text], token.text, at)
        return Name(token.text, at)

    def call(self, token: Token, at: Position) -> Node:
        if token.text not in FUNCTIONS:
            hint = did_you_mean(token.text, (*FUNCTIONS, "all", "any"))
            raise PredicateError(token.offset, "unknown-function", f"A function ({token.text}) is unknown{hint}")
        return Call(token.text, self.arguments(")"), at)

    def arguments(self, close: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self.take(close):
            items.append(self.expression())
            if not self.sees(close):
                self.expect(",", f"or ({close}) after an element")
        return tuple(items)

    def list_of(self, at: Position) -> Node:
        """A list by its elements, or by what they are for each element of another."""
        if self.take("]"):
            return ListOf((), at)
        first = self.expression()
        if self.take("for"):
            variable, over = self.variable()
            self.expect("]", "to close the list")
            return Each(variable, over, first, at)
        if not self.sees("]"):
            self.expect(",", "or (]) after an element")
        return ListOf((first, *self.arguments("]")), at)

    def quantifier(self, token: Token, at: Position) -> Node:
        body = self.expression()
        self.expect("for", f"after the body of {token.text}")
        variable, over = self.variable()
        self.expect(")", f"to close {token.text}")
        return Quantifier(token.text, variable, over, body, at)

    def variable(self) -> tuple[str, Node]:
        """What follows ``for``: a variable, and what it runs over."""
        token = self.advance()
        if token.kind != "word" or token.text in KEYWORDS or token.text in SYMBOLS:
            raise PredicateError(token.offset, "syntax", f"A variable ({token.text}) is not a free name.")
        self.expect("in", "after the variable")
        return token.text, self.expression()
