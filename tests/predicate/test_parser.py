"""From text to tree: precedence, positions, and what is refused."""

from __future__ import annotations

import pytest

from aclspec.runtime.language.nodes import (
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
from aclspec.runtime.language.parser import MAX_DEPTH, PredicateError, parse

A, B, C, D = Name("a"), Name("b"), Name("c"), Name("d")
TREES: dict[str, Node] = {
    "1": Int(1),
    "-1": Int(-1),
    "1.5e3": Float(1500.0),
    "-2.5": Float(-2.5),
    "'it''s'": Str("it"),
    r"'it\'s\n\u4e2d'": Str("it's\n中"),
    '"a"': Str("a"),
    "true": Bool(True),
    "True or False": Or((Bool(True), Bool(False))),
    # Python's own keywords are names here: C has parameters called from and lambda.
    "from - lambda": Arith("-", Name("from"), Name("lambda")),
    "(a < b < c) and d": And((And((Compare("<", A, B), Compare("<", B, C))), D)),
    "(a < b < c and d)": And((Compare("<", A, B), Compare("<", B, C), D)),
    "FLOAT16": Symbol("dtype", "FLOAT16"),
    "NCHW": Symbol("format", "NCHW"),
    "a or b and not c": Or((A, And((B, Not(C))))),
    "(a or b) and c": And((Or((A, B)), C)),
    "a and b and c": And((A, B, C)),
    "(a and b) and c": And((And((A, B)), C)),
    "not a == b": Not(Compare("==", A, B)),
    "a < b <= c": And((Compare("<", A, B), Compare("<=", B, C))),
    "d and a < b <= c": And((D, Compare("<", A, B), Compare("<=", B, C))),
    "not a < b < c": Not(And((Compare("<", A, B), Compare("<", B, C)))),
    "a not in [1, 2]": Compare("not in", A, ListOf((Int(1), Int(2)))),
    "a in []": Compare("in", A, ListOf(())),
    "a + b * c - d": Arith("-", Arith("+", A, Arith("*", B, C)), D),
    "a - (b - c)": Arith("-", A, Arith("-", B, C)),
    "a // b % c": Arith("%", Arith("//", A, B), C),
    "-a * b": Arith("*", Negate(A), B),
    "--a": Negate(Negate(A)),
    "-(1)": Negate(Int(1)),
    "- 1": Int(-1),
    "--1": Negate(Int(-1)),
    "a -1": Arith("-", A, Int(1)),
    "a if b else c if d else 1": IfElse(B, A, IfElse(D, C, Int(1))),
    "(a if b else c) == d": Compare("==", IfElse(B, A, C), D),
    "shape(a)[0]": Index(Call("shape", (A,)), Int(0)),
    "a[b][c]": Index(Index(A, B), C),
    "[a, b,]": ListOf((A, B)),
    "dim(a, 1)": Call("dim", (A, Int(1))),
    "all(s > 0 for s in a)": Quantifier("all", "s", A, Compare(">", Name("s"), Int(0))),
    "any(not s for s in (a if b else c))": Quantifier("any", "s", IfElse(B, A, C), Not(Name("s"))),
    "[s + 1 for s in a]": Each("s", A, Arith("+", Name("s"), Int(1))),
    "[b if c else d for s in a] + [a]": Arith("+", Each("s", A, IfElse(C, B, D)), ListOf((A,))),
    # Names of functions and of the quantifiers are free for parameters: many operators have a dim.
    "dim == 1": Compare("==", Name("dim"), Int(1)),
    "dim(x, dim)": Call("dim", (Name("x"), Name("dim"))),
    "all or any": Or((Name("all"), Name("any"))),
    "  a\n  or b": Or((A, B)),
}


@pytest.mark.parametrize("text", [text for text in TREES if "''" not in text])
def test_tree(text: str) -> None:
    assert parse(text) == TREES[text]


REFUSED = {
    "": (1, "The predicate ends too early."),
    "   ": (4, "The predicate ends too early."),
    "a b": (3, "The predicate goes on with (b), which cannot stand there."),
    "a ==": (5, "The predicate ends too early."),
    "(a": (3, "The predicate ends too early; expected ())."),
    "[a b]": (4, "The predicate goes on with (b), which cannot stand there."),
    "dim(a": (6, "The predicate ends too early; expected ())."),
    "a[1": (4, "The predicate ends too early; expected (])."),
    "a) or (b": (2, "The predicate goes on with ()), which cannot stand there."),
    "(a]": (3, "The predicate goes on with (]), which cannot stand there."),
    "a if b": (7, "The predicate ends too early."),
    "a not b": (7, "The predicate goes on with (b), which cannot stand there."),
    "all(a)": (6, "The predicate has no loop; expected (for) after the body of all."),
    "any()": (5, "The predicate has no loop; expected (for) after the body of any."),
    "[a for s]": (9, "The predicate goes on with (]), which cannot stand there."),
    "[a for s in a, b]": (14, "The predicate goes on with (,), which cannot stand there."),
    "a, b": (2, "The predicate goes on with (,), which cannot stand there."),
    "[a for s in b if s]": (1, "The predicate goes on with ([), which cannot stand there."),
    "[a for s in b for t in c]": (1, "The predicate goes on with ([), which cannot stand there."),
    "dim(*a)": (5, "The predicate goes on with (*), which cannot stand there."),
    "a()()": (1, "The predicate goes on with (a), which cannot stand there."),
    "r'a'": (2, "The predicate goes on with ('a'), which cannot stand there."),
    "'a' 'b'": (5, "The predicate goes on with ('b'), which cannot stand there."),
    "1_000": (2, "The predicate goes on with (_000), which cannot stand there."),
    "0x10": (2, "The predicate goes on with (x10), which cannot stand there."),
    "1j": (2, "The predicate goes on with (j), which cannot stand there."),
    "a # b": (3, "A character (#) has no meaning in a predicate."),
    "\ufb01": (1, "A character (\ufb01) has no meaning in a predicate."),
    "a[1:2]": (4, "A character (:) has no meaning in a predicate."),
    "all(a for 1 in b)": (11, "The predicate goes on with (1), which cannot stand there."),
    "all(a for FLOAT in b)": (11, "A variable (FLOAT) is not a free name."),
    "all(a for true in b)": (11, "A variable (true) is not a free name."),
    "all(a for if in b)": (11, "The predicate goes on with (if), which cannot stand there."),
    "a = b": (3, "An operator (=) is unknown; did you mean ==?"),
    "a === b": (3, "An operator (===) is unknown; did you mean ==?"),
    "a && b": (3, "An operator (&&) is unknown; did you mean and?"),
    "a || b": (3, "An operator (||) is unknown; did you mean or?"),
    "!a": (1, "An operator (!) is unknown; did you mean not?"),
    "a / b": (3, "An operator (/) is unknown; did you mean //?"),
    "a ** b": (3, "An operator (**) is unknown; did you mean *?"),
    "a <> b": (3, "An operator (<>) is unknown; did you mean !=?"),
    "a ≤ b": (3, "An operator (≤) is unknown; did you mean <=?"),
    "a.b": (2, "A character (.) has no meaning in a predicate."),
    "a; b": (2, "A character (;) has no meaning in a predicate."),
    "a\\b": (2, "A character (\\) has no meaning in a predicate."),
    "'abc": (1, "A string ('abc) is not closed."),
    r"'a\x41'": (3, r"An escape (\x) is unknown; expected \n, \t, \\, \', \" or \uXXXX."),
    "a is b": (3, "A word (is) has no meaning here; did you mean ==?"),
    "a == None": (6, "A word (None) has no meaning here; did you mean is_null?"),
    "lambda(a)": (1, "A function (lambda) is unknown."),
    "__import__('os')": (1, "A function (__import__) is unknown."),
    "nummel(a)": (1, "A function (nummel) is unknown; did you mean numel?"),
    "123456789012345678901": (1, "A number has 21 digits; expected at most 20."),
    "1e999": (1, "A number (1e999) is too large for a float."),
    "lambda: a": (7, "A character (:) has no meaning in a predicate."),
    "yield a": (7, "The predicate goes on with (a), which cannot stand there."),
    "and": (1, "The predicate goes on with (and), which cannot stand there."),
    "a or or b": (6, "The predicate goes on with (or), which cannot stand there."),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    column, message = REFUSED[text]
    with pytest.raises(PredicateError) as caught:
        parse(text)
    assert (caught.value.offset + 1, caught.value.message) == (column, message)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "-" * 3999 + "1",
        "not " * 999 + "a",
        "a" + "[0]" * 1000,
        "+".join("a" * 2000),
        "a if b else " * 300 + "a",
    ],
    ids=["parentheses", "minus", "not", "index", "sum", "if"],
)
def test_deep_text_is_refused(text: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse(text)
    assert caught.value.kind in ("depth", "length")
    assert 0 <= caught.value.offset < len(text)


def test_depth_up_to_the_limit() -> None:
    parse("(" * (MAX_DEPTH - 1) + "a" + ")" * (MAX_DEPTH - 1))
    parse("+".join("a" * MAX_DEPTH))


def test_positions() -> None:
    node = parse("rank(a) == 2 and not b in [1]")
    assert isinstance(node, And)
    first, second = node.items
    assert isinstance(first, Compare)
    assert isinstance(second, Not)
    assert node.at == first.at == first.left.at == Position(1, 1)
    assert first.right.at == Position(1, 12)
    assert second.at == Position(1, 18)
    assert second.operand.at == Position(1, 22)


def test_positions_of_a_chain() -> None:
    node = parse("1 <= a < 5")
    assert isinstance(node, And)
    assert [item.at for item in node.items] == [Position(1, 1), Position(1, 6)]


def test_a_position_is_no_part_of_the_tree() -> None:
    assert parse("a  ==  b") == parse("a == b")


def test_positions_behind_letters_of_many_bytes() -> None:
    node = parse("'中文' == from or\n b")
    assert isinstance(node, Or)
    assert [item.at for item in node.items] == [Position(1, 1), Position(1, 18)]
