"""``all`` and ``any`` in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aclspec.codegen.wording.language import Quantity
from aclspec.codegen.wording.nouns import Bound
from aclspec.codegen.wording.patterns import constant_side_right
from aclspec.runtime.language.functions import ELEMENTS, PHRASES
from aclspec.runtime.language.nodes import (
    And,
    Call,
    Compare,
    ListOf,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
    names,
    substitute,
)

if TYPE_CHECKING:
    from aclspec.runtime.language.functions import PHRASES
from aclspec.codegen.wording.nouns import Nouns


def quantified(writer: Nouns, node: Quantifier, truth: bool) -> str:
    """The clause that ``all`` or ``any`` is true or false.

    In a call one element decides an ``all`` that fails and an ``any`` that holds: the clause is about that element.
    """
    decides = (node.kind == "any") == truth and node.over != ListOf(())
    if decides and writer.slots is not None and writer.knows(node.over):
        texts = [_about_element(writer, node, truth)]
        if writer.is_general:
            texts.append(_general(writer, node, "some", truth))
        if isinstance(node.over, ListOf):
            return texts[0]
        resolved = writer.resolved(node)
        assert isinstance(resolved, Quantifier)
        return writer.slots.element(resolved, texts)
    if node.kind == "all":
        return _general(writer, node, "every", True) if truth else _general(writer, node, "some", False)
    return _general(writer, node, "some", True) if truth else _general(writer, node, "no", True)


def _about_element(writer: Nouns, node: Quantifier, truth: bool) -> str:
    """The clause about the element that decides."""
    assert writer.slots is not None
    kind = ELEMENTS.get(writer.type_of(node.over), "")
    if isinstance(node.over, ListOf):
        return _about_item(writer, node, node.over.items, kind, truth)
    bound = Bound(_called(writer, node), kind, known=True)
    return replace(writer, bound={**writer.bound, node.var: bound}).clause(node.body, truth)


def _about_item(writer: Nouns, node: Quantifier, items: Sequence[Node], kind: str, truth: bool) -> str:
    """The clause about the first of the items of a written list that decides."""
    assert writer.slots is not None
    first, *rest = items
    bound = Bound(writer.bare(first), kind, known=True, node=writer.resolved(first))
    text = replace(writer, bound={**writer.bound, node.var: bound}).clause(node.body, truth)
    if not rest:
        return text
    body = substitute(writer.resolved(node.body), {node.var: bound.node or first})
    texts = text, _about_item(writer, node, rest, kind, truth)
    return writer.slots.choice(body if truth else Not(body), texts)


def _called(writer: Nouns, node: Quantifier) -> str:
    """What one element of a list is called: an integer of a range by itself, the rest by its place."""
    assert writer.slots is not None
    place = writer.slots.index(node.var)
    match node.over:
        case Call(func="range"):
            return writer.slots.value(Name(node.var))
        case Call(func="shape", args=(tensor,)):
            return writer.pick(PHRASES["dim"]).format(writer.bare(tensor), place)
        case _:
            return writer.element(writer.bare(node.over), place)


def _general(writer: Nouns, node: Quantifier, quantity: Quantity, truth: bool) -> str:
    """A clause about every, some or no element, without naming which."""
    collection = writer.noun(node.over)
    kind = ELEMENTS.get(writer.type_of(node.over), "")
    ranged = isinstance(node.over, Call) and node.over.func == "range"
    if not ranged and _is_simple(node.body, node.var) and not (quantity != "every" and isinstance(node.body, Not)):
        bound = Bound(_subject(writer, node.over, quantity, collection), kind)
        return replace(writer, is_general=True, bound={**writer.bound, node.var: bound}).clause(node.body, truth)
    inner = replace(writer, is_general=True, bound={**writer.bound, node.var: Bound(node.var, kind)})
    domain = writer.domain(node, quantity, collection)
    return writer.language.say(f"for_each {quantity}", domain, inner.clause(node.body, truth))


def _subject(writer: Nouns, over: Node, quantity: Quantity, collection: str) -> str:
    """Every, some or no element of a list, as a subject; those of a shape by what they are."""
    match over:
        case Call(func="shape", args=(tensor,)):
            return writer.language.say(f"size {quantity}", writer.bare(tensor))
        case _:
            return writer.language.say(f"quantified {quantity}", collection)


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
    equal = all(compare.left == left for compare in compares)
    return once and equal and names(left) == {var} and all(var not in names(compare.right) for compare in compares)
