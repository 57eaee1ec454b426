"""Integer terms as sums, so that ``i + 2 < rank(x)`` follows from ``i < rank(x) - 2``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from aclspec.runtime.predicate.nodes import Arith, Call, Each, IfElse, Int, ListOf, Negate, Node


class Linear:
    """A constant and multiples of terms that are no sums themselves."""

    __slots__ = ("_hash", "_reach", "constant", "terms")

    def __init__(self, terms: Mapping[Node, int], constant: int) -> None:
        """A sum, in which no multiple is 0."""
        self.terms, self.constant = terms, constant
        self._reach: frozenset[Node] | None = None
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        """Whether both are the same sum."""
        return isinstance(other, Linear) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        """The hash of the sum, whatever the order of its terms."""
        if self._hash is None:
            self._hash = hash((frozenset(self.terms.items()), self.constant))
        return self._hash

    @property
    def reach(self) -> frozenset[Node]:
        """The terms, and those that decide the bounds of these."""
        if self._reach is None:
            self._reach = frozenset().union(*map(terms_below, self.terms))
        return self._reach

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """The sum with a multiple of another one."""
        found = dict(self.terms)
        for term, factor in other.terms.items():
            total = found.get(term, 0) + times * factor
            if total:
                found[term] = total
            else:
                found.pop(term, None)
        return Linear(found, self.constant + times * other.constant)

    def shifted(self, by: int) -> Linear:
        """The sum with a constant."""
        return Linear(self.terms, self.constant + by)

    def times(self, factor: int) -> Linear:
        """A multiple."""
        return Linear({}, 0).plus(self, factor)


@lru_cache(maxsize=1 << 13)
def joined(one: Linear, other: Linear, times: int) -> Linear:
    """A sum with a multiple of another one, made once: proofs put the same ones together again and again."""
    return one.plus(other, times)


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


@lru_cache(maxsize=1 << 14)
def terms_below(node: Node) -> frozenset[Node]:
    """The terms of a sum, and those that decide the bounds of these."""
    found = set(linear(node).terms)
    for term in tuple(found):
        match term:
            case Call(func="max" | "min", args=(_, _, *_) as parts):
                found.update(*map(terms_below, parts))
            case IfElse(then=one, orelse=other) | Arith(op="*", left=one, right=other):
                found |= terms_below(one) | terms_below(other)
    return frozenset(found)
