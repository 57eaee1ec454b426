"""Intervals of integer terms, and of sums of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from math import ceil, floor, inf
from typing import TypeAlias

from aclspec.runtime.language.functions import MAX_RANGE
from aclspec.runtime.language.nodes import Arith, Call, Each, IfElse, Index, Int, ListOf, Name, Negate, Node
from aclspec.runtime.language.nodes import names as free_names


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

    def plus(self, other: Interval) -> Interval:
        """The sums of a number of each."""
        return Interval(self.low + other.low, self.high + other.high)

    def times(self, other: Interval) -> Interval:
        """The products of a number of each; zero times infinity is zero here."""
        if self.low > self.high or other.low > other.high:
            return NOTHING
        corners = [0.0 if 0 in (a, b) else a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def scaled(self, factor: int) -> Interval:
        """A multiple of each number."""
        return self.times(Interval(factor, factor))

    def divided(self, factor: int) -> Interval:
        """The integers of which a multiple lies in the interval."""
        low, high = (self.low / factor, self.high / factor) if factor > 0 else (self.high / factor, self.low / factor)
        return Interval(low if low == -inf else ceil(low), high if high == inf else floor(high))


ALL = Interval()
NOTHING = Interval(1, 0)
NATURAL = Interval(0)
"""Ranks and lengths; a dimension may be negative in a call that some rule refuses."""
Key: TypeAlias = frozenset[tuple[Node, int]]
"""The terms of a sum with their factors."""
_STEPS = 2
"""How many known sums are taken together to bound another."""


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
        case Call(func="range", args=(start, stop)):
            count = stop if start == Int(0) else Arith("-", stop, start)
            return Linear({Call("max", (count, Int(0))): 1}, 0)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return Linear({IfElse(cond, Call("len", (then,)), Call("len", (orelse,))): 1}, 0)
        case _:
            return Linear({Call("len", (values,)): 1}, 0)


@dataclass(frozen=True, slots=True)
class Ranges:
    """What is known of integers.

    ``names``: the intervals of parameters and variables, for a list that of its elements. ``terms``: those of other
    terms, and ``sums`` those of sums of several. ``equal``: terms in whose place another sum stands.
    """

    names: Mapping[str, Interval] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    terms: Mapping[Node, Interval] = field(default_factory=dict)
    sums: Mapping[Key, Interval] = field(default_factory=dict)
    equal: Mapping[Node, Linear] = field(default_factory=dict)
    memo: dict[tuple[Key, int, int], Interval] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def is_sound(self) -> bool:
        """Whether some number lies in every interval."""
        return all(interval.low <= interval.high for interval in (*self.terms.values(), *self.sums.values()))

    def of(self, node: Node, steps: int = _STEPS) -> Interval:
        """The interval of an int, or of the elements of a list of ints."""
        return self._term(node, steps) if is_list(node, self.lists) else self.of_sum(linear(node), steps)

    def of_sum(self, form: Linear, steps: int = _STEPS) -> Interval:
        """The interval of a sum: of its terms one by one, and by sums that are known of some of them together."""
        key = form.key, form.constant, steps
        bound = self.memo.get(key)
        if bound is None:
            bound = self.memo[key] = self._of_sum(self._substituted(form), steps)
        return bound

    def _of_sum(self, form: Linear, steps: int) -> Interval:
        found = Interval(form.constant, form.constant)
        for term, factor in form.terms.items():
            found = found.plus(self._term(term, steps).scaled(factor))
        if steps == 0:
            return found
        for key, interval in (*self.sums.items(), *filter(None, map(_beside, form.terms))):
            for term, factor in key:
                if term in form.terms:
                    times = form.terms[term] * (1 if factor > 0 else -1)
                    left = Linear({}, 0).plus(form, abs(factor)).plus(Linear(dict(key), 0), -times)
                    bound = self.of_sum(left, steps - 1).plus(interval.scaled(times))
                    found = found.meet(bound.divided(abs(factor)))
        return found

    def _substituted(self, form: Linear) -> Linear:
        while (term := next((term for term in form.terms if term in self.equal), None)) is not None:
            form = form.without(term).plus(self.equal[term], form.terms[term])
        return form

    def _term(self, term: Node, steps: int = _STEPS) -> Interval:
        return self._structural(term, steps).meet(self.terms.get(term, ALL))

    def within(self, form: Linear, interval: Interval) -> Ranges:
        """The ranges where a sum lies in an interval."""
        form = self._substituted(form)
        bound = interval.plus(Interval(-form.constant, -form.constant))
        if len(form.terms) == 1:
            ((term, factor),) = form.terms.items()
            known = self.terms.get(term, ALL)
            bound = known.meet(bound.divided(factor))
            return self if bound == known else replace(self, terms={**self.terms, term: bound})
        known = self.sums.get(form.key, ALL)
        bound = known.meet(bound)
        if bound == known or not form.terms or not all(map(_is_opaque, form.terms)):
            return self
        return replace(self, sums={**self.sums, form.key: bound})

    def relating(self, form: Linear, interval: Interval) -> Ranges:
        """The same where all terms of the sum have a value: one may then be replaced by others that it equals."""
        form = self._substituted(form)
        found = self.within(form, interval)
        if len(form.terms) > 1 and not all(map(_is_opaque, form.terms)):  # of each number what the choices leave it
            for number, factor in form.terms.items():
                if _is_opaque(number):
                    rest = self.of_sum(form.without(number)).scaled(-1)
                    found = found.within(Linear({number: factor}, 0), interval.plus(rest))
            return found
        term = next((term for term, factor in form.terms.items() if factor in (1, -1)), None)
        if interval != Interval(0, 0) or len(form.terms) < 2 or term is None or not all(map(_is_atomic, form.terms)):
            return found
        other = Linear({}, 0).plus(form.without(term), -form.terms[term])
        found = replace(found, equal={**self.equal, term: other}).within(other, self._term(term))
        for key, bound in self.sums.items():
            if any(known == term for known, _ in key):
                found = found.within(Linear(dict(key), 0), bound)
        return found

    def bind(self, var: str, over: Node) -> Ranges:
        """The ranges inside a quantifier, whose variable is another one than any outside that has its name."""

        def speaks(*nodes: Node) -> bool:
            return any(var in free_names(node) for node in nodes)

        return replace(
            self,
            names={**self.names, var: self.of(over)},
            terms={term: found for term, found in self.terms.items() if not speaks(term)},
            sums={key: found for key, found in self.sums.items() if not speaks(*(term for term, _ in key))},
            equal={term: form for term, form in self.equal.items() if not speaks(term, *form.terms)},
        )

    def _structural(self, node: Node, steps: int) -> Interval:
        """What follows from the parts of a term."""
        match node:
            case Name(id=name):
                return self.names.get(name, ALL)
            case Arith(op="+", left=left, right=right):  # of lists: other sums are linear
                return self.of(left, steps).hull(self.of(right, steps))
            case Arith(op="*", left=left, right=right):
                return self.of(left, steps).times(self.of(right, steps))
            case Arith(op="//", left=left, right=right) if self.of(right, steps).low > 0:
                whole = self.of(left, steps)
                return Interval(0 if whole.low >= 0 else -inf, whole.high if whole.high >= 0 else inf)
            case Arith(op="%", right=right) if self.of(right, steps).low > 0:
                return Interval(0, self.of(right, steps).high - 1)
            case IfElse(then=then, orelse=orelse):
                return self.of(then, steps).hull(self.of(orelse, steps))
            case Index(base=ListOf(items=items), index=Int(value=value)) if value < len(items):
                return self.of(items[value], steps)
            case Index(base=base):
                return self.of(base, steps)
            case ListOf(items=items):
                return reduce(Interval.hull, (self.of(item, steps) for item in items)) if items else ALL
            case Each(var=var, over=over, body=body):
                return self.bind(var, over).of(body, steps)
            case Call(func=func, args=args):
                return self._call(func, args, steps)
        return ALL

    def _call(self, func: str, args: tuple[Node, ...], steps: int) -> Interval:
        match func:
            case "rank":
                return Interval(0, MAX_RANGE)  # no tensor has more axes than a range has numbers
            case "len" if isinstance(args[0], Name):
                return Interval(0, MAX_RANGE)  # no longer list is taken
            case "len":
                return NATURAL
            case "wrap":  # where it has a value
                return Interval(0, self.of(args[1], steps).high - 1)
            case "dim":
                return self.of(Call("shape", args[:1]), steps)
            case "abs":
                inner = self.of(args[0], steps)
                return Interval(max(0, inner.low, -inner.high), max(abs(inner.low), abs(inner.high)))
            case "prod" | "sum":
                return NATURAL if self.of(args[0], steps).low >= 0 else ALL
            case "broadcast":
                return self.of(args[0], steps).hull(self.of(args[1], steps))
            case "index_shape":
                return self.of(args[0], steps).hull(NATURAL)
            case "range":
                return Interval(self.of(args[0], steps).low, self.of(args[1], steps).high - 1)
            case "ceil_div":
                return NATURAL if min(self.of(arg, steps).low for arg in args) >= 0 else ALL
            case "slice" | "min" | "max" if func == "slice" or len(args) == 1:
                return self.of(args[0], steps)
            case "min" | "max":
                choose = min if func == "min" else max
                parts = [self.of(arg, steps) for arg in args]
                return Interval(choose(part.low for part in parts), choose(part.high for part in parts))
        return ALL


def _beside(term: Node) -> tuple[Key, Interval] | None:
    """A sum with a term in it that follows from what the term is: of a quotient, or of an axis of so many."""
    match term:
        case Arith(op="//", left=left, right=Int(value=divisor)) if divisor > 0:
            form, interval = Linear({term: divisor}, 0).plus(linear(left), -1), Interval(1 - divisor, 0)
        case Call(func="wrap", args=(_, length)):
            form, interval = Linear({term: 1}, 0).plus(linear(length), -1), Interval(high=-1)
        case _:
            return None
    return form.key, interval.plus(Interval(-form.constant, -form.constant))


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


def _is_atomic(term: Node) -> bool:
    """Whether no other integer is in a term, so that what it equals is looked up without an end."""
    match term:
        case Name() | Call(func="rank" | "dim") | Call(func="len", args=(Name(),)) | Index(base=Name()):
            return True
    return False


def _is_opaque(term: Node) -> bool:
    """Whether a term is one number in sums, rather than a product or a choice of others."""
    match term:
        case Arith(op="//", left=left, right=Int()):
            return _is_opaque(left)
        case Call(func="min" | "max", args=(_,)):
            return True
    return _is_atomic(term)
