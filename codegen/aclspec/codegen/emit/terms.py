"""The parts of a term that a proof looks at: the choices in it, and the elements of lists that it speaks of."""

from __future__ import annotations

from functools import lru_cache

from aclspec.codegen.predicate.rebuild import rebuild
from aclspec.runtime.predicate.nodes import Call, Compare, Each, IfElse, Index, Int, Name, Node, Not, Quantifier
from aclspec.runtime.predicate.walk import children


@lru_cache(maxsize=1 << 14)
def choices(node: Node) -> tuple[IfElse, ...]:
    """The choices in a term, those inside the condition of another one first."""
    if isinstance(node, Quantifier | Each):
        return ()
    below = tuple(choice for child in children(node) for choice in choices(child))
    return (*below, node) if isinstance(node, IfElse) else below


@lru_cache(maxsize=1 << 14)
def elements(node: Node) -> tuple[tuple[Node, Node, Node], ...]:
    """The elements of lists in a term: each with its list and its index."""
    if isinstance(node, Quantifier | Each):
        return ()
    below = tuple(element for child in children(node) for element in elements(child))
    match node:
        case Index(base=base, index=index):
            return (*below, (node, base, index))
        case Call(func="dim", args=(tensor, axis)):
            return (*below, (node, Call("shape", (tensor,)), axis))
        case _:
            return below


@lru_cache(maxsize=1 << 14)
def denied(node: Node) -> Not:
    """The tree that holds where this one fails: one and the same each time, whose hash is known then."""
    return Not(node)


def replaced(node: Node, old: Node, new: Node) -> Node:
    """A tree with another part in the place of one of its parts."""
    return new if node == old else rebuild(node, lambda child: replaced(child, old, new))


@lru_cache(maxsize=1 << 12)
def said_of(fact: Quantifier, element: Node) -> Node:
    """What is said of every element, said of this one."""
    return replaced(fact.body, Name(fact.var), element)


def universal(fact: Node) -> Quantifier | None:
    """What a fact says of every element of a list, if it says anything of them."""
    match fact:
        case Quantifier(kind="all"):
            return fact
        case Not(operand=Quantifier(kind="any", var=var, over=over, body=body)):
            return Quantifier("all", var, over, Not(body))
        case Not(operand=Call(func="is_empty", args=(tensor,))):
            return Quantifier("all", "size", Call("shape", (tensor,)), Compare("!=", Name("size"), Int(0)))
        case _:
            return None
