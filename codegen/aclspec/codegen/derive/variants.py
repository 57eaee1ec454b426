"""Variants of an expression: each differs from it by one small change, as a mutant of the generated code would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from aclspec.runtime.language.nodes import (
    NEGATED,
    And,
    Arith,
    Bool,
    Call,
    Compare,
    IfElse,
    Index,
    Int,
    Node,
    Not,
    Or,
    Quantifier,
)

_ARITH = {"+": ("-",), "-": ("+",), "*": ("//",), "//": ("*",), "%": ("//",)}
_LOOSER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def variants(node: Node) -> Iterator[Node]:
    """Every expression that differs from this one by one change, here or further inside."""
    yield from _at_this_node(node)
    for field in fields(node):
        part = getattr(node, field.name)
        if isinstance(part, tuple) and part and hasattr(part[0], "__dataclass_fields__"):
            for at, item in enumerate(part):
                for changed in variants(item):
                    yield replace(node, **{field.name: (*part[:at], changed, *part[at + 1 :])})  # type: ignore[arg-type]
        elif field.name != "at" and hasattr(part, "__dataclass_fields__"):
            for changed in variants(part):
                yield replace(node, **{field.name: changed})  # type: ignore[arg-type]


def _at_this_node(node: Node) -> Iterator[Node]:
    match node:
        case Int(value=value):
            yield Int(value + 1)
            yield Int(value - 1)
        case Bool(value=value):
            yield Bool(not value)
        case Arith(op=op, left=left, right=right):
            yield from (Arith(other, left, right) for other in _ARITH[op])
            yield from (left, right)
        case Compare(op=op, left=left, right=right):
            yield from (Compare(other, left, right) for other in (NEGATED[op], _LOOSER.get(op)) if other)
        case And(items=items) | Or(items=items):
            yield (Or if isinstance(node, And) else And)(items)
            for at in range(len(items)):
                rest = (*items[:at], *items[at + 1 :])
                yield rest[0] if len(rest) == 1 else type(node)(rest)
        case Not(operand=operand):
            yield operand
        case IfElse(cond=cond, then=then, orelse=orelse):
            yield from (then, orelse, IfElse(cond, orelse, then))
        case Quantifier(kind=kind):
            yield replace(node, kind="any" if kind == "all" else "all")
        case Index(base=base):
            yield Index(base, Int(0))
        case Call(func=func, args=(one, other)) if func != "dim":
            yield replace(node, args=(other, one))
        case Call(func="min" | "max" as func):
            yield replace(node, func="max" if func == "min" else "min")
