"""Parts of a predicate: its conjuncts, and what it names. They depend on the tree alone, not on facts."""

from __future__ import annotations

from functools import lru_cache

from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    Node,
    Or,
    Quantifier,
    children,
    names,
)


@lru_cache(maxsize=1 << 14)
def elements(node: Node) -> tuple[tuple[Node, Node], ...]:
    """The elements of lists that a tree names, each with its list; none that a loop in it binds."""
    if isinstance(node, Quantifier | Each):
        return ()
    found = [one for child in children(node) for one in elements(child)]
    match node:
        case Index(base=base):
            found.append((node, base))
        case Call(func="dim", args=(tensor, _)):
            found.append((node, Call("shape", (tensor,))))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1 << 14)
def is_unconditional(node: Node) -> bool:
    """Whether a tree has no condition and no loop in it."""
    return not isinstance(node, IfElse | Quantifier | Each) and all(map(is_unconditional, children(node)))


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
def by_arms(node: Compare) -> Node | None:
    """A comparison of a conditional term as a condition of comparisons, of the larger of two as two comparisons."""
    left, op, right = node.left, node.op, node.right
    if isinstance(one := _hoisted(left), IfElse):
        return IfElse(one.cond, Compare(op, one.then, right), Compare(op, one.orelse, right))
    if isinstance(other := _hoisted(right), IfElse):
        return IfElse(other.cond, Compare(op, left, other.then), Compare(op, left, other.orelse))
    match left:
        case Call(func="max" | "min" as func, args=(first, second)) if op in ("<", "<=", ">", ">="):
            parts = Compare(op, first, right), Compare(op, second, right)
            return Or(parts) if (func == "max") == (op in (">", ">=")) else And(parts)
    return None


def _hoisted(node: Node) -> Node:
    """A sum or a product with a conditional term in it, or the length of a conditional list, as a conditional term."""
    match node:
        case Call(func="len", args=(IfElse(cond=cond, then=then, orelse=orelse),)):
            return IfElse(cond, Call("len", (then,)), Call("len", (orelse,)))
        case Arith(op="+" | "-" | "*" as op, left=left, right=right):
            match _hoisted(left), _hoisted(right):
                case IfElse(cond=cond, then=then, orelse=orelse), _:
                    return IfElse(cond, Arith(op, then, right), Arith(op, orelse, right))
                case _, IfElse(cond=cond, then=then, orelse=orelse):
                    return IfElse(cond, Arith(op, left, then), Arith(op, left, orelse))
    return node
