"""The three-valued logic: what false and true decide, and what undefined leaves open."""

from __future__ import annotations

from itertools import product

import pytest

from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Bool,
    Compare,
    Each,
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
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate_node
from tests.support.handmade import call, operator

ENV = Environment(operator(), call(), "atlas_a2", "document")
T, F = Bool(True), Bool(False)
U = Compare("==", Arith("//", Int(1), Int(0)), Int(1))
VALUES: tuple[tuple[Node, object], ...] = ((T, True), (F, False), (U, UNDEFINED))


def kleene_and(values: tuple[object, ...]) -> object:
    return False if False in values else UNDEFINED if UNDEFINED in values else True


def kleene_or(values: tuple[object, ...]) -> object:
    return True if True in values else UNDEFINED if UNDEFINED in values else False


@pytest.mark.parametrize("length", [1, 2, 3])
def test_and_or(length: int) -> None:
    for chosen in product(VALUES, repeat=length):
        items = tuple(node for node, _ in chosen)
        values = tuple(value for _, value in chosen)
        assert evaluate_node(And(items), ENV) is kleene_and(values), values
        assert evaluate_node(Or(items), ENV) is kleene_or(values), values


def test_not() -> None:
    assert [evaluate_node(Not(node), ENV) for node, _ in VALUES] == [False, True, UNDEFINED]


def test_if_else_is_undefined_with_its_condition() -> None:
    for (cond, decided), (then, first), (orelse, second) in product(VALUES, repeat=3):
        expected = first if decided is True else second if decided is False else UNDEFINED
        assert evaluate_node(IfElse(cond, then, orelse), ENV) is expected


def test_comparison_of_truth_values_is_strict() -> None:
    assert evaluate_node(Compare("==", F, U), ENV) is UNDEFINED
    assert evaluate_node(Compare("==", F, T), ENV) is False
    assert evaluate_node(ListOf((T, U)), ENV) is UNDEFINED


@pytest.mark.parametrize("kind", ["all", "any"])
@pytest.mark.parametrize("divisors", list(product([0, 1, 2], repeat=3)))
def test_quantifier(kind: str, divisors: tuple[int, ...]) -> None:
    """The body ``2 // v == 2`` is undefined for 0, true for 1 and false for 2."""
    body = Compare("==", Arith("//", Int(2), Name("v")), Int(2))
    node = Quantifier(kind, "v", ListOf(tuple(Int(divisor) for divisor in divisors)), body)
    values = tuple({0: UNDEFINED, 1: True, 2: False}[divisor] for divisor in divisors)
    expected = kleene_and(values) if kind == "all" else kleene_or(values)
    assert evaluate_node(node, ENV) is expected


def test_quantifier_over_an_undefined_list() -> None:
    for kind in ("all", "any"):
        assert evaluate_node(Quantifier(kind, "v", ListOf((Arith("//", Int(1), Int(0)),)), T), ENV) is UNDEFINED


def test_a_list_is_undefined_with_one_of_its_elements() -> None:
    def inverses(*divisors: int) -> Node:
        return Each("v", ListOf(tuple(map(Int, divisors))), Arith("//", Int(6), Name("v")))

    assert evaluate_node(inverses(1, 2, 3), ENV) == (6, 3, 2)
    assert evaluate_node(inverses(), ENV) == ()
    assert evaluate_node(inverses(1, 0, 3), ENV) is UNDEFINED
    assert evaluate_node(Each("v", ListOf((Arith("//", Int(1), Int(0)),)), Int(1)), ENV) is UNDEFINED


def test_a_variable_hides_a_parameter_of_its_name() -> None:
    one = Quantifier("all", "x", ListOf((Int(1), Int(2))), Compare(">", Name("x"), Int(0)))
    assert evaluate_node(one, ENV) is True
    assert evaluate_node(Each("x", ListOf((Int(1), Int(2))), Negate(Name("x"))), ENV) == (-1, -2)
    assert evaluate_node(Name("x"), ENV.bind("x", 3)) == 3
