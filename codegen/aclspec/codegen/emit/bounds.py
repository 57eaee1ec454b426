"""What is known of integer terms, such as the rank of a parameter: bounds, values, and how they relate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from aclspec.codegen.emit.integers import length_of, literal_numbers, not_negative
from aclspec.codegen.emit.linear import Linear, linear
from aclspec.runtime.predicate.nodes import Arith, Call, Compare, IfElse, Int, Node

# Never negative, as a dimension or a number of elements may be in a call that some rule refuses.
_COUNTS = ("rank", "len", "abs")
_STEPS = 3
"""How many relations are put together in one proof."""

_T = TypeVar("_T")
Range = tuple[int | None, int | None]


class Bounds:
    """The least and the greatest value of each term, inclusive, where they are known.

    ``values`` are all that a term may be; none of the ``relations`` is negative, and none of ``apart`` is 0.
    """

    __slots__ = ("_decisions", "_hopeless", "_ranges", "_related", "apart", "high", "low", "relations", "values")

    def __init__(
        self,
        low: Mapping[Node, int],
        high: Mapping[Node, int],
        values: Mapping[Node, frozenset[int]],
        relations: tuple[Linear, ...] = (),
        apart: tuple[Linear, ...] = (),
    ) -> None:
        """What is known; what follows from it is worked out when it is asked."""
        self.low, self.high, self.values, self.relations, self.apart = low, high, values, relations, apart
        self._hopeless: dict[tuple[frozenset[tuple[Node, int]], int], int] = {}
        """Sums that could not be shown not to be negative, and with how many steps: each is reached in many ways."""
        self._decisions: dict[Compare, bool] = {}
        self._ranges: dict[Node, Range] = {}
        self._related: dict[Node, list[tuple[Linear, int]]] | None = None

    def changed(self, before: Bounds) -> frozenset[Node]:
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

    def _relations_of(self, term: Node) -> list[tuple[Linear, int]]:
        """The relations that have a term, each with the term's factor there."""
        if self._related is None:
            self._related = {}
            for relation in self.relations:
                for other, factor in relation.terms.items():
                    self._related.setdefault(other, []).append((relation, factor))
        return self._related.get(term, [])

    def decide(self, node: Compare) -> bool:
        """Whether what is known shows that a comparison of integers holds."""
        known = self._decisions.get(node)
        if known is None:
            known = self._decisions[node] = self._decide(node)
        return known

    def _decide(self, node: Compare) -> bool:
        if node.op in ("in", "not in"):
            return self._decide_member(node)
        difference = linear(node.left).plus(linear(node.right), -1)
        if node.op == "!=":
            return self._shows(difference.shifted(-1)) or self._shows(difference.times(-1).shifted(-1))
        return all(map(self._shows, not_negative(node.op, difference)))

    def learn(self, node: Compare) -> Bounds:
        """The bounds where a comparison of integers holds."""
        if node.op in ("in", "not in"):
            numbers = literal_numbers(node.right)
            return self if numbers is None else self._among(node.left, numbers, node.op == "in")._settled()
        difference = linear(node.left).plus(linear(node.right), -1)
        if node.op == "!=":
            return self._apart(difference)._settled()
        found = self
        for form in not_negative(node.op, difference):
            found = found._with(form)
        return found._settled()

    def _settled(self) -> Bounds:
        """The bounds after what is not 0 has been held against the others once more."""
        found = self
        for form in self.apart:
            found = found._apart(form)
        return found

    def equal(self, left: Node, right: Node) -> Bounds:
        """The bounds where two lists are equal: so are their lengths."""
        return self.learn(Compare("==", length_of(left), length_of(right)))

    def _with(self, form: Linear) -> Bounds:
        """The bounds where a sum is not negative."""
        if len(form.terms) != 1:
            return self if not form.terms or form in self.relations else self._relating(form)
        ((term, factor),) = form.terms.items()
        if factor > 0:
            return self._between(term, -(form.constant // factor), None)
        return self._between(term, None, form.constant // -factor)

    def _relating(self, form: Linear) -> Bounds:
        return Bounds(self.low, self.high, self.values, (*self.relations, form), self.apart)

    def _apart(self, difference: Linear) -> Bounds:
        """The bounds where a sum is not 0."""
        if len(difference.terms) == 1:
            ((term, factor),) = difference.terms.items()
            if term in self.values and difference.constant % factor == 0:
                return self._among(term, frozenset((-difference.constant // factor,)), False)
        for form in (difference, difference.times(-1)):
            if self._shows(form):
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
        if not numbers:
            return self
        values = {**self.values, term: numbers}
        found = Bounds(self.low, self.high, values, self.relations, self.apart)
        return found._between(term, min(numbers), max(numbers))

    def _between(self, term: Node, least: int | None, most: int | None) -> Bounds:
        low, high = self._term(term)
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

    def _shows(self, form: Linear, steps: int = _STEPS) -> bool:
        """Whether a sum is surely not negative, by its terms' bounds or less a relation that is not negative."""
        least = self._least(form)
        if least is not None and least >= 0:
            return True
        if steps == 0 or not self.relations:
            return False
        key = (frozenset(form.terms.items()), form.constant)
        if self._hopeless.get(key, 0) >= steps:
            return False
        if any(self._shows(rest, steps - 1) for rest in self._reduced(form)):
            return True
        self._hopeless[key] = steps
        return False

    def _reduced(self, form: Linear) -> Iterator[Linear]:
        """The sum less each relation that takes a term away from it."""
        for term, have in form.terms.items():
            for relation, factor in self._relations_of(term):
                if have * factor > 0 and have % factor == 0:
                    yield form.plus(relation, -(have // factor))

    def _least(self, form: Linear) -> int | None:
        """The least value of a sum, where it is known."""
        low = form.constant
        for term, factor in form.terms.items():
            bound = self._term(term)[factor < 0]
            if bound is None:
                return None
            low += factor * bound
        return low

    def _range(self, form: Linear) -> Range:
        low: int | None = form.constant
        high: int | None = form.constant
        for term, factor in form.terms.items():
            least, most = self._term(term)
            if factor < 0:
                least, most = most, least
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

    def _term(self, term: Node) -> Range:
        """The bounds of a term that is no sum."""
        known = self._ranges.get(term)
        if known is None:
            known = self._ranges[term] = self._bounded(term)
        return known

    def _bounded(self, term: Node) -> Range:
        low, high = self._computed(term)
        lows, highs = _known([low, self.low.get(term)]), _known([high, self.high.get(term)])
        return max(lows, default=None), min(highs, default=None)

    def _computed(self, term: Node) -> Range:
        """The bounds that follow from those of the parts; a count is never negative."""
        match term:
            case Call(func=func) if func in _COUNTS:
                return 0, None
            case Call(func="max" | "min" as func, args=(_, _, *_) as args):
                ranges = [self._range(linear(arg)) for arg in args]
                lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
                if func == "max":
                    return max(_known(lows), default=None), None if None in highs else max(_known(highs))
                return None if None in lows else min(_known(lows)), min(_known(highs), default=None)
            case IfElse(then=then, orelse=orelse):
                (low, high), (least, most) = self._range(linear(then)), self._range(linear(orelse))
                return (
                    None if low is None or least is None else min(low, least),
                    None if high is None or most is None else max(high, most),
                )
            case Arith(op="*", left=left, right=right):
                one, other = self._range(linear(left))[0], self._range(linear(right))[0]
                return (None if one is None or other is None or min(one, other) < 0 else one * other), None
            case _:
                return None, None

    def _decide_member(self, node: Compare) -> bool:
        numbers = literal_numbers(node.right)
        if numbers is None:
            return False
        if node.op == "not in":
            return all(self.decide(Compare("!=", node.left, Int(number))) for number in numbers)
        low, high = self._range(linear(node.left))
        if low is not None and high is not None and high - low < len(numbers):
            return numbers.issuperset(range(low, high + 1))
        return node.left in self.values and self.values[node.left] <= numbers


UNBOUNDED = Bounds({}, {}, {})


def _differing(now: Mapping[Node, _T], before: Mapping[Node, _T]) -> set[Node]:
    """The terms that have another value than they had."""
    return set() if now is before else {term for term, value in now.items() if before.get(term) != value}


def _known(bounds: list[int | None]) -> list[int]:
    return [bound for bound in bounds if bound is not None]
