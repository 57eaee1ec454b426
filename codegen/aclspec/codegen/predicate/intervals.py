"""Ranges of integers: what a term of a predicate can be, whatever the call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf

from aclspec.runtime.predicate.nodes import Arith, Call, Each, IfElse, Index, Int, ListOf, Name, Negate, Node


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``, both included; infinite where there is no bound."""

    low: float = -inf
    high: float = inf

    def meet(self, other: Interval) -> Interval:
        """The numbers in both."""
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval around both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))


ALL = Interval()
NATURAL = Interval(0)
"""Ranks and lengths; a dimension may be negative in a call that some rule refuses."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The intervals of names (parameters, variables) and of whole terms of which more is known."""

    names: Mapping[str, Interval]
    terms: Mapping[Node, Interval]
    lists: frozenset[str] = frozenset()

    @property
    def is_sound(self) -> bool:
        """Whether some number lies in every interval."""
        return all(interval.low <= interval.high for interval in self.terms.values())

    def of(self, node: Node) -> Interval:
        """The interval of an int, or of the elements of a list of ints."""
        return self._of(node).meet(self.terms.get(node, ALL))

    def _of(self, node: Node) -> Interval:
        match node:
            case Int(value=value):
                return Interval(value, value)
            case Name(id=name):
                return self.names.get(name, ALL)
            case Negate(operand=operand):
                inner = self.of(operand)
                return Interval(-inner.high, -inner.low)
            case Arith(op="+", left=left, right=right) if is_list(node, self.lists):
                return self.of(left).hull(self.of(right))
            case Arith(op=op, left=left, right=right):
                return _arith(op, self.of(left), self.of(right))
            case IfElse(then=then, orelse=orelse):
                return self.of(then).hull(self.of(orelse))
            case Index(base=base):
                return self.of(base)
            case ListOf(items=items):
                return _hull(self.of(item) for item in items)
            case Each(var=var, over=over, body=body):
                return replace(self, names={**self.names, var: self.of(over)}).of(body)
            case Call(func=func, args=args):
                return self._call(func, args)
        return ALL

    def _call(self, func: str, args: tuple[Node, ...]) -> Interval:
        match func:
            case "rank" | "len":
                return NATURAL
            case "abs":
                inner = self.of(args[0])
                return Interval(max(0, inner.low, -inner.high), max(abs(inner.low), abs(inner.high)))
            case "prod" | "sum":
                return NATURAL if self.of(args[0]).low >= 0 else ALL
            case "broadcast":
                return self.of(args[0]).hull(self.of(args[1]))
            case "slice":
                return self.of(args[0])
            case "range":
                return Interval(self.of(args[0]).low, self.of(args[1]).high - 1)
            case "ceil_div":
                left, right = self.of(args[0]), self.of(args[1])
                return NATURAL if left.low >= 0 and right.low >= 0 else ALL
            case "min" | "max":
                return self._extreme(func, [self.of(arg) for arg in args])
        return ALL

    @staticmethod
    def _extreme(func: str, parts: list[Interval]) -> Interval:
        if len(parts) == 1:
            return parts[0]
        choose = min if func == "min" else max
        return Interval(choose(part.low for part in parts), choose(part.high for part in parts))


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
            return func in ("shape", "broadcast", "slice", "range")
    return False


def _hull(intervals: Iterable[Interval]) -> Interval:
    result: Interval | None = None
    for interval in intervals:
        result = interval if result is None else result.hull(interval)
    return result or ALL


def _arith(op: str, left: Interval, right: Interval) -> Interval:
    match op:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "*":
            return _product(left, right)
        case "//" if right.low > 0:
            return Interval(0 if left.low >= 0 else -inf, left.high if left.high >= 0 else inf)
        case "%" if right.low > 0:
            return Interval(0, right.high - 1)
    return ALL


def _product(left: Interval, right: Interval) -> Interval:
    """The corners of the box; zero times infinity is zero here."""
    corners = [0.0 if 0 in (a, b) else a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(corners), max(corners))
