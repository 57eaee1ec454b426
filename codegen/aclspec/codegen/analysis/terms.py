"""Parts of a predicate: conditional terms, elements of lists, names. They depend on the tree alone, not on facts."""

from __future__ import annotations

from functools import lru_cache

from aclspec.codegen.analysis.intervals import linear
from aclspec.runtime.language.nodes import (
    And,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    Int,
    Node,
    Quantifier,
    children,
    names,
    rebuild,
)


@lru_cache(maxsize=1 << 14)
def is_unconditional(node: Node) -> bool:
    """Whether a tree has no condition and no loop in it, so that it is decided in no time."""
    return not isinstance(node, IfElse | Quantifier | Each) and all(map(is_unconditional, children(node)))


@lru_cache(maxsize=1 << 14)
def elements(node: Node) -> tuple[Index, ...]:
    """The elements of lists that a tree names, none that a loop in it binds."""
    found = (
        () if isinstance(node, Quantifier | Each) else tuple(one for child in children(node) for one in elements(child))
    )
    return tuple(dict.fromkeys((*found, node) if isinstance(node, Index) else found))


@lru_cache(maxsize=1 << 14)
def mentioned(node: Node) -> tuple[bool, frozenset[str]]:
    """Whether a float literal stands in a tree, and every name in it, those of variables included; lengths are ints."""
    if isinstance(node, Call) and node.func == "len":
        return False, frozenset()
    parts = [mentioned(child) for child in children(node)]
    literal = isinstance(node, Float) or (isinstance(node, Call) and node.func == "value")
    literal = literal or any(one for one, _ in parts)
    return literal, frozenset().union(*(found for _, found in parts)) if parts else names(node)


@lru_cache(maxsize=1 << 12)
def conjuncts(node: Node) -> tuple[Node, ...]:
    """The parts that all hold when the whole does."""
    if isinstance(node, And):
        return (node, *(part for item in node.items for part in conjuncts(item)))
    return (node,)


@lru_cache(maxsize=1 << 12)
def conditionals(node: Node) -> tuple[IfElse | Call, ...]:
    """The conditional terms in a term, inner ones first; the larger or the smaller of two numbers is one."""
    if isinstance(node, Quantifier | Each):
        return ()
    found = tuple(inner for child in children(node) for inner in conditionals(child))
    match node:
        case IfElse() | Call(func="max" | "min", args=(_, _)):
            return (*found, node)
    return found


@lru_cache(maxsize=1 << 12)
def choices(node: Compare) -> tuple[IfElse | Call, ...]:
    """The conditional terms that stand in a comparison itself; a sum may name a term that no side does."""
    return tuple(
        term
        for side in (node.left, node.right)
        for part in linear(side).terms
        for term in conditionals(part)
        if replaced(side, term, Int(0)) != side
    )


def arms(node: IfElse | Call) -> tuple[Node, Node, Node]:
    """The condition of a conditional term, and its value where that is true and where it is false."""
    if isinstance(node, IfElse):
        return node.cond, node.then, node.orelse
    one, other = node.args
    return Compare(">=" if node.func == "max" else "<=", one, other), one, other


@lru_cache(maxsize=1 << 14)
def replaced(node: Node, old: Node, new: Node) -> Node:
    """A tree with another part in the place of one; the length of a conditional list is a part too."""
    match node, old:
        case Call(func="len", args=(IfElse(cond=cond, then=then, orelse=orelse),)), IfElse():
            node = IfElse(cond, Call("len", (then,)), Call("len", (orelse,)))
    return new if node == old else rebuild(node, lambda child: replaced(child, old, new))
