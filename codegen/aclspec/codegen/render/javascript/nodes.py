"""A predicate as an expression of JavaScript, in the words of ``library/nodes.js``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aclspec.codegen.render.javascript.layout import Layout, array, call, quoted
from aclspec.runtime.predicate.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
)
from aclspec.runtime.predicate.walk import children

_ARITH: Final = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod"}
_COMPARE: Final = {
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "in": "isin",
    "not in": "notin",
}


def expression(node: Node) -> Layout:
    """The expression that makes the same tree in a browser."""
    match node:
        case Int(value=value):
            return f"{value}n"
        case Bool(value=value):
            return "true" if value else "false"
        case Float(value=value):
            return _number(value)
        case Name(id=name):
            return quoted(name)
        case ListOf(items=items):
            return array(map(expression, items))
        case Str(value=text) | Symbol(name=text):
            return call(word(node), quoted(text))
        case InRows(params=params):
            return call(word(node), *map(quoted, params))
        case Quantifier(var=var) | Each(var=var):
            return call(word(node), quoted(var), *map(expression, children(node)))
        case _:
            return call(word(node), *map(expression, children(node)))


def word(node: Node) -> str:
    """The function that makes a node; empty for one that is a plain value."""
    match node:
        case Str():
            return "text"
        case Symbol():
            return "symbol"
        case Not():
            return "not"
        case Negate():
            return "neg"
        case Arith(op=op):
            return _ARITH[op]
        case Compare(op=op):
            return _COMPARE[op]
        case And():
            return "and"
        case Or():
            return "or"
        case IfElse():
            return "choose"
        case Call(func=func):
            return func
        case Index():
            return "at"
        case Quantifier(kind=kind):
            return kind
        case Each():
            return "each"
        case InRows():
            return "in_rows"
        case _:
            return ""


def words(node: Node) -> Iterator[str]:
    """The functions that the expression of a tree calls."""
    if found := word(node):
        yield found
    for child in children(node):
        yield from words(child)


def _number(value: float) -> str:
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
