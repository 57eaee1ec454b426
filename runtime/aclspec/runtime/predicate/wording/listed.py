"""Lists made of each element of another, and what their variable runs over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from aclspec.runtime.predicate.nodes import Call, Each, Int, Name, Node, Quantifier
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.predicate.wording.language import Quantity

if TYPE_CHECKING:
    from aclspec.runtime.predicate.wording.nouns import Nouns


def every_noun(writer: Nouns, node: Each) -> str:
    """A list as a noun: "[the rank of every element of tensors]"."""
    collection = writer.bare(node.over)
    match node.over, node.body:
        case Name(), Call(args=(Name(id=name), *rest)) if name == node.var and not _mention(rest, node.var):
            called = writer.language.quantified("every", collection)
            return f"[{_general(writer, node.var, called).bare(node.body)}]"
    body = _general(writer, node.var, node.var).bare(node.body)
    return writer.language.of_each(body, domain(writer, node, "every", collection))


def _general(writer: Nouns, var: str, called: str) -> Nouns:
    """A writer that speaks of no element in particular."""
    return replace(writer, env=None, variables={**writer.variables, var: called})


def _mention(nodes: Iterable[Node], var: str) -> bool:
    return any(var in names(node) for node in nodes)


def domain(writer: Nouns, node: Quantifier | Each, quantity: Quantity, collection: str) -> str:
    """What the variable runs over."""
    match node.over:
        case Call(func="range", args=(Int(value=0), Call(func="len", args=(base,)))):
            return writer.language.index_domain(quantity, node.var, writer.noun(base))
        case Call(func="range", args=(start, stop)):
            return writer.language.range_domain(quantity, node.var, writer.noun(start), writer.noun(stop))
        case _:
            return writer.language.element_domain(quantity, node.var, collection)
