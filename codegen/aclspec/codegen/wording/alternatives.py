"""Conditions of which one must hold, as one sentence: what the most telling of them asks, unless another holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from aclspec.codegen.wording.demands import MUST
from aclspec.codegen.wording.patterns import broadcasts_to, constant_side_right, divisor, is_clause, is_literal
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.nodes import Node, names

_RELATION: Final = 6
"""A term against another one of the call: what a caller most likely got wrong."""
_VALUE: Final = 5
_DENIED_VALUE: Final = 4
_COUNT: Final = 3
"""Ranks and lengths tell one kind of call from another; so does emptiness, still more."""
_EMPTINESS: Final = 2
_FLAG: Final = 1


def chosen(items: Sequence[Node], bound: Collection[str]) -> tuple[list[Node], list[Node]]:
    """The conditions on one subject that the sentence asks for, and the rest; ``bound`` are names of variables.

    None of them is asked for where no condition has a subject with a value.
    """
    groups: dict[Node, list[Node]] = {}
    for item in items:
        groups.setdefault(_subject(item), []).append(item)
    best = max(groups.values(), key=lambda group: max(_weight(item, bound) for item in group))
    if not max(_weight(item, bound) for item in best):
        return [], list(items)
    mentioned = {name for item in best for name in names(item)}
    rest = [item for item in items if item not in best and not _is_null_of(item, mentioned)]
    return best, [_turned(item, bound) for item in rest]


def range_of(node: Node) -> tuple[ast.Compare, ast.Compare] | None:
    """Two comparisons that bound one term from below and from above."""
    match node:
        case ast.And(items=(ast.Compare() as first, ast.Compare() as second)) if broadcasts_to(node) is None:
            low, high = constant_side_right(first), constant_side_right(second)
            if low.left == high.left and low.op in (">", ">=") and high.op in ("<", "<="):
                return low, high
    return None


def _subject(item: Node) -> Node:
    """The term that a condition compares; the condition itself where it compares none."""
    if (bounds := range_of(item)) is not None:
        return bounds[0].left
    if not isinstance(item, ast.Compare) or broadcasts_to(item) is not None or divisor(item) is not None:
        return item
    compare = constant_side_right(item)
    sides = compare.left, compare.right
    return item if any(isinstance(side, ast.Bool) or is_clause(side) for side in sides) else compare.left


def _weight(item: Node, bound: Collection[str]) -> int:
    """How telling a condition is; 0 for one that a sentence cannot ask for."""
    match item:
        case ast.Compare() if broadcasts_to(item) is not None or divisor(item) is not None:
            return _RELATION
        case ast.Compare():
            return _of_comparison(constant_side_right(item), bound)
        case ast.And():
            return _RELATION if broadcasts_to(item) is not None else _VALUE if range_of(item) is not None else 0
        case ast.Call(func="is_null" | "is_empty") | ast.Not(operand=ast.Call(func="is_null" | "is_empty")):
            return _FLAG
        case ast.Call(func=func, args=args) if func in MUST:
            return _VALUE if len(args) == 1 else _RELATION
        case ast.Not(operand=ast.Call(func=func)) if func in MUST:
            return _DENIED_VALUE
        case ast.Name() | ast.Not(operand=ast.Name()):
            return _FLAG
        case _:
            return 0


def _of_comparison(node: ast.Compare, bound: Collection[str]) -> int:
    sides = node.left, node.right
    if any(is_clause(side) for side in sides):
        return 0
    if any(isinstance(side, ast.Bool) for side in sides):
        return _FLAG
    if any(isinstance(side, ast.Name) and side.id in bound for side in sides) and not is_literal(node.right):
        return 0
    match sides:
        case ast.Name(id=name), _ if name in bound:
            return 0
        case _, ast.Int(value=0) | ast.ListOf(items=(ast.Int(value=0),)) if node.op == "==":
            return _EMPTINESS
        case ast.Call(func="rank" | "len"), right if is_literal(right):
            return _COUNT
        case _, ast.Int(value=0) if node.op in ("!=", ">"):
            return _COUNT
        case _, right if is_literal(right):
            return _DENIED_VALUE if node.op in ("!=", "not in") else _VALUE
        case _:
            return _COUNT if node.op == "!=" else _RELATION


def _is_null_of(item: Node, mentioned: Collection[str]) -> bool:
    """Whether a condition is that a parameter is null of which the sentence speaks: it is not null, then."""
    match item:
        case ast.Call(func="is_null", args=(ast.Name(id=name),)):
            return name in mentioned
        case _:
            return False


def _turned(item: Node, bound: Collection[str]) -> Node:
    """A comparison of a variable with a term, as one of the term: ``i == axis`` is ``axis == i``."""
    match item:
        case ast.Compare(op="==" | "!=" as op, left=ast.Name(id=name) as left, right=right) if name in bound:
            return item if is_literal(right) else ast.Compare(op, right, left)
        case _:
            return item
