"""Whether facts show that a predicate holds, provided that it has a value at all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from aclspec.codegen.emit.dtypesets import promotable
from aclspec.codegen.emit.guards import IS_THERE, PROMOTABLE, not_null, strict
from aclspec.codegen.emit.integers import negated, of_integers
from aclspec.codegen.emit.scope import rebuild
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    Each,
    IfElse,
    Index,
    Int,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
)
from aclspec.runtime.predicate.walk import children

if TYPE_CHECKING:
    from aclspec.codegen.emit.facts import Facts

_SPLITS = 4
"""How many choices inside one comparison are looked at arm by arm."""


def proves(node: Node, facts: Facts, splits: int = _SPLITS) -> bool:
    """Whether a predicate, with lets expanded, is true wherever it is defined."""
    match node:
        case Bool(value=value):
            return value
        case _ if node in facts.true:
            return True
        case And(items=items):
            return all(proves(item, facts, splits) for item in items)
        case Or(items=items):
            return any(proves(item, facts, splits) for item in items)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _by_cases(cond, then, orelse, facts, splits)
        case Compare() if of_integers(node, facts.scope):
            return _compares(node, facts, splits)
        case Call(func=func, args=(left, right)) if func == PROMOTABLE:
            return promotable(left, right, facts)
        case Call(func=func, args=(element,)) if func == IS_THERE:
            return not_null(element) in _instances(node, facts)
        case Not(operand=operand):
            return _refutes(operand, facts, splits)
        case _:
            return False


def certain(node: Node, facts: Facts) -> bool:
    """Whether a predicate, with lets expanded, is known to be defined and true."""
    match node:
        case _ if node in facts.true:
            return True
        case And(items=items) | Not(operand=Or(items=items)):
            negative = isinstance(node, Not)
            return all(certain(Not(item) if negative else item, facts) for item in items)
        case Or(items=items) | Not(operand=And(items=items)):
            negative = isinstance(node, Not)
            return any(certain(Not(item) if negative else item, facts) for item in items)
        case _:
            asked = strict(node, facts.scope)
            if asked is None:
                return isinstance(node, Bool) and node.value
            return all(proves(facts.scope.expand(guard), facts, 0) for guard in (*asked, node))


def _refutes(node: Node, facts: Facts, splits: int) -> bool:
    match node:
        case Bool(value=value):
            return not value
        case Not(operand=operand):
            return proves(operand, facts, splits)
        case And(items=items):
            return any(proves(Not(item), facts, splits) for item in items)
        case Or(items=items):
            return all(proves(Not(item), facts, splits) for item in items)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _by_cases(cond, Not(then), Not(orelse), facts, splits)
        case Compare() if of_integers(node, facts.scope):
            return proves(negated(node), facts, splits)
        case _:
            return False


def _by_cases(cond: Node, then: Node, orelse: Node, facts: Facts, splits: int) -> bool:
    if proves(cond, facts, 0):
        return proves(then, facts, splits)
    if proves(Not(cond), facts, 0):
        return proves(orelse, facts, splits)
    if splits == 0:
        return False
    yes, no = facts.supposing(cond, True), facts.supposing(cond, False)
    return proves(then, yes, splits - 1) and proves(orelse, no, splits - 1)


def _compares(node: Compare, facts: Facts, splits: int) -> bool:
    if facts.bounds.decide(node):
        return True
    choice = next(iter(_choices(node)), None)
    if choice is not None:
        then, orelse = (facts.scope.expand(_replaced(node, choice, arm)) for arm in (choice.then, choice.orelse))
        return _by_cases(choice.cond, then, orelse, facts, splits)
    special = list(_instances(node, facts))
    if not special:
        return False
    known = facts
    for instance in special:
        known = known.noting(instance)
    return node in known.true or known.bounds.decide(node)


@lru_cache(maxsize=1 << 14)
def _choices(node: Node) -> tuple[IfElse, ...]:
    """The choices in a term, those inside the condition of another one first."""
    if isinstance(node, Quantifier | Each):
        return ()
    below = tuple(choice for child in children(node) for choice in _choices(child))
    return (*below, node) if isinstance(node, IfElse) else below


def _replaced(node: Node, old: Node, new: Node) -> Node:
    return new if node == old else rebuild(node, lambda child: _replaced(child, old, new))


def _instances(node: Node, facts: Facts) -> Iterator[Node]:
    """What holds of every element of a list, said of the elements that a term speaks of."""
    every = facts.universal
    for element, values, index in _elements(node) if every else ():
        for fact in every:
            if fact.over == values:
                yield facts.scope.expand(said_of(fact, element))
            elif isinstance(fact.over, Call) and fact.over.func == "range":
                start, stop = fact.over.args
                inside = Compare(">=", index, start), Compare("<", index, stop)
                if all(map(facts.bounds.decide, inside)):
                    yield facts.scope.expand(said_of(fact, index))


def said_of(fact: Quantifier, element: Node) -> Node:
    """What is said of every element, said of this one."""
    return _replaced(fact.body, Name(fact.var), element)


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


@lru_cache(maxsize=1 << 14)
def _elements(node: Node) -> tuple[tuple[Node, Node, Node], ...]:
    """The elements of lists in a term: each with its list and its index."""
    if isinstance(node, Quantifier | Each):
        return ()
    below = tuple(element for child in children(node) for element in _elements(child))
    match node:
        case Index(base=base, index=index):
            return (*below, (node, base, index))
        case Call(func="dim", args=(tensor, axis)):
            return (*below, (node, Call("shape", (tensor,)), axis))
        case _:
            return below
