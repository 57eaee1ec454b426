"""Which truth values a predicate can have: the question whether a rule can ever fail.

The answer is safe on one side only. A value that `possible` leaves out cannot occur; one that it names perhaps can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf
from typing import TypeAlias

from aclspec.codegen.predicate.intervals import ALL, Interval, Ranges, is_list
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Compare,
    Float,
    IfElse,
    Int,
    ListOf,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
)
from aclspec.runtime.predicate.relations import FLIPPED, NEGATED
from aclspec.runtime.predicate.walk import children, names

Truth: TypeAlias = frozenset[bool]
EITHER: Truth = frozenset({True, False})
TRUE: Truth = frozenset({True})
FALSE: Truth = frozenset({False})
_LITERALS = (Int, Float, Str, Symbol, Bool)


@dataclass(frozen=True)
class Facts:
    """What is known to hold: trees that are not false, and the ranges that follow from them."""

    names: Mapping[str, Interval] = field(default_factory=dict)
    true: frozenset[Node] = frozenset()
    lists: frozenset[str] = frozenset()
    floats: frozenset[str] = frozenset()

    @cached_property
    def ranges(self) -> Ranges:
        """The ranges of the terms that the facts compare with numbers."""
        terms: dict[Node, Interval] = {}
        for fact in self.true:
            if isinstance(fact, Compare):
                for term, bound in _bounds(fact):
                    terms[term] = terms.get(term, ALL).meet(bound)
        return Ranges(self.names, terms, self.lists)

    def assuming(self, nodes: Iterable[Node]) -> Facts:
        """These facts and more; a conjunction counts by its parts."""
        return Facts(self.names, self.true.union(*map(_parts, nodes)), self.lists, self.floats)

    def is_float(self, node: Node) -> bool:
        """Whether a tree speaks of floats, of which a NaN is neither below nor above another nor equal to itself."""
        literal, found = _mentioned(node)
        return literal or not self.floats.isdisjoint(found)

    def negated(self, node: Node) -> Node:
        """The tree that is true where this one is false."""
        match node:
            case Not(operand=operand):
                return operand
            case Compare(op=op, left=left, right=right) if not self.is_float(node):
                return Compare(NEGATED[op], left, right)
            case Bool(value=value):
                return Bool(not value)
        return Not(node)


@lru_cache(maxsize=1 << 14)
def _mentioned(node: Node) -> tuple[bool, frozenset[str]]:
    """Whether a float literal stands in a tree, and every name in it, those of variables included."""
    parts = [_mentioned(child) for child in children(node)]
    literal = isinstance(node, Float) or any(one for one, _ in parts)
    return literal, names(node).union(*(found for _, found in parts))


@lru_cache(maxsize=1 << 12)
def _parts(node: Node) -> frozenset[Node]:
    return frozenset(conjuncts(node))


@lru_cache(maxsize=1 << 12)
def conjuncts(node: Node) -> tuple[Node, ...]:
    """The parts that all hold when the whole does."""
    if isinstance(node, And):
        return (node, *(part for item in node.items for part in conjuncts(item)))
    return (node,)


@lru_cache(maxsize=1 << 12)
def _bounds(fact: Compare) -> tuple[tuple[Node, Interval], ...]:
    """The terms that a comparison with a number, or with a list of them, bounds."""
    if fact.op == "in" and isinstance(fact.right, ListOf):
        choices = [item.value for item in fact.right.items if isinstance(item, Int)]
        whole = choices and len(choices) == len(fact.right.items)
        return ((fact.left, Interval(min(choices), max(choices))),) if whole else ()
    found: list[tuple[Node, Interval]] = []
    for term, op, other in ((fact.left, fact.op, fact.right), (fact.right, FLIPPED.get(fact.op, ""), fact.left)):
        if isinstance(other, Int) and not isinstance(term, Int):
            low, high = {
                "==": (other.value, other.value),
                "<": (-inf, other.value - 1),
                "<=": (-inf, other.value),
                ">": (other.value + 1, inf),
                ">=": (other.value, inf),
            }.get(op, (-inf, inf))
            found.append((term, Interval(low, high)))
    return tuple(found)


def possible(node: Node, facts: Facts) -> Truth:
    """The truth values that a predicate can have where it is defined."""
    if node in facts.true:
        return TRUE
    if facts.negated(node) in facts.true:
        return FALSE
    match node:
        case Bool(value=value):
            return frozenset({value})
        case Not(operand=operand):
            return frozenset(not value for value in possible(operand, facts))
        case And(items=items):
            return _conjunction(items, facts)
        case Or(items=items):
            opposite = _conjunction(tuple(facts.negated(item) for item in items), facts)
            return frozenset(not value for value in opposite)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _conditional(cond, then, orelse, facts)
        case Quantifier():
            return _quantified(node, facts)
        case Compare() if not facts.is_float(node):
            return _compared(node, facts)
    return EITHER


def _conjunction(items: tuple[Node, ...], facts: Facts) -> Truth:
    """An ``and``: its parts may rely on each other, since the whole is false anyway where one of them is."""
    every = [possible(item, facts) for item in items]
    if all(values == TRUE for values in every):
        return TRUE
    if any(values == FALSE for values in every) or any(facts.negated(item) in items for item in items):
        return FALSE
    for index, item in enumerate(items):
        # Comparisons only: what nests would be looked at again on every level, and the time would double with each.
        others = items[:index] + items[index + 1 :]
        if isinstance(item, Compare) and possible(item, facts.assuming(others)) == FALSE:
            return FALSE
    return EITHER


def _conditional(cond: Node, then: Node, orelse: Node, facts: Facts) -> Truth:
    branches = possible(cond, facts)
    result: Truth = frozenset()
    if True in branches:
        result |= possible(then, facts.assuming([cond]))
    if False in branches:
        result |= possible(orelse, facts.assuming([facts.negated(cond)]))
    return result


def _quantified(node: Quantifier, facts: Facts) -> Truth:
    """Over no element ``all`` is true and ``any`` is false, so that only one answer can be ruled out."""
    inner = replace(facts, names={**facts.names, node.var: facts.ranges.of(node.over)})
    values = possible(node.body, inner)
    if isinstance(node.over, ListOf) and not node.over.items:
        return TRUE if node.kind == "all" else FALSE
    if node.kind == "all":
        return TRUE if values == TRUE else EITHER
    return FALSE if values == FALSE else EITHER


def _compared(node: Compare, facts: Facts) -> Truth:
    left, right = node.left, node.right
    if node.op in ("in", "not in"):
        return _member(node, facts)
    if left == right:
        return TRUE if node.op in ("==", "<=", ">=") else FALSE
    if isinstance(left, _LITERALS) and isinstance(right, _LITERALS) and node.op in ("==", "!="):
        return frozenset({(_literal(left) == _literal(right)) == (node.op == "==")})
    if isinstance(left, ListOf) and isinstance(right, ListOf) and len(left.items) != len(right.items):
        return FALSE if node.op == "==" else TRUE
    if is_list(left, facts.lists) or is_list(right, facts.lists):
        return EITHER
    return _ranged(node.op, facts.ranges.of(left), facts.ranges.of(right))


def _literal(node: Node) -> object:
    """What a literal stands for; a dtype and a string of the same letters differ."""
    match node:
        case Symbol(kind=kind, name=name):
            return (kind, name)
        case Int(value=value) | Float(value=value):
            return float(value)
        case Str(value=value) | Bool(value=value):
            return (type(value).__name__, value)
    return node


def _member(node: Compare, facts: Facts) -> Truth:
    if not isinstance(node.right, ListOf):
        return EITHER
    each = [possible(Compare("==", node.left, item), facts) for item in node.right.items]
    if any(values == TRUE for values in each):
        inside = TRUE
    elif all(values == FALSE for values in each):
        inside = FALSE
    else:
        inside = EITHER
    return inside if node.op == "in" else frozenset(not value for value in inside)


def _ranged(op: str, left: Interval, right: Interval) -> Truth:
    """A comparison of two numbers of which only the intervals are known."""
    if left.low > left.high or right.low > right.high:
        return EITHER
    match op:
        case "<":
            always, never = left.high < right.low, left.low >= right.high
        case "<=":
            always, never = left.high <= right.low, left.low > right.high
        case ">" | ">=":
            return _ranged(FLIPPED[op], right, left)
        case _:
            single = left.low == left.high == right.low == right.high
            apart = left.high < right.low or right.high < left.low
            always, never = (single, apart) if op == "==" else (apart, single)
    return TRUE if always else FALSE if never else EITHER
