"""What a node of a predicate reads as: a constant, a clause, or else a noun."""

from __future__ import annotations

from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import (
    And,
    Bool,
    Call,
    Compare,
    Float,
    InRows,
    Int,
    ListOf,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
)


def is_literal(node: Node) -> bool:
    """Whether a node is a constant as written."""
    match node:
        case Int() | Float() | Bool() | Str() | Symbol():
            return True
        case Negate(operand=operand):
            return is_literal(operand)
        case ListOf(items=items):
            return all(is_literal(item) for item in items)
        case _:
            return False


def is_clause(node: Node) -> bool:
    """Whether a node reads as a clause rather than as a noun."""
    match node:
        case Compare() | And() | Or() | Not() | Quantifier() | InRows():
            return True
        case Call(func=func):
            return FUNCTIONS[func].overloads[0].result == "bool"
        case _:
            return False
