"""Properties: text and tree say the same; no text can do harm."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aclspec.codegen.source.findings import did_you_mean, one_of
from aclspec.runtime.language.functions import FUNCTIONS
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
    Quantifier,
    Str,
    Symbol,
    names,
)
from aclspec.runtime.language.parser import KEYWORDS, SYMBOLS, PredicateError, parse
from aclspec.runtime.language.types import Checker
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.testing.amount import amount

WORDS = KEYWORDS | set(SYMBOLS) | {"True", "False", "None", "null", "is", "AND"}
identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True).filter(lambda word: word not in WORDS)
numbers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda value: str(value).count("-") < 3)
leaves: st.SearchStrategy[Node] = st.one_of(
    numbers.map(Int),
    floats.map(Float),
    st.booleans().map(Bool),
    st.text(max_size=8).map(Str),
    st.sampled_from(sorted(SYMBOLS)).map(lambda name: Symbol(SYMBOLS[name], name)),
    identifiers.map(Name),
)


def _compound(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda items: ListOf(tuple(items))),
        inner.map(Not),
        inner.map(Negate),
        st.builds(Arith, st.sampled_from(["+", "-", "*", "//", "%"]), inner, inner),
        st.builds(Compare, comparisons, inner, inner),
        several.map(And),
        several.map(Or),
        st.builds(IfElse, inner, inner, inner),
        st.builds(Call, st.sampled_from(sorted(FUNCTIONS)), st.lists(inner, max_size=3).map(tuple)),
        st.builds(Index, inner, inner),
        st.builds(Each, identifiers, inner, inner),
        st.builds(Quantifier, st.sampled_from(["all", "any"]), identifiers, inner, inner),
    )


trees = st.recursive(leaves, _compound, max_leaves=16)


@settings(max_examples=amount(100, 400), deadline=None)
@given(trees)
@example(Float(0.00044708282787848616))
@example(Float(1.2345678901234567e-308))
def test_parse_undoes_unparse(tree: Node) -> None:
    assert parse(unparse(tree)) == tree


@settings(max_examples=amount(50, 200), deadline=None)
@given(trees)
def test_unparse_is_stable(tree: Node) -> None:
    text = unparse(tree)
    assert unparse(parse(text)) == text


@settings(max_examples=amount(75, 300), deadline=None)
@given(st.text(max_size=60) | st.text("()[]'\"+-*/%<>=!,. \nabn01eor andtfsil", max_size=80))
def test_any_text_is_a_tree_or_an_error(text: str) -> None:
    found: Node | PredicateError
    try:
        found = parse(text)
    except PredicateError as error:
        found = error
    if isinstance(found, PredicateError):
        assert 0 <= found.offset <= len(text)
        assert found.message.endswith((".", "?"))
    else:
        assert parse(unparse(found)) == found


@settings(max_examples=amount(50, 200), deadline=None)
@given(trees)
def test_any_tree_has_a_type_or_a_mistake(tree: Node) -> None:
    scope = dict.fromkeys(names(tree), "int")
    checker = Checker(scope)
    kind = checker.check(tree)
    assert kind is not None or checker.problems
    assert all(problem.message.endswith((".", "?")) for problem in checker.problems)


def test_hints() -> None:
    assert did_you_mean("wieght", ["weight", "self"]) == "; did you mean weight?"
    assert did_you_mean("float", ["FLOAT"]) == "; did you mean FLOAT?"
    assert did_you_mean("xyz", ["weight"]) == "."
    assert one_of([]) == ""
    assert one_of(["a"]) == "a"
    assert one_of("abc") == "a, b or c"
