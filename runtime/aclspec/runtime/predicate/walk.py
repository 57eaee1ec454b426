"""The parts of a tree, and the names in it."""

from __future__ import annotations

from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Call,
    Compare,
    Each,
    IfElse,
    Index,
    InRows,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
)


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-trees of a node, left to right."""
    match node:
        case ListOf(items=items) | And(items=items) | Or(items=items):
            return items
        case Call(args=args):
            return args
        case Not(operand=operand) | Negate(operand=operand):
            return (operand,)
        case Arith(left=left, right=right) | Compare(left=left, right=right):
            return (left, right)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return (cond, then, orelse)
        case Index(base=base, index=index):
            return (base, index)
        case Quantifier(over=over, body=body) | Each(over=over, body=body):
            return (over, body)
        case _:
            return ()


def names(node: Node) -> frozenset[str]:
    """Every free name in the tree: parameters and lets, not variables bound by ``for``."""
    try:
        return node._names  # type: ignore[union-attr, no-any-return]
    except AttributeError:
        found = _free_names(node)
        object.__setattr__(node, "_names", found)
        return found


def _free_names(node: Node) -> frozenset[str]:
    match node:
        case Name(id=name):
            return frozenset({name})
        case InRows(params=params):
            return frozenset(params)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            return names(over) | (names(body) - {var})
        case _:
            return frozenset().union(*(names(child) for child in children(node)))
