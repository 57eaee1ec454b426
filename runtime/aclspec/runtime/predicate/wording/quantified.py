"""``all`` and ``any`` in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aclspec.runtime.predicate.evaluation import evaluate_node
from aclspec.runtime.predicate.nodes import And, Call, Compare, Int, ListOf, Name, Node, Not, Or, Quantifier
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.predicate.wording.language import Quantity
from aclspec.runtime.predicate.wording.listed import domain
from aclspec.runtime.predicate.wording.patterns import constant_side_right
from aclspec.runtime.predicate.wording.values import value_text

if TYPE_CHECKING:
    from aclspec.runtime.predicate.wording.nouns import Nouns


def quantified(writer: Nouns, node: Quantifier, truth: bool) -> str:
    """The clause that ``all`` or ``any`` is true or false.

    In a call one element decides an ``all`` that fails and an ``any`` that holds: the clause is about that element.
    """
    decided_by_one = (node.kind == "any") == truth
    elements = writer.value(node.over)
    if decided_by_one and elements is not UNDEFINED:
        for place, element in enumerate(elements):
            assert writer.env is not None
            env = writer.env.bind(node.var, element)
            if evaluate_node(node.body, env) is truth:
                called = {**writer.variables, node.var: _called(writer, node.over, place, element)}
                return replace(writer, env=env, variables=called).clause(node.body, truth)
    if node.kind == "all":
        return _general(writer, node, "every", True) if truth else _general(writer, node, "some", False)
    return _general(writer, node, "some", True) if truth else _general(writer, node, "no", True)


def _called(writer: Nouns, over: Node, place: int, element: object) -> str:
    """What one element of a list is called: an integer of a range by itself, the rest by its place."""
    match over:
        case Call(func="range"):
            return value_text(element)
        case ListOf(items=items):
            return writer.bare(items[place])
        case Call(func="shape", args=(tensor,)):
            return writer.bare(Call("dim", (tensor, Int(place))))
        case _:
            return writer.element(writer.bare(over), str(place))


def _general(writer: Nouns, node: Quantifier, quantity: Quantity, truth: bool) -> str:
    """A clause about every, some or no element, without naming which."""
    collection = writer.noun(node.over)
    ranged = isinstance(node.over, Call) and node.over.func == "range"
    if not ranged and _is_simple(node.body, node.var) and not (quantity != "every" and isinstance(node.body, Not)):
        called = _subject(writer, node.over, quantity, collection)
        return replace(writer, variables={**writer.variables, node.var: called}).clause(node.body, truth)
    inner = replace(writer, variables={**writer.variables, node.var: node.var})
    return writer.language.for_each(
        quantity, domain(writer, node, quantity, collection), inner.clause(node.body, truth)
    )


def _subject(writer: Nouns, over: Node, quantity: Quantity, collection: str) -> str:
    """Every, some or no element of a list, as a subject; those of a shape by what they are."""
    match over:
        case Call(func="shape", args=(tensor,)):
            return writer.language.size(quantity, writer.bare(tensor))
        case _:
            return writer.language.quantified(quantity, collection)


def _is_simple(body: Node, var: str) -> bool:
    """Whether the clause of the body names the variable once, as its subject."""
    match body:
        case Not(operand=operand):
            return isinstance(operand, Call) and _is_simple(operand, var)
        case Name(id=name):
            return name == var
        case Call(args=(Name(id=name),)):
            return name == var
        case Compare():
            return _about([body], var)
        case And(items=items) | Or(items=items):
            return all(isinstance(item, Compare) for item in items) and _about(items, var)
        case _:
            return False


def _about(items: Sequence[Node], var: str) -> bool:
    """Whether all the comparisons are about one left side, which names the variable once, and no right side does."""
    compares = [constant_side_right(item) for item in items if isinstance(item, Compare)]
    left = compares[0].left
    once = isinstance(left, Name) or (isinstance(left, Call) and left.args == (Name(var),))
    same = all(compare.left == left for compare in compares)
    return once and same and names(left) == {var} and all(var not in names(compare.right) for compare in compares)
