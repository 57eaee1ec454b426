"""Comparisons of integers: their negation, their other way round, and as sums that are not negative."""

from __future__ import annotations

from functools import lru_cache

from aclspec.codegen.emit.linear import Linear, linear
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.predicate.nodes import Call, Compare, Int, ListOf, Node
from aclspec.runtime.predicate.relations import NEGATED


@lru_cache(maxsize=1 << 14)
def negated(node: Compare) -> Compare:
    """The comparison that holds where this one, of integers or by equality, does not."""
    return Compare(NEGATED[node.op], node.left, node.right)


def of_integers(node: Compare, scope: Scope) -> bool:
    """Whether integers are compared: only then is "not less" the same as "greater or equal"."""
    return scope.kind(node.left) == "int" and scope.kind(node.right) in ("int", "ints")


@lru_cache(maxsize=1 << 14)
def difference_of(node: Compare) -> Linear:
    """The left side of a comparison of integers, with lets expanded, less the right one."""
    return linear(node.left).plus(linear(node.right), -1)


@lru_cache(maxsize=1 << 14)
def shown_by(node: Compare) -> tuple[Linear, ...]:
    """The sums that are not negative where a comparison of integers holds; of those of ``!=`` one is enough."""
    difference = difference_of(node)
    if node.op == "!=":
        return difference.shifted(-1), difference.times(-1).shifted(-1)
    return not_negative(node.op, difference)


def not_negative(op: str, difference: Linear) -> tuple[Linear, ...]:
    """The sums that are not negative exactly where ``difference`` compares with 0 in this way."""
    match op:
        case "<":
            return (difference.times(-1).shifted(-1),)
        case "<=":
            return (difference.times(-1),)
        case ">":
            return (difference.shifted(-1),)
        case ">=":
            return (difference,)
        case _:
            return difference, difference.times(-1)


def literal_numbers(values: Node) -> frozenset[int] | None:
    """The integers of a list of literals."""
    items = values.items if isinstance(values, ListOf) else ()
    numbers = frozenset(item.value for item in items if isinstance(item, Int))
    return numbers if items and all(isinstance(item, Int) for item in items) else None


def length_of(values: Node) -> Node:
    """The number of elements of a list."""
    match values:
        case Call(func="shape", args=(tensor,)):
            return Call("rank", (tensor,))
        case _:
            return Call("len", (values,))
