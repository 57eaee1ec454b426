"""Trees with other parts in the place of theirs."""

from __future__ import annotations

from collections.abc import Callable

from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Call,
    Compare,
    Each,
    IfElse,
    Index,
    ListOf,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.walk import children


def rebuild(node: Node, function: Callable[[Node], Node]) -> Node:
    """The same node with the function of each of its children in their place."""
    before = children(node)
    if not before:
        return node
    after = tuple(map(function, before))
    if all(new is old for new, old in zip(after, before, strict=True)):
        return node
    return _made(node, after)


def _made(node: Node, parts: tuple[Node, ...]) -> Node:
    """A node of the same kind, at the same place, with these children."""
    match node:
        case ListOf() | And() | Or():
            return type(node)(parts, node.at)
        case Call(func=func):
            return Call(func, parts, node.at)
        case Not() | Negate():
            return type(node)(parts[0], node.at)
        case Arith(op=op) | Compare(op=op):
            return type(node)(op, parts[0], parts[1], node.at)
        case IfElse():
            return IfElse(parts[0], parts[1], parts[2], node.at)
        case Index():
            return Index(parts[0], parts[1], node.at)
        case Quantifier(kind=kind, var=var):
            return Quantifier(kind, var, parts[0], parts[1], node.at)
        case Each(var=var):
            return Each(var, parts[0], parts[1], node.at)
        case _:
            raise TypeError(f"not a node with children: {node!r}")
