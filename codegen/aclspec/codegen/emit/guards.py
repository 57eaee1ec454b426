"""What must hold before a node has a value.

A guard is itself a predicate, so that one can ask whether it is already known, and print it where it is not. The
guards of a node come in an order in which each is defined once those before it hold. What is not strict (``and``,
``or``, ``if else``, ``all``, ``any``, a dtype row) is a `Partial`, which the lowering works out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclspec.codegen.emit.lowered import IS_BOUNDED, IS_INT64, IS_THERE
from aclspec.codegen.emit.magnitude import is_int64, is_wide
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.language.functions import DOMAINS, MAX_RANGE, WINDOWS
from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Call,
    Compare,
    Each,
    IfElse,
    Index,
    InRows,
    Int,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
    children,
    substitute,
)
from aclspec.runtime.language.parser import parse_compiled

ZERO = Int(0)


@dataclass(frozen=True, slots=True)
class Partial:
    """A node that may have a value although one of its parts has none."""

    node: Node


def not_null(node: Node) -> Node:
    """The guard that a pointer is there."""
    return Not(Call("is_null", (node,)))


def guards(node: Node, scope: Scope) -> tuple[Node | Partial, ...]:
    """The guards of a node, its parts' first."""
    found = scope.guarded.get(node)
    if found is None:
        found = scope.guarded[node] = tuple(_guards(node, scope))
    return found


def shared(node: IfElse, scope: Scope) -> tuple[Node, ...]:
    """The guards that both arms of a conditional have: it has no value where one of them fails."""
    orelse = frozenset(_in_every_arm(node.orelse, scope))
    return tuple(dict.fromkeys(guard for guard in _in_every_arm(node.then, scope) if guard in orelse))


def _in_every_arm(node: Node, scope: Scope) -> Iterator[Node]:
    """The guards of a node, and those that the arms of its conditionals share."""
    for guard in guards(node, scope):
        if not isinstance(guard, Partial):
            yield guard
        elif isinstance(guard.node, IfElse):
            yield from shared(guard.node, scope)


def _guards(node: Node, scope: Scope) -> Iterator[Node | Partial]:
    match node:
        case And() | Or() | IfElse() | Quantifier() | Each() | InRows():
            yield Partial(node)
        case Name(id=name):
            value = None if name in scope.variables else scope.lets.get(name)
            if value is not None:
                yield from guards(value, scope)
            elif scope.may_be_null(name):
                yield not_null(node)
        case Call(func="is_null", args=(Name(id=name),)) if name not in scope.lets:
            return
        case Call(func="is_there", args=(Index(base=base, index=index),)):
            yield from guards(base, scope)
            yield from guards(index, scope)
        case Call(func="is_bounded", args=(number,)):
            yield from _before(number, scope)
        case _:
            yield from _before(node, scope)
            if is_wide(node, scope):
                yield Call(IS_BOUNDED, (node,))


def _before(node: Node, scope: Scope) -> Iterator[Node | Partial]:
    """The guards of the parts of a strict node, and the conditions on their values."""
    for child in children(node):
        yield from guards(child, scope)
    yield from _own(node, scope)


def _own(node: Node, scope: Scope) -> Iterator[Node]:
    """The conditions of a node on the values of its parts."""
    match node:
        case Arith(op="//" | "%", right=right):
            yield Compare("!=", right, ZERO)
        case Index(base=base, index=index):
            yield from _inside(index, Call("len", (base,)), scope)
            if scope.kind(node) in ("tensor", "scalar"):
                yield Call(IS_THERE, (node,))
        case Call(func="dim", args=(tensor, axis)):
            yield from _inside(axis, Call("rank", (tensor,)), scope)
        case Call(func="min" | "max", args=(values,)):
            yield Compare(">", Call("len", (values,)), ZERO)
        case Call(func="range", args=(start, stop)):
            yield from _short_range(start, stop)
        case Call(func="slice", args=(values, start, stop)):
            yield Compare(">=", start, ZERO)
            yield from _at_most(start, stop)
            yield from _at_most(stop, Call("len", (values,)))
        case Call(func=func, args=args) if func in DOMAINS:
            if func in WINDOWS:
                numbers = (one for one in args if scope.kind(one) == "int")
                yield from (Call(IS_INT64, (one,)) for one in numbers if not is_int64(one, scope))
            domain = substitute(parse_compiled(DOMAINS[func]), dict(zip("abcdefg", args, strict=False)))
            yield from domain.items if isinstance(domain, And) else (domain,)
        case _:
            return


def _inside(index: Node, length: Node, scope: Scope) -> Iterator[Node]:
    """That an index lies in 0 <= index < length; a length is written on the left, as a person would."""
    match scope.expand(index):
        case Call(func="wrap", args=(_, rank)) if _same(rank, length, scope):
            return
    match index:
        case Int():
            yield Compare(">", length, index)
        case Arith(op="-", left=whole, right=Int(value=value)) if value > 0 and _same(whole, length, scope):
            yield Compare(">=", whole, Int(value))
        case _:
            yield Compare(">=", index, ZERO)
            yield Compare("<", index, length)


def _same(one: Node, other: Node, scope: Scope) -> bool:
    return scope.expand(one) == scope.expand(other)


def _at_most(low: Node, high: Node) -> Iterator[Node]:
    """That a number is not greater than another one, the constants on the right."""
    match low, high:
        case Int(value=value), Arith(op="-", left=whole, right=Int(value=less)):
            yield Compare(">=", whole, Int(value + less))
        case Int(), _:
            yield Compare(">=", high, low)
        case _:
            yield Compare("<=", low, high)


def _short_range(start: Node, stop: Node) -> Iterator[Node]:
    """That a range is not too long."""
    match start:
        case Int(value=first):
            yield Compare("<=", stop, Int(MAX_RANGE + first))
        case _:
            yield Compare("<=", Arith("-", stop, start), Int(MAX_RANGE))


def strict(node: Node, scope: Scope) -> tuple[Node, ...] | None:
    """The guards of a node, None when part of it is not strict."""
    found = guards(node, scope)
    if any(isinstance(guard, Partial) for guard in found):
        return None
    return tuple(dict.fromkeys(guard for guard in found if not isinstance(guard, Partial)))
