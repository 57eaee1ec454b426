"""Patterns of predicates with sentences of their own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.evaluation import COMPARISONS
from aclspec.runtime.language.functions import FUNCTIONS
from aclspec.runtime.language.nodes import FLIPPED, Compare, Float, Int, ListOf, Node, Str, Symbol
from aclspec.runtime.rules.operator_info import Text

FACTS: Final = frozenset({"shape", "dtype", "format", "promote", "broadcast"})
"""Functions that say what a tensor is like, where others count something."""
SHARED: Final = {"promotable": "dtype", "promote": "dtype", "promote_all": "dtype", "broadcast": "shape"}
"""Functions whose phrase names the fact of their arguments, so that these are called by the tensors alone."""
LAST_AXES: Final = {
    1: Text("the size of the last axis of {0}", "{0} 最后一轴的大小"),
    2: Text("the size of the last axis but one of {0}", "{0} 倒数第二轴的大小"),
}
"""The size of an axis by its place from the end."""


def from_the_end(tensor: Node, axis: Node) -> int:
    """Which axis from the end ``rank(tensor) - 1`` and its like are; 0 for an axis that counts from the front."""
    match axis:
        case ast.Arith(op="-", left=ast.Call(func="rank", args=(base,)), right=ast.Int(value=place)) if base == tensor:
            return place
        case _:
            return 0


def is_literal(node: Node) -> bool:
    """Whether a node is a constant as written."""
    match node:
        case ast.Int() | ast.Float() | ast.Bool() | ast.Str() | ast.Symbol():
            return True
        case ast.Negate(operand=operand):
            return is_literal(operand)
        case ast.ListOf(items=items):
            return all(is_literal(item) for item in items)
        case _:
            return False


def is_clause(node: Node) -> bool:
    """Whether a node reads as a clause rather than as a noun."""
    match node:
        case ast.Compare() | ast.And() | ast.Or() | ast.Not() | ast.Quantifier() | ast.InRows():
            return True
        case ast.Call(func=func):
            return FUNCTIONS[func][0].result == "bool"
        case _:
            return False


def constant_side_right(node: ast.Compare) -> ast.Compare:
    """The comparison, turned round if its left side alone is a constant: ``2 <= rank(x)`` is ``rank(x) >= 2``.

    So is one with the negative of a bound on its left, ``-rank(x) <= dim``, since ``dim < rank(x)`` stands beside it.
    """
    first, second = (is_literal(side) for side in (node.left, node.right))
    is_below = isinstance(node.left, ast.Negate) and isinstance(node.right, ast.Name)
    if node.op in FLIPPED and not second and (first or is_below):
        return ast.Compare(FLIPPED[node.op], node.right, node.left)
    return node


def exclude(one: Node, other: Node) -> bool:
    """Whether two conditions cannot both hold: the same term equals two different constants."""
    if not isinstance(one, ast.Compare) or not isinstance(other, ast.Compare) or not one.op == other.op == "==":
        return False
    constants = is_literal(one.right) and is_literal(other.right) and one.right != other.right
    return constants and one.left == other.left


def simplified(node: ast.And | ast.Or) -> tuple[Node, ...]:
    """The items, those of nested ones of the same kind included, with pairs that mean one thing made one."""
    flat: list[Node] = []
    for item in node.items:
        flat.extend(simplified(item) if isinstance(item, type(node)) and not _is_pair(item) else (item,))
    distinct = tuple(dict.fromkeys(flat))
    if isinstance(node, ast.Or):
        return distinct
    merged: list[Node] = []
    for item in distinct:
        one = _merged(merged[-1], item) if merged else None
        if one is None:
            merged.append(item)
        else:
            merged[-1] = one
    return tuple(merged)


def _merged(first: Node, second: Node) -> Node | None:
    """One node for two neighbours of an ``and``, or None."""
    if _is_pair(ast.And((first, second))):
        return ast.And((first, second))
    if isinstance(first, ast.Compare) and isinstance(second, ast.Compare):
        low, high = constant_side_right(first), constant_side_right(second)
        same = low.left == high.left and low.right == high.right and isinstance(low.right, ast.Int)
        if same and {low.op, high.op} == {">=", "<="}:
            return ast.Compare("==", low.left, low.right)
    return None


def broadcasts_to(node: Node) -> tuple[Node, Node] | None:
    """For ``broadcast(a, b) == a``, with or without ``broadcastable(a, b)`` before it: b and a."""
    match node:
        case ast.And(items=(ast.Call(func="broadcastable", args=args), ast.Compare() as compare)):
            found = broadcasts_to(compare)
            return found if found is not None and set(found) == set(args) else None
        case ast.Compare(op="==", left=left, right=right):
            for call, target in ((left, right), (right, left)):
                match call:
                    case ast.Call(func="broadcast", args=(one, other)) if target in (one, other):
                        return (other, target) if target == one else (one, target)
    return None


def _is_pair(node: Node) -> bool:
    """Whether an ``and`` is one thing: `broadcasts_to` knows it."""
    return isinstance(node, ast.And) and broadcasts_to(node) is not None


def possible_subsets(items: Sequence[Node], truth: bool) -> list[list[Node]]:
    """The non-empty subsets of items that can have this truth while the others have not."""
    subsets = [list(chosen) for count in range(1, len(items) + 1) for chosen in combinations(items, count)]
    tests = [_test(item) for item in items]
    known = [test for test in tests if test is not None]
    if len(known) < len(items):
        return subsets
    seen = {tuple(_holds(test, value) is truth for test in known) for value in _samples(known)}
    return [subset for subset in subsets if tuple(item in subset for item in items) in seen]


def _test(item: Node) -> tuple[str, Any] | None:
    """The operator and the constant that an item compares its subject with."""
    if not isinstance(item, Compare):
        return None
    node = constant_side_right(item)
    constant = _constant(node.right)
    return None if constant is None else (node.op, constant)


def _constant(node: Node) -> Any:
    match node:
        case Int(value=value) | Float(value=value) | Str(value=value):
            return value
        case Symbol(name=name):
            return name
        case ListOf(items=items) if None not in (values := tuple(map(_constant, items))):
            return values
        case _:
            return None


def _samples(tests: Sequence[tuple[str, Any]]) -> list[Any]:
    """Values of the subject, one for each outcome of the tests together."""
    constants = [item for _, one in tests for item in (one if isinstance(one, tuple) else (one,))]
    constants += [one for _, one in tests]
    numbers = [one for one in constants if isinstance(one, int | float)]
    return [*constants, *(one + step for one in numbers for step in (-0.5, 0.5)), object()]


def _holds(test: tuple[str, Any], value: Any) -> bool | None:
    try:
        return COMPARISONS[test[0]](value, test[1])
    except TypeError:
        return None
