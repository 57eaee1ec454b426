"""Shapes of predicates that have a shorter wording than their parts."""

from __future__ import annotations

from aclspec.runtime.predicate.nodes import And, Call, Compare, Int, Node, Or
from aclspec.runtime.predicate.relations import FLIPPED
from aclspec.runtime.predicate.wording.kinds import is_literal


def constant_side_right(node: Compare) -> Compare:
    """The comparison, turned round if its left side alone is a constant: ``2 <= rank(x)`` is ``rank(x) >= 2``."""
    if node.op in FLIPPED and is_literal(node.left) and not is_literal(node.right):
        return Compare(FLIPPED[node.op], node.right, node.left)
    return node


def exclude(one: Node, other: Node) -> bool:
    """Whether two conditions cannot both hold: the same term equals two different constants."""
    if not isinstance(one, Compare) or not isinstance(other, Compare) or not one.op == other.op == "==":
        return False
    constants = is_literal(one.right) and is_literal(other.right) and one.right != other.right
    return constants and one.left == other.left


def simplified(node: And | Or) -> tuple[Node, ...]:
    """The items, those of nested ones of the same kind included, with pairs that mean one thing made one."""
    flat: list[Node] = []
    for item in node.items:
        flat.extend(simplified(item) if isinstance(item, type(node)) and not _is_pair(item) else (item,))
    distinct = tuple(dict.fromkeys(flat))
    if isinstance(node, Or):
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
    if _is_pair(And((first, second))):
        return And((first, second))
    if isinstance(first, Compare) and isinstance(second, Compare):
        low, high = constant_side_right(first), constant_side_right(second)
        same = low.left == high.left and low.right == high.right and isinstance(low.right, Int)
        if same and {low.op, high.op} == {">=", "<="}:
            return Compare("==", low.left, low.right)
    return None


def broadcasts_to(node: Node) -> tuple[Node, Node] | None:
    """For ``broadcast(a, b) == a``, with or without ``broadcastable(a, b)`` before it: b and a."""
    match node:
        case And(items=(Call(func="broadcastable", args=args), Compare() as compare)):
            found = broadcasts_to(compare)
            return found if found is not None and set(found) == set(args) else None
        case Compare(op="==", left=Call(func="broadcast", args=(one, other)), right=target) if target in (one, other):
            return (other, target) if target == one else (one, target)
        case Compare(op="==", left=target, right=Call(func="broadcast") as call) if not isinstance(target, Call) or (
            target.func != "broadcast"
        ):
            return broadcasts_to(Compare("==", call, target))
        case _:
            return None


def _is_pair(node: Node) -> bool:
    """Whether an ``and`` is one thing: `broadcasts_to` knows it."""
    return isinstance(node, And) and broadcasts_to(node) is not None
