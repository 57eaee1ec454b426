"""Formulas of references: arithmetic on tensors in a few words of Python, read by its grammar and never run by it.

A formula has names, numbers, lists, slices, comprehensions over one list, arithmetic, comparisons, ``and``, ``or``,
``not``, conditionals and calls of functions from a table. What the names stand for, and what arrays are, its user
decides.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Functions = Mapping[str, Callable[..., Any]]

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SIGNS: tuple[type[ast.AST], ...] = (ast.expr_context, ast.boolop, ast.unaryop, *_BINARY, *_COMPARISONS)
_NODES: tuple[type[ast.AST], ...] = (ast.Name, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.List, ast.Subscript)
_NODES += (ast.Slice, ast.Compare, ast.ListComp, ast.comprehension)


class FormulaError(ValueError):
    """A text is no formula."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its tree, and the names and the functions in it."""

    tree: ast.expr
    names: frozenset[str]
    functions: frozenset[str]


@cache
def parse_formula(text: str) -> Formula:
    """The formula of a text; `FormulaError` says what it has that no formula has."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"A formula ({text}) does not parse.") from error
    for node in ast.walk(tree):
        if not _is_known(node):
            raise FormulaError(f"A formula ({text}) has a part ({ast.unparse(node)}) that is not of its language.")
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return Formula(tree, _names(tree), frozenset(node.id for node in called if isinstance(node, ast.Name)))


def _names(node: ast.AST) -> frozenset[str]:
    """The names that a part leaves to be looked up: none of functions, and none that a comprehension binds."""
    match node:
        case ast.Name(id=name):
            return frozenset((name,))
        case ast.ListComp(elt=each, generators=[ast.comprehension(target=ast.Name(id=name), iter=over)]):
            return (_names(each) - {name}) | _names(over)
        case ast.Call(args=parts):
            return frozenset().union(*map(_names, parts))
    return frozenset().union(*map(_names, ast.iter_child_nodes(node)))


def _is_known(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool | int | float)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and not node.keywords
    if isinstance(node, ast.ListComp):
        return len(node.generators) == 1
    if isinstance(node, ast.comprehension):
        return isinstance(node.target, ast.Name) and not node.ifs and not node.is_async
    return isinstance(node, _NODES + _SIGNS) and not isinstance(node, ast.Invert)


def evaluate_formula(formula: Formula, lookup: Callable[[str], Any], functions: Functions) -> Any:
    """The value of a formula, of whose names ``lookup`` says what they stand for."""

    def value(node: ast.expr | None) -> Any:
        match node:
            case None:
                return None
            case ast.Constant():
                return node.value
            case ast.Name():
                return lookup(node.id)
            case ast.List():
                return [value(item) for item in node.elts]
            case ast.ListComp(generators=[ast.comprehension(target=ast.Name(id=name), iter=over)]):
                inner = Formula(node.elt, _names(node.elt), formula.functions)
                return [evaluate_formula(inner, _bound(name, item, lookup), functions) for item in value(over)]
            case ast.UnaryOp(op=ast.Not()):
                return not value(node.operand)
            case ast.UnaryOp():
                return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
            case ast.BinOp():
                return _BINARY[type(node.op)](value(node.left), value(node.right))
            case ast.BoolOp():
                return _any(map(value, node.values), isinstance(node.op, ast.Or))
            case ast.Compare():
                return _compared(node, value)
            case ast.IfExp():
                return value(node.body if value(node.test) else node.orelse)
            case ast.Subscript(slice=ast.Slice() as part):
                return value(node.value)[value(part.lower) : value(part.upper) : value(part.step)]
            case ast.Subscript():
                return value(node.value)[value(node.slice)]
            case ast.Call(func=ast.Name(id=name)):
                return functions[name](*map(value, node.args))
        raise AssertionError(f"Parsing lets no {type(node).__name__} pass.")

    return value(formula.tree)


def _bound(name: str, item: Any, lookup: Callable[[str], Any]) -> Callable[[str], Any]:
    """A lookup in which one name stands for an item."""
    return lambda other: item if other == name else lookup(other)


def _any(values: Iterable[Any], wanted: bool) -> Any:
    """The first value that decides ``or`` (``wanted``) or ``and``, else the last one."""
    last: Any = not wanted
    for last in values:
        if bool(last) is wanted:
            break
    return last


def _compared(node: ast.Compare, value: Callable[[ast.expr], Any]) -> Any:
    """A comparison, of which one of several links is decided before the next is looked at."""
    left, found = value(node.left), True
    for sign, right in zip(node.ops, map(value, node.comparators), strict=True):
        found, left = _COMPARISONS[type(sign)](left, right), right
        if len(node.ops) > 1 and not found:
            break
    return found
