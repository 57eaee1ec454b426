"""The type checker: the type of every tree, and every mistake."""

from __future__ import annotations

import pytest

from aclspec.runtime.language.functions import ELEMENTS, FUNCTIONS, NEGATED, PHRASES, TYPES
from aclspec.runtime.language.nodes import Call, Name
from aclspec.runtime.language.parser import parse
from aclspec.runtime.language.types import Checker, fits, unify

SCOPE = {
    "x": "tensor",
    "xs": "tensors",
    "s": "scalar",
    "ss": "scalars",
    "n": "int",
    "f": "float",
    "b": "bool",
    "t": "string",
    "d": "dtype",
    "ns": "ints",
    "bs": "bools",
    "fs": "floats",
    "wrong": "",
}
GOOD = {
    "n + 1": "int",
    "-f": "float",
    "ns + [1]": "ints",
    "ns + []": "ints",
    "fs + [1]": "floats",
    "[]": "list",
    "[1, 2.5]": "floats",
    "[true]": "bools",
    "[FLOAT, d]": "dtypes",
    "[ND]": "formats",
    "n if b else 2": "int",
    "n if b else 2.5": "float",
    "[] if b else ns": "ints",
    "ns[0]": "int",
    "xs[n]": "tensor",
    "dtype(xs[0])": "dtype",
    "dtype(s)": "dtype",
    "shape(x)": "ints",
    "min(1, n, 3)": "int",
    "min(1, 2.5)": "float",
    "max(ns)": "int",
    "max(fs)": "float",
    "len(bs)": "int",
    "len(xs)": "int",
    "abs(f)": "float",
    "slice(shape(x), 1, rank(x))": "ints",
    "promote(dtype(x), FLOAT)": "dtype",
    "is_null(x)": "bool",
    "is_null(ns)": "bool",
    "n == 1.5": "bool",
    "b == true": "bool",
    "t in ['a', 'b']": "bool",
    "shape(x) == []": "bool",
    "d in [FLOAT]": "bool",
    "n in fs": "bool",
    "all(k > 0 for k in ns)": "bool",
    "any(is_empty(y) for y in xs)": "bool",
    "[dim(y, 0) for y in xs]": "ints",
    "[k > 0 for k in ns]": "bools",
    "[dtype(y) for y in xs] == [FLOAT]": "bool",
    "sum([rank(y) for y in xs])": "int",
    "all(all(i < j for i in ns) for j in ns)": "bool",
    "all(all(i < j for i in range(0, 256)) for j in range(1, 257))": "bool",
}


@pytest.mark.parametrize("text", GOOD)
def test_type(text: str) -> None:
    checker = Checker(SCOPE)
    assert checker.check(parse(text)) == GOOD[text]
    assert checker.problems == []


BAD = {
    "b + 1": (1, "The operand of + (b) is a bool; expected an int."),
    "f * 2": (1, "The operand of * (f) is a float; expected an int."),
    "ns - 1": (1, "The operand of - (ns) is a list of int; expected an int."),
    "ns + bs": (1, "The two sides of + (ns and bs) are a list of int and a list of bool; expected one type."),
    "-b": (2, "The operand of - (b) is a bool; expected an int or a float."),
    "not n": (5, "An operand of not (n) is an int; expected a bool."),
    "b and n": (7, "An operand of and (n) is an int; expected a bool."),
    "t or b": (1, "An operand of or (t) is a string; expected a bool."),
    "x == x": (1, "A comparison has a tensor (x); expected a value, such as its shape or dtype."),
    "d == 'FLOAT'": (1, "The two sides of == (d and 'FLOAT') are a dtype and a string; expected one type."),
    "d == ND": (1, "The two sides of == (d and ND) are a dtype and a format; expected one type."),
    "d < 1": (1, "The operand of < (d) is a dtype; expected an int or a float."),
    "[y for y in xs]": (2, "An element of a list (y) is a tensor; expected a plain value."),
    "[k for k in n]": (13, "The value that a list runs over (n) is an int; expected a list."),
    "[n for n in ns]": (1, "The variable of a list (n) hides another name."),
    "[b + 1 for k in ns]": (2, "The operand of + (b) is a bool; expected an int."),
    "1 in n": (6, "The right side of in (n) is an int; expected a list."),
    "d in [1]": (1, "The left side of in (d) is a dtype; the list ([1]) has elements of type int."),
    "ns in []": (1, "The left side of in (ns) is a list of int; the list ([]) has elements of type ints."),
    "[1, FLOAT]": (5, "Two elements of a list (1 and FLOAT) are an int and a dtype; expected one type."),
    "[ns]": (2, "An element of a list (ns) is a list of int; expected a plain value."),
    "[x]": (2, "An element of a list (x) is a tensor; expected a plain value."),
    "1 if n else 2": (6, "The condition of if (n) is an int; expected a bool."),
    "1 if b else t": (1, "The two branches of if (1 and t) are an int and a string; expected one type."),
    "rank(n)": (6, "Argument 1 of rank (n) is an int; expected a tensor."),
    "dim(x, f)": (8, "Argument 2 of dim (f) is a float; expected an int."),
    "dim(x)": (1, "A call of dim has 1 argument (dim(x)); expected 2."),
    "rank()": (1, "A call of rank has 0 arguments (rank()); expected 1."),
    "min()": (1, "A call of min has 0 arguments (min()); expected 1 or 2 or more."),
    "len(x)": (5, None),
    "is_null(n)": (9, None),
    "n[0]": (1, "The value before the index (n) is an int; expected a list."),
    "ns[f]": (4, "An index (f) is a float; expected an int."),
    "ns[-1]": (4, "An index (-1) is negative; expected 0 or more."),
    "[][0] == 1": (1, "The value before the index ([]) is empty; expected a list with elements."),
    "all(k > 0 for k in [])": (20, "The value that all runs over ([]) is empty; expected a list with elements."),
    "all(k > 0 for k in n)": (20, "The value that all runs over (n) is an int; expected a list."),
    "all(k for k in ns)": (5, "The body of all (k) is an int; expected a bool."),
    "all(n > 0 for n in ns)": (1, "The variable of all (n) hides another name."),
    "any(any(k > 0 for k in ns) for k in ns)": (5, "The variable of any (k) hides another name."),
    "all(any(i < j for i in range(0, n)) for j in range(0, n))": (
        1,
        "A range (range(0, n)) has another inside it: up to 4294967296 steps; expected at most 65536, "
        "or a loop over a shape or a list.",
    ),
    "k > 0": (1, "A name (k) is neither a parameter nor a let."),
    "numel > 0": (1, "A name (numel) is neither a parameter nor a let; a function is called, as in numel(...)."),
    "float16 == d": (1, "A name (float16) is neither a parameter nor a let; did you mean FLOAT16?"),
}


@pytest.mark.parametrize("text", BAD)
def test_mistake(text: str) -> None:
    column, message = BAD[text]
    checker = Checker(SCOPE)
    assert checker.check(parse(text)) is None
    (problem,) = checker.problems
    assert problem.at is not None
    assert problem.at.column == column
    assert message is None or problem.message == message


def test_expected() -> None:
    checker = Checker(SCOPE)
    assert checker.check(parse("n + 1"), "bool", "The guard") is None
    assert [problem.message for problem in checker.problems] == ["The guard (n + 1) is an int; expected a bool."]
    assert Checker(SCOPE).check(parse("n"), "float") == "int"


def test_a_wrong_let_is_reported_once() -> None:
    checker = Checker(SCOPE)
    assert checker.check(parse("wrong == 1 and wrong > 2")) is None
    assert checker.problems == []


def test_every_mistake() -> None:
    checker = Checker(SCOPE)
    checker.check(parse("rank(n) == 1 and d == 3 or zzz and len(x) == b"))
    assert [problem.at.column for problem in checker.problems if problem.at] == [6, 18, 28, 40]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_overload(name: str) -> None:
    for overload in FUNCTIONS[name]:
        counts = {len(overload.args), len(overload.args) + 3 * overload.variadic}
        for count in counts:
            kinds = (*overload.args, *overload.args[-1:] * (count - len(overload.args)))
            scope = {f"v{index}": kind for index, kind in enumerate(kinds)}
            checker = Checker(scope)
            assert checker.check(Call(name, tuple(Name(key) for key in scope))) == overload.result
            assert checker.problems == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_table(name: str) -> None:
    for overload in FUNCTIONS[name]:
        assert {*overload.args, overload.result} <= set(TYPES)
        values = tuple(f"<{index}>" for index in range(len(overload.args)))
        for phrase in (PHRASES[name], *([NEGATED[name]] if name in NEGATED else [])):
            for text in (phrase.en, phrase.zh):
                told = text.format(*values, args=" ".join(values))
                assert all(value in told for value in values)
    assert (name in NEGATED) == all(overload.result == "bool" for overload in FUNCTIONS[name])


def test_unify() -> None:
    for left in TYPES:
        assert unify(left, left) == left
        for right in TYPES:
            assert unify(left, right) == unify(right, left)
    assert unify("int", "float") == "float"
    assert unify("ints", "floats") == "floats"
    assert [kind for kind in TYPES if fits("list", kind)] == list(ELEMENTS)
