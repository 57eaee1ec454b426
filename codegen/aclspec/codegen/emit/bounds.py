"""What is known of integer terms, such as the rank of a parameter: bounds, values, and how they relate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from aclspec.codegen.emit.integers import difference_of, length_of, literal_numbers, not_negative, shown_by
from aclspec.codegen.emit.linear import Linear, linear
from aclspec.codegen.emit.sums import Sums
from aclspec.runtime.predicate.nodes import Compare, Int, Node

_T = TypeVar("_T")


class _Known(NamedTuple):
    """Bounds as they were at some time."""

    low: Mapping[Node, int] = MappingProxyType({})
    high: Mapping[Node, int] = MappingProxyType({})
    values: Mapping[Node, frozenset[int]] = MappingProxyType({})
    relations: tuple[Linear, ...] = ()
    apart: tuple[Linear, ...] = ()


class Bounds(Sums):
    """The bounds of each term, and more: ``values`` are all that a term may be, and none of ``apart`` is 0."""

    __slots__ = ("_decisions", "_held", "apart", "values")

    def __init__(
        self,
        low: Mapping[Node, int],
        high: Mapping[Node, int],
        values: Mapping[Node, frozenset[int]],
        relations: tuple[Linear, ...] = (),
        apart: tuple[Linear, ...] = (),
    ) -> None:
        """What is known; what follows from it is worked out when it is asked."""
        super().__init__(low, high, relations)
        self.values, self.apart = values, apart
        self._decisions: dict[Compare, bool] = {}
        self._held = _Known()
        """What ``apart`` was held against last."""

    def changed(self, before: Bounds | _Known) -> frozenset[Node]:
        """The terms of which more may be known than before, by themselves or by what relates them to others."""
        if self is before:
            return frozenset()
        found = _differing(self.low, before.low) | _differing(self.high, before.high)
        found |= _differing(self.values, before.values)
        for relation in self.relations[len(before.relations) :]:
            found |= relation.reach
        if not found:
            return frozenset()
        left = [relation.reach for relation in self.relations]
        while joined := [reach for reach in left if not found.isdisjoint(reach)]:
            found.update(*joined)
            left = [reach for reach in left if found.isdisjoint(reach)]
        return frozenset(found)

    def decide(self, node: Compare) -> bool:
        """Whether what is known shows that a comparison of integers holds."""
        known = self._decisions.get(node)
        if known is None:
            known = self._decisions[node] = self._decide(node)
        return known

    def _decide(self, node: Compare) -> bool:
        if node.op in ("in", "not in"):
            return self._decide_member(node)
        forms = shown_by(node)
        return any(map(self.shows, forms)) if node.op == "!=" else all(map(self.shows, forms))

    def _decide_member(self, node: Compare) -> bool:
        numbers = literal_numbers(node.right)
        if numbers is None:
            return False
        if node.op == "not in":
            return all(self.decide(Compare("!=", node.left, Int(number))) for number in numbers)
        low, high = self.range(linear(node.left))
        if low is not None and high is not None and high - low < len(numbers):
            return numbers.issuperset(range(low, high + 1))
        return node.left in self.values and self.values[node.left] <= numbers

    def learn(self, node: Compare) -> Bounds:
        """The bounds where a comparison of integers holds."""
        if node.op in ("in", "not in"):
            numbers = literal_numbers(node.right)
            return self if numbers is None else self._among(node.left, numbers, node.op == "in")._settled(self)
        if node.op == "!=":
            return self._apart(difference_of(node))._settled(self)
        found = self
        for form in not_negative(node.op, difference_of(node)):
            found = found._with(form)
        return found._settled(self)

    def _settled(self, before: Bounds) -> Bounds:
        """The bounds after what is not 0 has been held against what has become known of it."""
        found, held = self, before._held
        changed = self.changed(held) if self.apart else frozenset()
        for at, form in enumerate(self.apart):
            if at >= len(held.apart) or not changed.isdisjoint(form.reach):
                found = found._apart(form)
        found._held = _Known(self.low, self.high, self.values, self.relations, self.apart)
        return found

    def equal(self, left: Node, right: Node) -> Bounds:
        """The bounds where two lists are equal: so are their lengths."""
        return self.learn(Compare("==", length_of(left), length_of(right)))

    def _with(self, form: Linear) -> Bounds:
        """The bounds where a sum is not negative."""
        if len(form.terms) != 1:
            return self if not form.terms or form in self.relations else self._relating_by(form)
        ((term, factor),) = form.terms.items()
        if factor > 0:
            return self._between(term, -(form.constant // factor), None)
        return self._between(term, None, form.constant // -factor)

    def _relating_by(self, form: Linear) -> Bounds:
        return Bounds(self.low, self.high, self.values, (*self.relations, form), self.apart)

    def _apart(self, difference: Linear) -> Bounds:
        """The bounds where a sum is not 0."""
        if len(difference.terms) == 1:
            ((term, factor),) = difference.terms.items()
            if term in self.values and difference.constant % factor == 0:
                return self._among(term, frozenset((-difference.constant // factor,)), False)
        for form in (difference, difference.times(-1)):
            if self.shows(form):
                return self._with(form.shifted(-1))
        if difference in self.apart:
            return self
        return Bounds(self.low, self.high, self.values, self.relations, (*self.apart, difference))

    def _among(self, term: Node, numbers: frozenset[int], inside: bool) -> Bounds:
        """The bounds where a term is one of these numbers, or none of them."""
        before = self.values.get(term)
        if not inside and before is None:
            found = self
            for number in numbers:
                found = found._apart(linear(term).shifted(-number))
            return found
        left = numbers if before is None else before & numbers if inside else before - numbers
        return self._holding(term, left)

    def _holding(self, term: Node, numbers: frozenset[int]) -> Bounds:
        if not numbers or self.values.get(term) == numbers:
            return self if not numbers else self._between(term, min(numbers), max(numbers))
        found = Bounds(self.low, self.high, {**self.values, term: numbers}, self.relations, self.apart)
        return found._between(term, min(numbers), max(numbers))

    def _between(self, term: Node, least: int | None, most: int | None) -> Bounds:
        low, high = self.term(term)
        if least is not None and (low is None or least > low):
            low = least
        if most is not None and (high is None or most < high):
            high = most
        if (low, high) == (self.low.get(term), self.high.get(term)):
            return self
        lows = self.low if low is None else {**self.low, term: low}
        highs = self.high if high is None else {**self.high, term: high}
        found = Bounds(lows, highs, self.values, self.relations, self.apart)
        numbers = self.values.get(term)
        if numbers is None:
            return found
        return found._holding(
            term, frozenset(n for n in numbers if (low is None or n >= low) and (high is None or n <= high))
        )


UNBOUNDED = Bounds({}, {}, {})


def _differing(now: Mapping[Node, _T], before: Mapping[Node, _T]) -> set[Node]:
    """The terms that have another value than they had."""
    return set() if now is before else {term for term, value in now.items() if before.get(term) != value}
