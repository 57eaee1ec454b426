"""Integer terms as sums, so that comparisons that say the same of the same terms have one form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import gcd
from typing import TypeAlias

from aclspec.runtime.language.nodes import Arith, Call, Each, IfElse, Int, ListOf, Name, Negate, Node

Key: TypeAlias = frozenset[tuple[Node, int]]
"""The terms of a sum with their factors."""


class Linear:
    """A constant and multiples of terms that are no sums themselves; no factor is 0."""

    __slots__ = ("_divided", "constant", "key", "terms")

    def __init__(self, terms: Mapping[Node, int], constant: int) -> None:
        """A sum."""
        self.terms, self.constant, self.key = terms, constant, frozenset(terms.items())
        self._divided: tuple[Linear, int] | None = None

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for term, factor in other.terms.items():
            found[term] = found.get(term, 0) + times * factor
        return Linear(
            {term: factor for term, factor in found.items() if factor}, self.constant + times * other.constant
        )

    def divided(self) -> tuple[Linear, int]:
        """The sum of the terms alone, without the factor that all of them have, and this factor."""
        if self._divided is None:
            factor = gcd(*self.terms.values()) or 1
            self._divided = Linear({term: count // factor for term, count in self.terms.items()}, 0), factor
        return self._divided

    def without(self, term: Node) -> Linear:
        """The sum of the other terms and the constant."""
        return Linear({other: factor for other, factor in self.terms.items() if other != term}, self.constant)


@lru_cache(maxsize=1 << 14)
def difference(left: Node, right: Node) -> Linear:
    """One integer term minus another one as a sum."""
    return linear(left).plus(linear(right), -1)


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
        case Each(over=over) | Call(func="replace", args=(over, _, _)):
            return _length(over)
        case Call(func="range", args=(start, stop)) if start == Int(0) and is_count(stop):
            return linear(stop)
        case _:
            return Linear({Call("len", (values,)): 1}, 0)


def is_count(term: Node) -> bool:
    """Whether a term is never negative where it has a value."""
    match term:
        case Call(func="max", args=(Each(body=body),)):
            return is_count(body)
        case Call(func="max", args=(one, other)):
            return is_count(one) or is_count(other)
    return isinstance(term, Call) and term.func in ("rank", "len", "wrap")


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
