"""Integer terms as sums, so that ``i + 2 < rank(x)`` follows from ``i < rank(x) - 2``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from aclspec.runtime.predicate.nodes import Arith, Call, Each, Int, ListOf, Negate, Node


@dataclass(frozen=True, slots=True)
class Linear:
    """A constant and multiples of terms that are no sums themselves."""

    terms: Mapping[Node, int]
    constant: int

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for term, factor in other.terms.items():
            found[term] = found.get(term, 0) + times * factor
        terms = {term: factor for term, factor in found.items() if factor}
        return Linear(terms, self.constant + times * other.constant)

    def shifted(self, by: int) -> Linear:
        """The sum with a constant."""
        return Linear(self.terms, self.constant + by)

    def times(self, factor: int) -> Linear:
        """A multiple."""
        return Linear({}, 0).plus(self, factor)


@lru_cache(maxsize=1 << 14)
def linear(node: Node) -> Linear:
    """An integer term, with lets expanded, as a sum."""
    match node:
        case Int(value=value):
            return Linear({}, value)
        case Negate(operand=operand):
            return linear(operand).times(-1)
        case Arith(op="+", left=left, right=right):
            return linear(left).plus(linear(right))
        case Arith(op="-", left=left, right=right):
            return linear(left).plus(linear(right), -1)
        case Arith(op="*", left=left, right=right):
            one, other = linear(left), linear(right)
            if not one.terms:
                return other.times(one.constant)
            return one.times(other.constant) if not other.terms else Linear({node: 1}, 0)
        case Call(func="len", args=(ListOf(items=items),)):
            return Linear({}, len(items))
        case Call(func="len", args=(Arith(op="+", left=left, right=right),)):
            return _length(left).plus(_length(right))
        case Call(func="len", args=(Call(func="slice", args=(_, start, stop)),)):
            return linear(stop).plus(linear(start), -1)
        case Call(func="len", args=(Each(over=over),)):
            return _length(over)
        case _:
            return Linear({node: 1}, 0)


def _length(values: Node) -> Linear:
    """The length of a list."""
    match values:
        case Call(func="shape", args=(tensor,)):
            return linear(Call("rank", (tensor,)))
        case _:
            return linear(Call("len", (values,)))
