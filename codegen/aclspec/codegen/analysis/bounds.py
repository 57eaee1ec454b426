"""What comparisons that hold say of integers: the numbers between which a sum of terms lies.

A bound is found again for the same sum only. Terms that are known to be equal stand for one another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isinf

from aclspec.codegen.analysis.sums import Key, Linear, is_count
from aclspec.runtime.language.functions import MAX_RANGE
from aclspec.runtime.language.nodes import Call, Each, Name, Node, names

OF_COMPARISON: Mapping[str, tuple[float, float]] = {
    "==": (0, 0),
    "<": (-inf, -1),
    "<=": (-inf, 0),
    ">": (1, inf),
    ">=": (0, inf),
}
"""Between which numbers the difference of two integers lies that compare so."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The known bounds; ``equal`` has sums that stand in the place of a term, ``is_sound`` is false for no call."""

    known: Mapping[Key, tuple[float, float]] = field(default_factory=dict)
    equal: Mapping[Node, Linear] = field(default_factory=dict)
    is_sound: bool = True

    def of(self, form: Linear) -> tuple[float, float]:
        """The smallest and the largest number that a sum can be."""
        form = self._substituted(form)
        part, factor = form.divided()
        low, high = self._of_terms(part.key)
        return low * factor + form.constant, high * factor + form.constant

    def _of_terms(self, key: Key) -> tuple[float, float]:
        """Between which numbers a sum without a constant lies: by what is known of it, or of each of its terms."""
        low, high = self.known.get(key, (-inf, inf))
        if low != high:
            each = [(factor, *self._of_term(term)) for term, factor in key]
            low = max(low, sum(factor * (least if factor > 0 else most) for factor, least, most in each))
            high = min(high, sum(factor * (most if factor > 0 else least) for factor, least, most in each))
        return low, high

    def _of_term(self, term: Node) -> tuple[float, float]:
        low, high = self.known.get(frozenset({(term, 1)}), (-inf, inf))
        if is_count(term):
            low = max(low, 0)
        match term:
            case (
                Call(func="rank")
                | Call(func="len", args=(Name(),))
                | Call(func="max", args=(Each(body=Call(func="rank")),))
            ):
                high = min(high, MAX_RANGE)  # no tensor has more axes, and no longer list is taken
        return low, high

    def _substituted(self, form: Linear) -> Linear:
        while (term := next((term for term in form.terms if term in self.equal), None)) is not None:
            form = form.without(term).plus(self.equal[term], form.terms[term])
        return form

    def within(self, form: Linear, low: float, high: float) -> Bounds:
        """The bounds where a sum lies between two numbers."""
        form, factor = (whole := self._substituted(form)).divided()
        now_low, now_high = self._of_terms(form.key)
        low = max(now_low, -_floor(whole.constant - low, factor))
        high = min(now_high, _floor(high - whole.constant, factor))
        if not form.terms or low > high:
            return self if low <= high else Bounds(self.known, self.equal, False)
        if (low, high) == (now_low, now_high):
            return self
        opposite = frozenset((term, -times) for term, times in form.key)
        known = {**self.known, form.key: (low, high), opposite: (-high, -low)}
        return Bounds(known, self.equal, self.is_sound)

    def equating(self, form: Linear) -> Bounds:
        """The bounds where a sum of terms that all have a value is zero: the others stand for one of them."""
        form = self._substituted(form)
        found = self.within(form, 0, 0)
        term = next((term for term, factor in form.terms.items() if factor in (1, -1)), None)
        if term is None:
            return found
        other = Linear({}, 0).plus(form.without(term), -form.terms[term])
        mentioning = {key for key in self.known if any(one == term for one, _ in key)}
        known = {key: bound for key, bound in self.known.items() if key not in mentioning}
        found = Bounds(known, {**found.equal, term: other}, found.is_sound)
        for key in mentioning:
            found = found.within(Linear(dict(key), 0), *self.known[key])
        return found.within(other, *self._of_terms(frozenset({(term, 1)})))

    def bind(self, var: str) -> Bounds:
        """The bounds inside a quantifier, whose variable is another one than any outside that has its name."""

        def speaks(*nodes: Node) -> bool:
            return any(var in names(node) for node in nodes)

        return Bounds(
            {key: found for key, found in self.known.items() if not speaks(*(term for term, _ in key))},
            {term: form for term, form in self.equal.items() if not speaks(term, *form.terms)},
            self.is_sound,
        )


def _floor(number: float, factor: int) -> float:
    return number if isinf(number) else number // factor
