"""What is wanted of a predicate, and the expressions inside it that something may be wanted of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

from aclspec.codegen.predicate.rebuild import rebuild
from aclspec.runtime.predicate.nodes import Arith, Call, Compare, Each, Index, Int, Name, Node, Quantifier
from aclspec.runtime.predicate.relations import NEGATED
from aclspec.runtime.predicate.walk import children

Want: TypeAlias = Literal["true", "false", "not true", "not false"]


class Wish(NamedTuple):
    """A predicate and what its value should be; undefined is neither true nor false."""

    node: Node
    want: Want

    def granted(self, value: Any) -> bool:
        """Whether a value is the wanted one."""
        if self.want == "true":
            return value is True
        if self.want == "false":
            return value is False
        return value is not (self.want == "not true")


Way: TypeAlias = tuple[Wish, ...]


def opposite(op: str) -> str:
    """The comparison that holds exactly when this one does not."""
    return NEGATED[op]


def substitute(node: Node, var: str, value: Node) -> Node:
    """The tree with a variable of ``for`` replaced."""
    if isinstance(node, Name):
        return value if node.id == var else node
    if isinstance(node, Quantifier | Each) and node.var == var:
        return replace(node, over=substitute(node.over, var, value))
    return rebuild(node, lambda part: substitute(part, var, value))


def body_at(node: Quantifier | Each, place: int) -> Node:
    """What is said of one element."""
    return substitute(node.body, node.var, Index(node.over, Int(place)))


def inside(node: Node, lets: Mapping[str, Node]) -> Iterator[Node]:
    """Every expression of a tree, itself included, seen through lets; what is said of all elements, for the first."""
    yield node
    match node:
        case Name(id=name) if name in lets:
            yield from inside(lets[name], lets)
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            yield from inside(over, lets)
            yield from inside(substitute(body, var, Index(over, Int(0))), lets)
        case _:
            for child in children(node):
                yield from inside(child, lets)


def edges(node: Node, lets: Mapping[str, Node]) -> list[Wish]:
    """Where a small mistake in an expression shows.

    An axis or an index is just outside or just inside, an element is not like the first one, a divisor is 0, what is
    divided by a constant is just below, on and just above it.
    """
    found: list[Node] = []
    for part in inside(node, lets):
        match part:
            case Arith(op="//" | "%", left=left, right=Int(value=size)) if size > 1:
                found += _beside(left, size)
            case Call(func="ceil_div", args=(left, Int(value=size))) if size > 1:
                found += _beside(left, size)
            case Call(func="dim", args=(tensor, at)):
                found += _around(Call("rank", (tensor,)), at)
            case Index(base=base, index=at) if not is_counter(part):
                found += _around(Call("len", (base,)), at)
                found += [Compare("!=", part, Index(base, Int(0)))] if at != Int(0) else []
            case Arith(op="//" | "%", right=right) | Call(func="ceil_div", args=(_, right)):
                found.append(Compare("==", right, Int(0)))
            case Call(func="pool_out" | "conv_out", args=(_, _, stride, *_)):
                found.append(Compare("==", stride, Int(0)))
            case _:
                continue
    return [Wish(one, "true") for one in dict.fromkeys(found)]


def _around(size: Node, at: Node) -> list[Node]:
    return [Compare("==", size, at), Compare("==", size, Arith("+", at, Int(1)))]


def _beside(divided: Node, size: int) -> list[Node]:
    return [Compare("==", divided, Int(size + step)) for step in (-1, 0, 1)]


def is_counter(node: Node) -> bool:
    """Whether an expression is an element of a range, which has no size to choose."""
    return isinstance(node, Index) and isinstance(node.base, Call) and node.base.func == "range"
