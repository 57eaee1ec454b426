"""Comparisons as a person would write them: the constant on the right, the negation in the operator."""

from __future__ import annotations

from collections.abc import Callable

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.integers import of_integers
from aclspec.codegen.emit.logic import negation
from aclspec.codegen.emit.python import Chain, Level, Py, compare
from aclspec.codegen.emit.values import Values
from aclspec.runtime.predicate.nodes import And, Bool, Compare, Float, Int, ListOf, Node, Str, Symbol
from aclspec.runtime.predicate.relations import FLIPPED, NEGATED

_CONSTANTS = (Int, Float, Str, Bool, Symbol)


class Comparisons:
    """Writes comparisons whose sides are defined; ``truth`` writes a side that is a predicate."""

    def __init__(self, values: Values, truth: Callable[[Node, Facts], Py]) -> None:
        """Comparisons of these values."""
        self.values, self.truth = values, truth

    def write(self, node: Compare, facts: Facts, value: bool) -> Py:
        """The comparison, or its negation."""
        left, op, right = node.left, node.op, node.right
        if isinstance(left, _CONSTANTS) and not isinstance(right, _CONSTANTS) and op in FLIPPED:
            left, op, right = right, FLIPPED[op], left
        if isinstance(right, Bool) and op in ("==", "!="):
            found = self.truth(left, facts)
            return found if ((op == "==") == right.value) == value else negation(found)
        if isinstance(right, ListOf) and len(right.items) == 1 and op in ("in", "not in"):
            op, right = ("==" if op == "in" else "!="), right.items[0]
        sides = self.values.value(left, facts), self.values.value(right, facts)
        if not value and op in ("<", "<=", ">", ">=") and not of_integers(node, facts.scope):
            return negation(compare(sides[0], op, sides[1]))  # a NaN is neither less nor "not less"
        return compare(sides[0], op if value else NEGATED[op], sides[1])

    def chain(self, node: And, facts: Facts) -> Py:
        """``low <= x <= high`` for an ``and`` of which `chain_of` says that it is one."""
        ops = tuple(item.op for item in node.items if isinstance(item, Compare))
        return Chain(ops, tuple(self.values.value(side, facts) for side in chain_of(node) or ()), Level.COMPARE)


def chain_of(node: And) -> tuple[Node, Node, Node] | None:
    """The three sides of a chain of comparisons, as which two comparisons with a common side were written."""
    match node.items:
        case (Compare(op="<" | "<=", left=low, right=x), Compare(op="<" | "<=", left=y, right=high)) if x == y:
            return low, x, high
        case _:
            return None


def with_chains(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """The items of a longer ``and``, two that make a chain as one."""
    if len(items) < 3:
        return items
    found: list[Node] = []
    for item in items:
        pair = And((found[-1], item)) if found else None
        if pair is not None and chain_of(pair) is not None:
            found[-1] = pair
        else:
            found.append(item)
    return tuple(found)
