"""Integer terms as sums, so that comparisons that say the same of the same terms have one form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from aclspec.runtime.language.nodes import Arith, Call, Each, IfElse, Int, ListOf, Name, Negate, Node

Key: TypeAlias = frozenset[tuple[Node, int]]
"""The terms of a sum with their factors."""


class Linear:
    """A constant and multiples of terms that are no sums themselves; no factor is 0."""

    __slots__ = ("constant", "key", "terms")

    def __init__(self, terms: Mapping[Node, int], constant: int) -> None:
        """A sum."""
        self.terms, self.constant, self.key = terms, constant, frozenset(terms.items())

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for term, factor in other.terms.items():
            found[term] = found.get(term, 0) + times * factor
        return Linear(
            {term: factor for term, factor in found.items() if factor}, self.constant + times * other.constant
        )

    def without(self, term: Node) -> Linear:
        """The sum of the other terms and the constant."""
        return Linear({other: factor for other, factor in self.terms.items() if other != term}, self.constant)


@lru_cache(maxsize=1 << 14)
def linear(node: Node) -> Linear:
    """An integer term as a sum."""
    match node:
        case Int(value=value):
            return Linear({}, value)
        case Negate(operand=operand):
            return Linear({}, 0).plus(linear(operand), -1)
        case Arith(op="+" | "-" as op, left=left, right=right):
            return linear(left).plus(linear(right), 1 if op == "+" else -1)
        case Arith(op="*", left=Int(value=factor), right=term) | Arith(op="*", left=term, right=Int(value=factor)):
            return Linear({}, 0).plus(linear(term), factor)
        case Call(func="len", args=(values,)):
            return _length(values)
        case _:
            return Linear({node: 1}, 0)


def _length(values: Node) -> Linear:
    """The length of a list."""
    match values:
        case ListOf(items=items):
            return Linear({}, len(items))
        case Arith(op="+", left=left, right=right):
            return _length(left).plus(_length(right))
        case Call(func="shape", args=(tensor,)):
            return Linear({Call("rank", (tensor,)): 1}, 0)
        case Call(func="slice", args=(_, start, stop)):
            return linear(stop).plus(linear(start), -1)
        case Each(over=over):
            return _length(over)
        case _:
            return Linear({Call("len", (values,)): 1}, 0)


def is_list(node: Node, names: frozenset[str]) -> bool:
    """Whether a tree is a list, given the names that are lists."""
    match node:
        case ListOf() | Each():
            return True
        case Name(id=name):
            return name in names
        case Arith(op="+", left=left):
            return is_list(left, names)
        case IfElse(then=then, orelse=orelse):
            return is_list(then, names) or is_list(orelse, names)
        case Call(func=func):
            return func in ("shape", "broadcast", "index_shape", "slice", "range")
    return False
