"""What sums of integer terms can be, by the bounds of the terms and by how they relate."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from aclspec.codegen.emit.linear import Linear, joined, linear
from aclspec.codegen.same import remembered
from aclspec.runtime.predicate.nodes import Arith, Call, IfElse, Node

# Never negative, as a dimension or a number of elements may be in a call that some rule refuses.
_COUNTS = ("rank", "len", "abs")
_STEPS = 3
"""How many relations are put together in one proof."""

Range = tuple[int | None, int | None]


class Sums:
    """The least and the greatest value of each term, inclusive, where they are known; no relation is negative."""

    __slots__ = ("_hopeless", "_ranges", "_related", "high", "low", "relations")

    def __init__(self, low: Mapping[Node, int], high: Mapping[Node, int], relations: tuple[Linear, ...]) -> None:
        """What is known; what follows from it is worked out when it is asked."""
        self.low, self.high, self.relations = low, high, relations
        self._hopeless: dict[Linear, int] = {}
        """Sums that could not be shown not to be negative, and with how many steps: each is reached in many ways."""
        self._ranges: dict[Node, Range] = {}
        self._related: Mapping[Node, list[tuple[Linear, int]]] | None = None

    def shows(self, form: Linear, steps: int = _STEPS) -> bool:
        """Whether a sum is surely not negative, by its terms' bounds or less a relation that is not negative."""
        least, unbounded = form.constant, []
        for term, factor in form.terms.items():
            bound = (self._ranges.get(term) or self.term(term))[factor < 0]
            if bound is None:
                unbounded.append(term)
            else:
                least += factor * bound
        if least >= 0 and not unbounded:
            return True
        if steps == 0:
            return False
        related = self._relating()
        for term in unbounded:
            if term not in related:
                return False
        if self._hopeless.get(form, 0) >= steps:
            return False
        if self._shows_less(form, unbounded if steps == 1 else (), steps):
            return True
        self._hopeless[form] = steps
        return False

    def _shows_less(self, form: Linear, wanted: Collection[Node], steps: int) -> bool:
        """Whether it is not, less a relation that takes a term away from it and speaks of all the wanted ones."""
        related = self._relating()
        for term, have in form.terms.items():
            for relation, factor in related.get(term, ()):
                if have * factor <= 0 or have % factor or (wanted and not _has_all(relation, wanted)):
                    continue
                if self.shows(joined(form, relation, -(have // factor)), steps - 1):
                    return True
        return False

    def _relating(self) -> Mapping[Node, list[tuple[Linear, int]]]:
        """The relations that have a term, each with the term's factor there."""
        if self._related is None:
            self._related = _by_term(self.relations)
        return self._related

    def range(self, form: Linear) -> Range:
        """The bounds of a sum."""
        low: int | None = form.constant
        high: int | None = form.constant
        for term, factor in form.terms.items():
            least, most = self.term(term)
            if factor < 0:
                least, most = most, least
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high

    def term(self, term: Node) -> Range:
        """The bounds of a term that is no sum."""
        known = self._ranges.get(term)
        if known is None:
            known = self._ranges[term] = self._bounded(term)
        return known

    def _bounded(self, term: Node) -> Range:
        low, high = self._computed(term)
        least, most = self.low.get(term), self.high.get(term)
        return (
            least if low is None else low if least is None else max(low, least),
            most if high is None else high if most is None else min(high, most),
        )

    def _computed(self, term: Node) -> Range:
        """The bounds that follow from those of the parts; a count is never negative."""
        match term:
            case Call(func=func) if func in _COUNTS:
                return 0, None
            case Call(func="max" | "min" as func, args=(_, _, *_) as args):
                ranges = [self.range(linear(arg)) for arg in args]
                lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
                if func == "max":
                    return max(_known(lows), default=None), None if None in highs else max(_known(highs))
                return None if None in lows else min(_known(lows)), min(_known(highs), default=None)
            case IfElse(then=then, orelse=orelse):
                (low, high), (least, most) = self.range(linear(then)), self.range(linear(orelse))
                return (
                    None if low is None or least is None else min(low, least),
                    None if high is None or most is None else max(high, most),
                )
            case Arith(op="*", left=left, right=right):
                one, other = self.range(linear(left))[0], self.range(linear(right))[0]
                return (None if one is None or other is None or min(one, other) < 0 else one * other), None
            case _:
                return None, None


def _has_all(relation: Linear, terms: Collection[Node]) -> bool:
    """Whether a relation speaks of all these terms."""
    return all(term in relation.terms for term in terms)


@remembered
def _by_term(relations: tuple[Linear, ...]) -> Mapping[Node, list[tuple[Linear, int]]]:
    """The relations that have a term, each with the term's factor there; bounds that differ often have the same."""
    found: dict[Node, list[tuple[Linear, int]]] = {}
    for relation in relations:
        for term, factor in relation.terms.items():
            found.setdefault(term, []).append((relation, factor))
    return found


def _known(bounds: list[int | None]) -> list[int]:
    return [bound for bound in bounds if bound is not None]
