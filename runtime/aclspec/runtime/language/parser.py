"""From the text of a predicate to its tree, by Python's own grammar: nothing is evaluated, hostile text refused.

The text is scanned first: only words, numbers, strings and operators of the language reach Python's parser, in a text
of limited length and nesting. Formulas of references are the same language with more arithmetic (`FORMULA`).
"""

from __future__ import annotations

import ast as python
import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, NoReturn

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.suggest import question
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.nodes import Node, Position, children

MAX_LENGTH = 4000
MAX_DEPTH = 40
MAX_DIGITS = 20
KEYWORDS = frozenset({"and", "or", "not", "in", "if", "else", "for", "true", "false", "True", "False"})
SYMBOLS: dict[str, str] = {**{dtype.name: "dtype" for dtype in DType}, **{format_.name: "format" for format_ in Format}}
_FOREIGN_WORDS = {"None": "is_null", "null": "is_null", "is": "==", "AND": "and"}
"""Words of other languages, and what they are here."""
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
      | (?P<foreign>===|\*\*|<>|&&|\|\||[=!&|/:≤≥≠])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[nt\\'\"])|(?P<unknown>\\.)")
_CLOSING = {"(": ")", "[": "]"}
_COMPARISONS: dict[type[python.cmpop], str] = {
    python.Eq: "==",
    python.NotEq: "!=",
    python.Lt: "<",
    python.LtE: "<=",
    python.Gt: ">",
    python.GtE: ">=",
    python.In: "in",
    python.NotIn: "not in",
}
_ARITHMETIC: dict[type[python.operator], str] = {
    python.Add: "+",
    python.Sub: "-",
    python.Mult: "*",
    python.FloorDiv: "//",
    python.Mod: "%",
}


class PredicateError(Exception):
    """A predicate that cannot be read; ``offset`` is the index of the character in its text."""

    def __init__(self, offset: int, kind: str, message: str) -> None:
        """Remember the place; the caller knows the file."""
        super().__init__(message)
        self.offset, self.kind, self.message = offset, kind, message


class Dialect(NamedTuple):
    """What a text may hold beside what every predicate may.

    ``more`` are operators, ``functions`` the functions that there are (None: any, which the reader of the tree checks).
    """

    functions: frozenset[str] | None
    arithmetic: Mapping[type[python.operator], str] = _ARITHMETIC
    more: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    symbols: bool = True
    length: int = MAX_LENGTH
    depth: int = MAX_DEPTH


PREDICATE = Dialect(frozenset(FUNCTIONS))
_COMPILED = Dialect(PREDICATE.functions, length=1 << 30)
FORMULA = Dialect(
    None,
    {**_ARITHMETIC, python.Div: "/", python.Pow: "**"},
    more=frozenset({"/", "**", ":"}),
    words=frozenset({"null"}),
    symbols=False,
    depth=100,
)


def parse(
    text: str, locate: Callable[[int], Position | None] = lambda at: Position(1, at + 1), dialect: Dialect = PREDICATE
) -> Node:
    """Parse a whole text; ``locate`` turns an index of the text into a position of the file."""
    try:
        node = _Reader(text, locate, dialect).read()
    except (RecursionError, MemoryError) as error:
        raise _deep(dialect, 0) from error
    level = [node]
    for _ in range(dialect.depth):
        level = [child for one in level for child in children(one)]
        if not level:
            return node
    raise _deep(dialect, 0)


@lru_cache(maxsize=1 << 12)
def parse_compiled(text: str) -> Node:
    """Parse a predicate of a compiled spec, which may also name the joint dtype rows: ``in_rows(self, out)``."""
    return _Reader(text, lambda at: None, _COMPILED).read()


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int

    @property
    def end(self) -> int:
        return self.offset + len(self.text)


def _scan(text: str, dialect: Dialect) -> Iterator[_Token]:
    """The tokens of a text."""
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            if text[offset] in "'\"":
                _refuse(offset, f"A string ({text[offset : offset + 12]}) is not closed.")
            _refuse(offset, f"A character ({text[offset]}) has no meaning in a predicate.")
        token = _Token(match.lastgroup or "", match.group(), offset)
        if token.kind != "space":
            _check(token, text, dialect)
            yield token
        offset = match.end()


def _check(token: _Token, text: str, dialect: Dialect) -> None:
    """Refuse what Python would read in a way of its own, or not with a sentence of ours."""
    kind, found, offset = token
    if kind == "foreign" and found not in dialect.more:
        if found == ":":
            _refuse(offset, "A character (:) has no meaning in a predicate.")
        _refuse(offset, f"An operator ({found}) is unknown; did you mean {_FOREIGN[found]}?")
    if kind == "word" and found in _FOREIGN_WORDS and found not in dialect.words:
        _refuse(offset, f"A word ({found}) has no meaning here; did you mean {_FOREIGN_WORDS[found]}?")
    if kind == "string":
        unknown = next((one for one in _ESCAPE.finditer(found) if one["unknown"]), None)
        if unknown is not None:
            known = r"\n, \t, \\, \', \" or \uXXXX"
            place = offset + unknown.start()
            _refuse(place, f"An escape ({unknown.group()}) is unknown; expected {known}.")
    if kind in ("int", "float"):
        digits = sum(
            map(str.isdigit, found if kind == "int" else found.lstrip("0."))
        )  # zeros before a float say nothing
        if digits > MAX_DIGITS:
            _refuse(offset, f"A number has {digits} digits; expected at most {MAX_DIGITS}.", "number")
        if float(found) == float("inf"):
            _refuse(offset, f"A number ({found}) is too large for a float.", "number")
        if text[token.end : token.end + 1].isidentifier():
            _refuse_token(text, token.end)


def _refuse(offset: int, message: str, kind: str = "syntax") -> NoReturn:
    raise PredicateError(offset, kind, message)


def _refuse_token(text: str, offset: int) -> NoReturn:
    """Refuse the token at an offset, or the end of the text."""
    match = _TOKEN.match(text, offset)
    if match is None or not text[offset:].strip():
        _refuse(len(text), "The predicate ends too early.")
    found = match.group() if match.end() - offset <= 40 else match.group()[:40] + "..."
    _refuse(offset, f"The predicate goes on with ({found}), which cannot stand there.")


def _deep(dialect: Dialect, offset: int) -> PredicateError:
    return PredicateError(offset, "depth", f"The predicate nests deeper than {dialect.depth} levels.")


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, locate: Callable[[int], Position | None], dialect: Dialect) -> None:
        """Refuse a text that is too long."""
        if len(text) > dialect.length:
            message = f"The predicate has {len(text)} characters; expected at most {dialect.length}."
            raise PredicateError(0, "length", message)
        self.text, self.locate, self.dialect = text, locate, dialect

    def read(self) -> Node:
        """The tree of the text."""
        plain = self.plain()
        self.start = len(plain) - len(plain.lstrip())
        self.plain_text = plain
        self.encoded = None if plain.isascii() else plain[self.start :].encode()
        try:
            tree = python.parse(plain.strip(), mode="eval").body
        except SyntaxError as error:
            raise self.refused(error) from error
        return self.node(tree)

    def plain(self) -> str:
        """The text as Python reads it: on one line, and with Python's own keywords as names, which some parameters are.

        Python knows a keyword by its letters, but takes a wide letter in a name for the usual one.
        """
        parts, end, before = [], 0, None
        opened: list[_Token] = []
        for token in _scan(self.text, self.dialect):
            kind, found, offset = token
            is_prefixed = before is not None and before.kind == "word" and before.text not in KEYWORDS
            if kind == "string" and before is not None and (is_prefixed or before.kind == "string"):
                _refuse_token(self.text, offset)
            if kind == "op" and found in _CLOSING:
                opened.append(token)
                if len(opened) >= self.dialect.depth:
                    raise _deep(self.dialect, offset)
            elif kind == "op" and found in ")]" and (not opened or _CLOSING[opened.pop().text] != found):
                _refuse_token(self.text, offset)
            elif kind == "word" and keyword.iskeyword(found) and found not in KEYWORDS:
                found = chr(ord(found[0]) + 0xFEE0) + found[1:]
            parts += [" " * (offset - end), found]
            end, before = token.end, token
        if opened:
            _refuse(len(self.text), f"The predicate ends too early; expected ({_CLOSING[opened[-1].text]}).")
        return "".join(parts)

    def refused(self, error: SyntaxError) -> PredicateError:
        """Python's error at the token where the text cannot go on."""
        first = (error.offset or len(self.text) + 1) - 1 + self.start
        last = (error.end_offset or 0) - 1 + self.start if error.end_lineno == error.lineno else first
        if error.msg.startswith("too many nested"):
            return _deep(self.dialect, first)
        tokens = [token for token in _scan(self.text, self.dialect) if first <= token.offset < max(last, first + 1)]
        at_end = len(tokens) > 1 and tokens[-1].end >= len(self.text.rstrip())
        try:
            _refuse_token(self.text, len(self.text) if at_end or not tokens else tokens[-1].offset)
        except PredicateError as found:
            return found

    def offset(self, node: python.expr) -> int:
        """Where a part of Python's tree begins."""
        column = node.col_offset
        return self.start + (column if self.encoded is None else len(self.encoded[:column].decode()))

    def end(self, node: python.expr) -> int:
        """Where it ends."""
        column = node.end_col_offset or 0
        return self.start + (column if self.encoded is None else len(self.encoded[:column].decode()))

    def node(self, tree: python.expr) -> Node:
        """The node of a part of Python's tree."""
        at = self.locate(self.offset(tree))
        match tree:
            case python.Name(id=name):
                return self.word(name, at)
            case python.Call():
                return self.call(tree, at)
            case python.Constant(value=bool(value)):
                return ast.Bool(value, at=at)
            case python.Constant(value=int(value)):
                return ast.Int(value, at=at)
            case python.Constant(value=float(value)):
                return ast.Float(value, at=at)
            case python.Constant(value=str(value)) if self.dialect.symbols:
                return ast.Str(value, at=at)
            case python.Compare():
                links = self.links(tree)
                return links[0] if len(links) == 1 else ast.And(tuple(links), at=at)
            case python.BoolOp(op=python.Or(), values=values):
                return ast.Or(tuple(map(self.node, values)), at=at)
            case python.BoolOp(values=values):
                return ast.And(tuple(item for value in values for item in self.items(value)), at=at)
            case python.UnaryOp(op=python.Not(), operand=operand):
                return ast.Not(self.node(operand), at=at)
            case python.UnaryOp(op=python.USub(), operand=operand):
                return self.negative(tree, operand, at)
            case python.BinOp(op=op, left=left, right=right) if type(op) in self.dialect.arithmetic:
                return ast.Arith(self.dialect.arithmetic[type(op)], self.node(left), self.node(right), at=at)
            case python.IfExp(test=test, body=body, orelse=orelse):
                then = self.node(body)
                return ast.IfElse(self.node(test), then, self.node(orelse), at=at)
            case python.List(elts=items):
                return ast.ListOf(tuple(map(self.node, items)), at=at)
            case python.ListComp(elt=body, generators=loops):
                each = self.node(body)
                variable, over = self.loop(tree, loops)
                return ast.Each(variable, over, each, at=at)
            case python.Subscript(value=base, slice=python.Slice(lower, upper, step)):
                null: Node = ast.Name("null")
                bounds = (null if bound is None else self.node(bound) for bound in (lower, upper, step))
                return ast.Call("slice", (self.node(base), *bounds), at=at)
            case python.Subscript(value=base, slice=index):
                values_of = self.node(base)
                return ast.Index(values_of, self.node(index), at=values_of.at)
        return self.refuse(tree)

    def refuse(self, tree: python.AST) -> NoReturn:
        """Refuse a part that Python knows and this language does not."""
        if isinstance(tree, python.Tuple) and tree.elts:
            _refuse_token(self.text, self.text.index(",", self.end(tree.elts[0])))
        _refuse_token(self.text, self.offset(tree) if isinstance(tree, python.expr) else 0)

    def word(self, name: str, at: Position | None) -> Node:
        """A constant, a dtype, a format or a name."""
        if name in ("true", "false"):
            return ast.Bool(name == "true", at=at)
        if name in SYMBOLS and self.dialect.symbols:
            return ast.Symbol(SYMBOLS[name], name, at=at)
        return ast.Name(name, at=at)

    def call(self, tree: python.Call, at: Position | None) -> Node:
        """A function or a quantifier; a compiled predicate also asks for dtype rows."""
        if not isinstance(tree.func, python.Name) or tree.keywords:
            self.refuse(tree)
        name, args, known = tree.func.id, tree.args, self.dialect.functions
        if known is not None and name in ("all", "any"):
            if len(args) != 1 or not isinstance(args[0], python.GeneratorExp):
                text = f"expected (for) after the body of {name}"
                _refuse(self.end(args[0] if args else tree) - (not args), f"The predicate has no loop; {text}.")
            body = self.node(args[0].elt)
            variable, over = self.loop(args[0], args[0].generators)
            return ast.Quantifier(name, variable, over, body, at=at)
        if name == "in_rows" and self.dialect is _COMPILED:
            return ast.InRows(tuple(arg.id for arg in args if isinstance(arg, python.Name)), at=at)
        if known is not None and name not in known:
            hint = question(name, (*known, "all", "any"))
            _refuse(self.offset(tree), f"A function ({name}) is unknown{hint}", "unknown-function")
        return ast.Call(name, tuple(map(self.node, args)), at=at)

    def loop(self, tree: python.expr, loops: list[python.comprehension]) -> tuple[str, Node]:
        """What follows ``for``: a variable, and what it runs over."""
        (first, *rest) = loops
        if rest or first.ifs or first.is_async:
            self.refuse(tree)
        target = first.target
        if (
            not isinstance(target, python.Name)
            or target.id in KEYWORDS
            or self.word(target.id, None) != ast.Name(target.id)
        ):
            shown = self.text[self.offset(target) : self.end(target)]
            _refuse(self.offset(target), f"A variable ({shown}) is not a free name.")
        return target.id, self.node(first.iter)

    def negative(self, tree: python.UnaryOp, operand: python.expr, at: Position | None) -> Node:
        """A number below zero where the sign stands right before it; else a term with the other sign."""
        found = self.node(operand)
        between = self.text[self.offset(tree) + 1 : self.offset(operand)]
        if between.strip() or not isinstance(operand, python.Constant) or not isinstance(found, ast.Int | ast.Float):
            return ast.Negate(found, at=at)
        return type(found)(-found.value, at=at)  # type: ignore[arg-type]

    def items(self, tree: python.expr) -> list[Node]:
        """The operands that one of ``and`` is: a chain of comparisons is several, unless it stands in parentheses."""
        if not isinstance(tree, python.Compare):
            return [self.node(tree)]
        before, after = self.text[: self.offset(tree)].rstrip(), self.text[self.end(tree) :].lstrip()
        is_apart = before.endswith("(") and after.startswith(")")
        return [self.node(tree)] if is_apart else self.links(tree)

    def links(self, tree: python.Compare) -> list[Node]:
        """The comparisons of a chain."""
        left, found = tree.left, list[Node]()
        for op, right in zip(tree.ops, tree.comparators, strict=True):
            if type(op) not in _COMPARISONS:
                self.refuse(tree)
            at = self.locate(self.offset(left))
            found.append(ast.Compare(_COMPARISONS[type(op)], self.node(left), self.node(right), at=at))
            left = right
        return found
