"""Bounds of integer terms, such as the rank of a parameter, as comparisons with constants make them known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.predicate.nodes import Arith, Call, Compare, Int, ListOf, Node

NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
FLIPPED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
# Never negative, as a dimension or a number of elements may be in a call that some rule refuses.
_COUNTS = ("rank", "len")

Range = tuple[int | None, int | None]


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of each term, inclusive, where they are known."""

    low: Mapping[Node, int] = field(default_factory=dict)
    high: Mapping[Node, int] = field(default_factory=dict)

    def of(self, term: Node) -> Range:
        """The bounds of a term; a count is never negative."""
        match term:
            case Int(value=value):
                return value, value
            case Call(func="len", args=(ListOf(items=items),)):
                return len(items), len(items)
            case Call(func=func) if func in _COUNTS:
                return max(0, self.low.get(term, 0)), self.high.get(term)
            case _:
                return self.low.get(term), self.high.get(term)

    def decide(self, node: Compare) -> bool:
        """Whether the bounds of both sides show that a comparison of integers holds."""
        if node.op == "<=" and _is_less(node.left, node.right):
            return True
        (low, high), (least, most) = self.of(node.left), self.of(node.right)
        match node.op:
            case "<":
                return high is not None and least is not None and high < least
            case "<=":
                return high is not None and least is not None and high <= least
            case ">":
                return low is not None and most is not None and low > most
            case ">=":
                return low is not None and most is not None and low >= most
            case "==":
                return low is not None and low == high == least == most
            case "!=":
                below = high is not None and least is not None and high < least
                return below or (low is not None and most is not None and low > most)
            case _:
                return False

    def learn(self, node: Compare) -> Bounds:
        """The bounds where a comparison of integers holds."""
        if node.op in ("in", "not in"):
            return self._among(node.left, node.right) if node.op == "in" else self
        return self._side(node.left, node.op, node.right)._side(node.right, FLIPPED[node.op], node.left)

    def equal(self, left: Node, right: Node) -> Bounds:
        """The bounds where two lists are equal: what one says of the rank of the other."""
        return self._same_rank(left, right)._same_rank(right, left)

    def _side(self, term: Node, op: str, other: Node) -> Bounds:
        """Tighten the bounds of a term that stands left of an operator."""
        low, _ = self.of(term)
        least, most = self.of(other)
        if op == "!=":
            return self._between(term, low + 1, None) if low is not None and low == least == most else self
        least = None if op not in (">", ">=", "==") or least is None else least + (op == ">")
        most = None if op not in ("<", "<=", "==") or most is None else most - (op == "<")
        return self._between(term, least, most)

    def _among(self, term: Node, values: Node) -> Bounds:
        items = values.items if isinstance(values, ListOf) else ()
        numbers = [item.value for item in items if isinstance(item, Int)]
        return self._between(term, min(numbers), max(numbers)) if items and len(numbers) == len(items) else self

    def _between(self, term: Node, least: int | None, most: int | None) -> Bounds:
        low, high = self.of(term)
        found = self
        if least is not None and (low is None or least > low):
            found = replace(found, low={**found.low, term: least})
        if most is not None and (high is None or most < high):
            found = replace(found, high={**found.high, term: most})
        return found

    def _same_rank(self, left: Node, right: Node) -> Bounds:
        match left, right:
            case Call(func="shape", args=(tensor,)), ListOf(items=items):
                return self._between(Call("rank", (tensor,)), len(items), len(items))
            case Call(func="shape", args=(tensor,)), Call(func="shape", args=(other,)):
                return self._between(Call("rank", (tensor,)), *self.of(Call("rank", (other,))))
            case _:
                return self


def negated(node: Compare) -> Compare:
    """The comparison that holds where this one, of integers or by equality, does not."""
    return Compare(NEGATED[node.op], node.left, node.right)


def of_integers(node: Compare, scope: Scope) -> bool:
    """Whether integers are compared: only then is "not less" the same as "greater or equal"."""
    return scope.kind(node.left) == "int" and scope.kind(node.right) in ("int", "ints")


def _is_less(left: Node, right: Node) -> bool:
    """Whether one side is the other one minus a constant."""
    match left:
        case Arith(op="-", left=whole, right=Int(value=value)):
            return whole == right and value >= 0
        case _:
            return False
