"""Lowered predicates: trees of the predicate language that mean two-valued Python, with constants folded.

A lowered tree has no undefined parts: what has to hold before a part is looked at stands before it. Three kinds of
leaf say what the language has no word for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile

from aclspec.runtime.language.nodes import And, Bool, Call, Compare, IfElse, Int, Name, Node, Not, Or, Quantifier

TRUE, FALSE = Bool(True), Bool(False)
_OPPOSITES = {"in": "not in", "not in": "in", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}


@dataclass(frozen=True)
class Python(Name):
    """Python text that binds like a name."""


@dataclass(frozen=True)
class Lookup(Python):
    """The row of a table, which exists at these places only; a local of it may have this name."""

    hint: str = field(default="", compare=False)
    where: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)


NONE = Python("None")
IS_THERE = "is_there"
"""A function of guards alone: whether an element of a list of tensors is not null, or none of the whole list is."""


def let(name: str, value: Node) -> Node:
    """A let by its name, and its value for a place where no local holds it."""
    return Call("let", (Name(name), value))


def conj(*items: Node) -> Node:
    """``a and b``, with the constants folded and inner chains joined to it; of ``n > 0`` and ``n > 2`` the stronger."""
    found = _joined(And, items, TRUE, FALSE)
    return _joined(And, _strongest(found.items), TRUE, FALSE) if isinstance(found, And) else found


def _strongest(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """The items of a chain, every lower bound of a number as the largest one."""
    bounds: dict[Node, int] = {}
    for item in items:
        match item:
            case Compare(op=">", left=left, right=Int(value=bound)):
                bounds[left] = max(bound, bounds.get(left, bound))
    return tuple(
        Compare(">", item.left, Int(bounds[item.left]))
        if isinstance(item, Compare) and item.op == ">" and isinstance(item.right, Int)
        else item
        for item in items
    )


def disj(*items: Node) -> Node:
    """``a or b``, with the constants folded and inner chains joined to it.

    ``a and b or a and c`` is ``a and (b or c)``, ``a or not a and b`` is ``a or b``, ``a or not a`` is true, and
    ``n == 1 or n != 2`` is ``n != 2``.
    """
    found = _joined(Or, items, FALSE, TRUE)
    if not isinstance(found, Or):
        return found
    first, *others = (_parts(item) for item in found.items)
    common = tuple(takewhile(lambda part: all(part in other for other in others), first))
    if common:
        rest = (conj(*(part for part in parts if part not in common)) for parts in (first, *others))
        return conj(*common, disj(*rest))
    left: list[Node] = []
    for item in (one for one in found.items if not any(_follows(one, other) for other in found.items)):
        left.append(conj(*(part for part in _parts(item) if negation(part) not in left)))
    if left != list(found.items):
        return disj(*left)
    return TRUE if any(all(negation(part) in left for part in _parts(item)) for item in left) else found


def _follows(one: Node, other: Node) -> bool:
    """Whether a number that is one constant is therefore not another one."""
    match one, other:
        case Compare(op="==", left=left, right=Int(value=value)), Compare(op="!=", left=same, right=Int(value=another)):
            return left == same and value != another
    return False


def _parts(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, And) else (node,)


def _joined(kind: type[And | Or], items: tuple[Node, ...], neutral: Node, absorbing: Node) -> Node:
    parts: dict[Node, None] = {}
    for item in items:
        parts.update(dict.fromkeys(item.items if isinstance(item, kind) else (item,)))
    if absorbing in parts:
        return absorbing
    parts.pop(neutral, None)
    return kind(tuple(parts)) if len(parts) > 1 else next(iter(parts), neutral)


def negation(node: Node) -> Node:
    """``not a`` as a person would write it: ``not in``, ``!=``, ``is None``."""
    match node:
        case Bool(value=value):
            return Bool(not value)
        case Compare(op=op, left=left, right=right) if op in _OPPOSITES:
            return Compare(_OPPOSITES[op], left, right)
        case Quantifier(kind="all", var=var, over=over, body=body):
            return Quantifier("any", var, over, negation(body))
        case Not(operand=operand):
            return operand
        case _:
            return Not(node)


def choice(cond: Node, negated: Node, then: Node, orelse: Node) -> Node:
    """A condition chosen by another, or where an arm is constant what it comes to."""
    if TRUE in (cond, negated):
        return then if cond == TRUE else orelse
    if then == orelse:
        return then
    if FALSE in (then, orelse):
        return conj(negated, orelse) if then == FALSE else conj(cond, then)
    if TRUE in (then, orelse):
        return disj(cond, orelse) if then == TRUE else disj(negated, then)
    return IfElse(cond, then, orelse)
