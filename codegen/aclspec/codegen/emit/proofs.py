"""Whether facts show that a predicate holds, provided that it has a value at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aclspec.codegen.emit.dtypesets import promotable
from aclspec.codegen.emit.guards import IS_THERE, PROMOTABLE, not_null, strict
from aclspec.codegen.emit.integers import negated, of_integers
from aclspec.codegen.emit.terms import choices, denied, elements, replaced, said_of
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    IfElse,
    Node,
    Not,
    Or,
)

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
        case Compare():
            return of_integers(node, facts.scope) and _compares(node, facts, splits)
        case And(items=items):
            return all(proves(item, facts, splits) for item in items)
        case Or(items=items):
            return any(proves(item, facts, splits) for item in items)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _by_cases(cond, then, orelse, facts, splits)
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
            return all(certain(denied(item) if negative else item, facts) for item in items)
        case Or(items=items) | Not(operand=And(items=items)):
            negative = isinstance(node, Not)
            return any(certain(denied(item) if negative else item, facts) for item in items)
        case _:
            asked = strict(node, facts.scope)
            if asked is None:
                return isinstance(node, Bool) and node.value
            return all(proves(facts.scope.expand(guard), facts, 0) for guard in (*asked, node))


def _refutes(node: Node, facts: Facts, splits: int) -> bool:
    match node:
        case Compare():
            return of_integers(node, facts.scope) and proves(negated(node), facts, splits)
        case Bool(value=value):
            return not value
        case Not(operand=operand):
            return proves(operand, facts, splits)
        case And(items=items):
            return any(proves(denied(item), facts, splits) for item in items)
        case Or(items=items):
            return all(proves(denied(item), facts, splits) for item in items)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _by_cases(cond, denied(then), denied(orelse), facts, splits)
        case _:
            return False


def _by_cases(cond: Node, then: Node, orelse: Node, facts: Facts, splits: int) -> bool:
    if proves(cond, facts, 0):
        return proves(then, facts, splits)
    if proves(denied(cond), facts, 0):
        return proves(orelse, facts, splits)
    if splits == 0:
        return False
    yes, no = facts.supposing(cond, True), facts.supposing(cond, False)
    return proves(then, yes, splits - 1) and proves(orelse, no, splits - 1)


def _compares(node: Compare, facts: Facts, splits: int) -> bool:
    if facts.bounds.decide(node):
        return True
    choice = next(iter(choices(node)), None)
    if choice is not None:
        then, orelse = (facts.scope.expand(replaced(node, choice, arm)) for arm in (choice.then, choice.orelse))
        return _by_cases(choice.cond, then, orelse, facts, splits)
    special = tuple(_instances(node, facts))
    if not special:
        return False
    known = facts.noting_all(special)
    return node in known.true or known.bounds.decide(node)


def _instances(node: Node, facts: Facts) -> Iterator[Node]:
    """What holds of every element of a list, said of the elements that a term speaks of."""
    every = facts.universal
    for element, values, index in elements(node) if every else ():
        for fact in every:
            if fact.over == values:
                yield facts.scope.expand(said_of(fact, element))
            elif isinstance(fact.over, Call) and fact.over.func == "range":
                start, stop = fact.over.args
                inside = Compare(">=", index, start), Compare("<", index, stop)
                if all(map(facts.bounds.decide, inside)):
                    yield facts.scope.expand(said_of(fact, index))
