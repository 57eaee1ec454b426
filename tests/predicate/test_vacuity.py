"""Which truth values a predicate can have, and that none of them is ruled out wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aclspec.codegen.analysis.bounds import Bounds
from aclspec.codegen.analysis.facts import EITHER, FALSE, TRUE, Facts, Truth, possible
from aclspec.codegen.analysis.sums import linear
from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Call,
    Compare,
    IfElse,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.language.parser import parse
from aclspec.runtime.language.types import Checker
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.testing.amount import amount

FACTS = Facts(Bounds({linear(Name("n")).key: (-128, 127)}), frozenset({"ks", "fs"}), frozenset({"f", "fs"}))
CASES: dict[str, Truth] = {
    "rank(x) >= 0": TRUE,
    "rank(x) > 0": EITHER,
    "rank(x) == -1": FALSE,
    "len(ks) + rank(y) + 1 > 0": TRUE,
    "rank(x) - 1 >= 0": EITHER,
    "n <= 127": TRUE,
    "n < 127": EITHER,
    "n > 127": FALSE,
    "-n <= 128": TRUE,
    "n // 2 >= 0": EITHER,
    "n // 2 * 2 == n": EITHER,
    "n % n >= 0": EITHER,
    "max(rank(x), n) >= 0": TRUE,
    "min(rank(x), n) <= 127": TRUE,
    "max(rank(x), 1) >= rank(x)": TRUE,
    "min(n, 3) > n": FALSE,
    "max(n, 3) > n": EITHER,
    "rank(x) <= 65536": TRUE,
    "len(ks) <= 65536": TRUE,
    "len(ks) <= 65535": EITHER,
    "wrap(n, rank(x)) >= 0": TRUE,
    "wrap(n, max(rank(x), 1)) < rank(x)": EITHER,
    "sum(ks) >= 0": EITHER,
    "x_y == x_y": TRUE,
    "shape(x) == shape(x)": TRUE,
    "shape(x) == shape(y)": EITHER,
    "shape(x) != shape(x)": FALSE,
    "rank(x) < rank(x)": FALSE,
    "shape(x) + [1] == [1]": EITHER,
    "slice(ks, 0, 1) == range(n, n)": EITHER,
    "FLOAT == FLOAT16": FALSE,
    "'a' == 'a'": TRUE,
    "1 == 1.0": EITHER,
    "1 in [1, 2]": TRUE,
    "n in [128, 129]": FALSE,
    "n not in [128]": TRUE,
    "max(n, 3) >= 3": TRUE,
    "max(rank(x) - 2, 0) <= 65536": TRUE,
    "min(n, 3) >= 3": EITHER,
    "(n if is_empty(x) else 5) + 1 <= 128": TRUE,
    "abs(n) >= 0": EITHER,
    "n in []": FALSE,
    "all(s >= 0 for s in shape(x))": EITHER,
    "dim(x, 0) >= 0": EITHER,
    "numel(x) >= 0": EITHER,
    "all(k >= 0 for k in [rank(x), 4])": TRUE,
    "any(k < 0 for k in [rank(x), 4])": FALSE,
    "any(k < 0 for k in [rank(x), n])": EITHER,
    "all(k == n for k in [n, n])": TRUE,
    "any(k < 0 for k in range(0, 0))": FALSE,
    "len(range(rank(x), n)) == n - rank(x)": EITHER,
    "all(k >= 0 for k in [dim(t, 0) for t in xs])": EITHER,
    "[n for k in ks] == [n]": EITHER,
    "all(k > 0 for k in [rank(x), 4])": EITHER,
    "all(false for k in ks)": EITHER,
    "all(i < 5 for i in range(0, 5))": TRUE,
    "f == f": EITHER,
    "len([f]) == 1": TRUE,
    "f < 1.0 or f >= 1.0": EITHER,
    "all(g < 1 or g >= 1 for g in fs)": EITHER,
    "n < 5 or n >= 5": TRUE,
    "n < 5 and n >= 5": FALSE,
    "n < 3 and n > 5": FALSE,
    "not (dtype(x) == FLOAT and dtype(x) != FLOAT)": TRUE,
    "is_empty(x) or not is_empty(x)": TRUE,
    "true if rank(x) >= 0 else false": TRUE,
    "true": TRUE,
    "false or rank(x) < 0": FALSE,
}


@pytest.mark.parametrize("text", CASES)
def test_possible(text: str) -> None:
    assert possible(parse(text), FACTS) == CASES[text]


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("rank(x) <= 8", "rank(x) <= 5", TRUE),
        ("rank(x) <= 5", "rank(x) <= 8", EITHER),
        ("rank(x) > 8", "rank(x) == 5 and is_empty(y)", FALSE),
        ("is_empty(y)", "rank(x) == 5 and is_empty(y)", TRUE),
        ("not is_empty(y)", "is_empty(y)", FALSE),
        ("rank(x) > 0", "0 != rank(x)", TRUE),
        ("5 >= n", "3 >= n", TRUE),
        ("n > 3", "n in [0, 1, 3]", FALSE),
        ("n >= 0", "n in [3, 0]", TRUE),
        ('s == "a"', 's != "a"', FALSE),
        ('s == "a"', 's in ["a", "b"]', EITHER),
        ("format(x) == format(y)", "format(x) in [ND, NCHW] and format(y) in [ND, NCHW]", EITHER),
        ("is_private(format(x))", "format(x) in [ND, FRACTAL_NZ]", EITHER),
        ("n > 3", "n in [0, rank(x)]", EITHER),
        ("n > 3", "n not in [0, 1]", EITHER),
    ],
)
def test_with_facts(text: str, known: str, expected: Truth) -> None:
    assert possible(parse(text), FACTS.assuming([parse(known)])) == expected


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("all(i < rank(x) for i in ks)", "all(k < max(rank(x), 1) for k in ks)", EITHER),
        ("all(i < 4 for i in ks)", "any(k < 4 for k in ks)", EITHER),
        ("all(i < rank(x) for i in [n])", "n < max(rank(x), 1)", EITHER),
        ("m < rank(x)", "m < n and rank(x) == n", TRUE),
        ("2 * (rank(x) - n) < len(ks)", "n >= rank(x) - len(ks) // 2", EITHER),
        ("all(g >= 1 for g in fs)", "all(h > 0 for h in fs)", EITHER),
        ("rank(x) > 1", "rank(x) == (2 if n == 2 else 1)", EITHER),
        ("m + n > 0", "m + n == (2 if is_empty(x) else 1)", EITHER),
        ("m + n > 0", "m > 0 and n >= 0", TRUE),
        ("m < rank(x)", "m < max(rank(x), 1) and rank(x) > 0", TRUE),
        ("m < rank(x)", "m < max(rank(x), 1)", EITHER),
        ("wrap(n, max(rank(x), 1)) < rank(x)", "rank(x) > 0", TRUE),
        ("wrap(n, max(rank(x), 1)) <= rank(x)", "n == m", TRUE),
        ("2 * m + 1 < len(ks)", "m < rank(x) and len(ks) == 2 * rank(x)", TRUE),
        ("2 * m + 2 < len(ks)", "m < rank(x) and len(ks) == 2 * rank(x)", EITHER),
        ("2 * (rank(x) - n) <= len(ks)", "n >= rank(x) - len(ks) // 2 and len(ks) % 2 == 0", TRUE),
        ("m == 2", "(m == 1 or m == 2) and m != 1", TRUE),
        ("m == 2", "(m == 1 or m == 2 or m == 3) and m != 1", EITHER),
        ("m * (2 if is_empty(x) else 1) <= 6", "0 <= m <= 3", TRUE),
        ("len([m, n] if is_empty(x) else ks) > 1", "len(ks) == 2", TRUE),
        ("all(k < rank(x) for k in ([m] if rank(x) > 0 else []))", "m < max(rank(x), 1)", TRUE),
        ("all(i < 4 for i in ks)", "all(k < 4 for k in ks)", TRUE),
        ("all(i < 4 for i in ks)", "all(k < 5 for k in ks)", EITHER),
        ("all(i >= 0 for i in range(m, 9))", "m >= 1", TRUE),
        ("all(i + 2 < rank(x) for i in range(0, 3))", "rank(x) == 5", TRUE),
        ("all(k >= 0 for k in [wrap(n, 3) for j in ks])", "n == m", TRUE),
        ("len(replace(ks, 0, 1)) > 1", "len(ks) == 2", TRUE),
        ("len([m for i in range(0, rank(x))]) > 1", "rank(x) == 2", TRUE),
    ],
)
def test_with_sure_facts(text: str, known: str, expected: Truth) -> None:
    assert possible(parse(text), FACTS.assume(parse(known))) == expected


@dataclass(frozen=True)
class Shaped:
    """A tensor as the interpreter sees it."""

    shape: tuple[int, ...]
    dtype: str = "FLOAT"
    format: str = "ND"
    is_contiguous: bool = True


SCOPE = {"x": "tensor", "n": "int", "m": "int", "ks": "ints"}
terms: st.SearchStrategy[Node] = st.recursive(
    st.one_of(
        st.integers(-3, 3).map(Int),
        st.sampled_from([Name("n"), Name("m"), Call("rank", (Name("x"),)), Call("numel", (Name("x"),))]),
        st.integers(0, 2).map(lambda axis: Call("dim", (Name("x"), Int(axis)))),
        st.just(Call("prod", (Name("ks"),))),
    ),
    lambda inner: st.one_of(
        st.builds(Arith, st.sampled_from(["+", "-", "*", "//", "%"]), inner, inner),
        inner.map(Negate),
        st.builds(lambda name, a, b: Call(name, (a, b)), st.sampled_from(["max", "min", "wrap"]), inner, inner),
        st.builds(lambda a, b: Call("ceil_div", (a, b)), inner, inner),
        inner.map(lambda a: Call("abs", (a,))),
        st.builds(IfElse, st.builds(Compare, st.sampled_from(["<", "=="]), inner, inner), inner, inner),
    ),
    max_leaves=4,
)
lists: st.SearchStrategy[Node] = st.one_of(
    st.just(Name("ks")),
    st.just(Call("shape", (Name("x"),))),
    st.lists(terms, max_size=2).map(lambda items: ListOf(tuple(items))),
    st.builds(lambda a, b: Call("range", (a, b)), st.integers(-2, 2).map(Int), st.integers(-2, 2).map(Int)),
)
joined = (
    lists
    | st.builds(Arith, st.just("+"), lists, lists)
    | st.builds(IfElse, st.builds(Compare, st.just("<"), terms, terms), lists, lists)
)
comparisons = st.one_of(
    st.builds(Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), terms, terms),
    st.builds(Compare, st.sampled_from(["==", "!="]), joined, joined),
    st.builds(Compare, st.sampled_from(["in", "not in"]), terms, joined),
)
elements = st.builds(Compare, st.sampled_from(["==", "<", ">="]), st.just(Name("k")), terms)
predicates: st.SearchStrategy[Node] = st.recursive(
    st.one_of(comparisons, st.builds(Quantifier, st.sampled_from(["all", "any"]), st.just("k"), joined, elements)),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: And(tuple(items))),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Or(tuple(items))),
        st.builds(IfElse, inner, inner, inner),
    ),
    max_leaves=4,
)
calls = st.fixed_dictionaries(
    {
        "x": st.lists(st.integers(0, 3), max_size=3).map(lambda shape: Shaped(tuple(shape))),
        "n": st.integers(-4, 4),
        "m": st.integers(-4, 4),
        "ks": st.lists(st.integers(-2, 3), max_size=3).map(tuple),
    }
)


class _Info(SimpleNamespace):
    """An operator of nothing but parameters, which can be referred to weakly."""


def _environment(call: dict[str, Any]) -> Environment:
    params = {name: SimpleNamespace(name=name, type="int64", checked=None, formats=()) for name in SCOPE}
    info: Any = _Info(lets=(), rows=(), param=params.__getitem__, params=tuple(params.values()))
    return Environment(info, call, "atlas_a2", "document")


@settings(max_examples=amount(100, 400), deadline=None)
@given(predicates, calls)
def test_no_value_is_ruled_out_that_occurs(node: Node, call: dict[str, Any]) -> None:
    assert Checker(SCOPE).check(node) in ("bool", None)
    facts = Facts(Bounds({linear(Name("n")).key: (-4, 4)}), frozenset({"ks"}))
    value = evaluate_node(node, _environment(call))
    if value is not UNDEFINED:
        assert value in possible(node, facts)


@pytest.mark.parametrize("learn", [lambda facts, known: facts.assuming([known]), Facts.assume], ids=["true", "sure"])
@settings(max_examples=amount(100, 400), deadline=None)
@given(known=predicates, node=predicates, call=calls)
def test_facts_rule_out_only_what_cannot_be(
    learn: Callable[[Facts, Node], Facts], known: Node, node: Node, call: dict[str, Any]
) -> None:
    environment = _environment(call)
    value = evaluate_node(node, environment)
    if evaluate_node(known, environment) is True and value is not UNDEFINED:
        assert value in possible(node, learn(Facts(lists=frozenset({"ks"})), known))
