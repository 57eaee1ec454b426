"""Facts about a call, and the truth values that they leave a predicate: the question whether a rule can ever fail.

The answer is safe on one side only. A value that `possible` leaves out cannot occur; one that it names perhaps can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from math import inf
from typing import Any, TypeAlias

from aclspec.codegen.analysis.intervals import Interval, Linear, Ranges, is_list, linear
from aclspec.codegen.analysis.terms import (
    arms,
    choices,
    conditionals,
    conjuncts,
    elements,
    is_unconditional,
    mentioned,
    replaced,
)
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.nodes import (
    NEGATED,
    And,
    Bool,
    Call,
    Compare,
    IfElse,
    Int,
    ListOf,
    Name,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
    names,
    substitute,
)

Truth: TypeAlias = frozenset[bool]
EITHER: Truth = frozenset({True, False})
TRUE: Truth = frozenset({True})
FALSE: Truth = frozenset({False})
Consequences: TypeAlias = Callable[[Node], Iterable[Node]]
"""What else holds where a predicate is defined and true."""
Literals: TypeAlias = "Mapping[Node, tuple[frozenset[Node] | None, frozenset[Node]]]"
_LITERALS = (Int, Str, Symbol, Bool)
_BOUNDS: Mapping[str, Interval] = {
    "==": Interval(0, 0),
    "<": Interval(high=-1),
    "<=": Interval(high=0),
    ">": Interval(1),
    ">=": Interval(0),
}
"""Where the difference of two integers lies that compare so."""
_CASES = 2
"""How many conditional terms in one comparison are decided case by case."""
_FEW_ELEMENTS = 4
"""A loop over so many elements is looked at one by one."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known to hold.

    ``true``: predicates that are not false; ``sure``: those of them that are defined. ``cases``: disjunctions of which
    one part is sure. ``implications``: a premise and what is sure where it is. ``undecided``: sure comparisons of
    which it is not known what a conditional term in them is. ``floats``: the names that are
    floats or lists of these. ``reachable``: whether no sure fact contradicts the others.
    """

    ranges: Ranges = field(default_factory=Ranges)
    floats: frozenset[str] = frozenset()
    consequences: Consequences = lambda node: (node,)
    true: frozenset[Node] = frozenset()
    sure: frozenset[Node] = frozenset()
    cases: tuple[tuple[Node, ...], ...] = ()
    implications: tuple[tuple[Node, Node], ...] = ()
    undecided: tuple[Compare, ...] = ()
    reachable: bool = True
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def having(self, **changes: Any) -> Facts:
        """These facts with other fields; what follows from the predicates alone is kept where these stay."""
        kept = () if "true" in changes else ("literals", "loops")
        return replace(self, memo={key: self.memo[key] for key in kept if key in self.memo}, **changes)

    def assuming(self, nodes: Iterable[Node]) -> Facts:
        """These facts where none of the predicates is false; each may be undefined."""
        found = self
        for node in nodes:
            found = found._learn(node, False)
        return found

    def assume(self, node: Node) -> Facts:
        """These facts where a predicate is defined and true."""
        found: Facts | None = self.memo.get(("assume", node))
        if found is None:
            found = self
            for one in self.consequences(node):
                if one not in found.sure:
                    found = found._learn(one, True)._resolved(one)
            if found is self:
                return self
            self.memo["assume", node] = found
        return found

    def following(self, premise: Node, conclusion: Node) -> Facts:
        """These facts where the conclusion is defined and true as soon as the premise is."""
        if self.holds(premise):
            return self.assume(conclusion)
        return self.having(implications=(*self.implications, (premise, conclusion)))

    def holds(self, node: Node) -> bool:
        """Whether a predicate is known to be defined and true."""
        return all(part in self.sure for part in conjuncts(node) if not isinstance(part, And))

    def _resolved(self, new: Node) -> Facts:
        """What follows from comparisons, disjunctions and implications that mention what is new."""
        found, fresh = self, names(new)
        for node in self.undecided:
            if node != new and not fresh.isdisjoint(names(node)):
                # Without the others: to decide one of them may ask about this one again, and so on for ever.
                decided = found.having(undecided=())._decided(node)
                found = found if decided == node else found._learn(decided, True)
        for case in self.cases:
            if not all(fresh.isdisjoint(names(part)) for part in case):
                left = [part for part in case if possible(part, found) != FALSE]
                found = found.assume(left[0]) if len(left) == 1 else found
        for premise, conclusion in self.implications:
            if not fresh.isdisjoint(names(premise)) and conclusion not in found.sure and found.holds(premise):
                found = found.assume(conclusion)
        return found

    def _learn(self, node: Node, sure: bool) -> Facts:
        if node in (self.sure if sure else self.true):
            return self
        found = self.having(true=self.true | {node}, sure=self.sure | {node} if sure else self.sure)
        found.memo["literals"] = _with_literals(self.literals, node)
        match node:
            case And(items=items):
                return _each(found, items, sure)
            case Not(operand=Or(items=items)):
                return _each(found, tuple(self.negated(item) for item in items), sure)
            case Not(operand=Not(operand=inner)):
                return found._learn(inner, sure)
            case Not(operand=Compare() as inner) if not self.is_float(inner):
                return found._learn(self.negated(inner), sure)
            case Not(operand=Quantifier(kind="any", var=var, over=over, body=body)):
                return found._learn(Quantifier("all", var, over, self.negated(body)), sure)
            case Quantifier(kind="all", var=var, over=over, body=body):
                inside = Facts(Ranges(lists=self.ranges.lists), self.floats).assuming([body]).ranges.of(Name(var))
                return found.having(ranges=self.ranges.within(Linear({over: 1}, 0), inside))
            case Or(items=items) if sure and is_unconditional(node):
                return found.having(cases=(*self.cases, items))
            case Not(operand=And(items=items)) if sure and is_unconditional(node):
                return found.having(cases=(*self.cases, tuple(self.negated(item) for item in items)))
            case IfElse(cond=cond, then=then, orelse=orelse) if sure:
                return found.following(cond, then).following(self.negated(cond), orelse)
            case Compare() if not self.is_float(node):
                return found._compared(node, sure)
        return found

    def _compared(self, node: Compare, sure: bool) -> Facts:
        """The bounds that a comparison gives; of one that may be undefined, those of a term beside a literal."""
        node = self._decided(node)
        if sure and choices(node):
            return self.having(undecided=(*self.undecided, node))._bounded(node, sure)
        return self._bounded(node, sure)

    def _bounded(self, node: Compare, sure: bool) -> Facts:
        """The facts with the bounds of a comparison as it stands."""
        left, op, right = node.left, node.op, node.right
        lists = self.ranges.lists
        if op == "in" and isinstance(right, ListOf):
            numbers = [item.value for item in right.items if isinstance(item, Int)]
            bound = Interval(min(numbers), max(numbers)) if numbers and len(numbers) == len(right.items) else Interval()
            return self._within(left, Int(0), bound, sure)
        if is_list(left, lists) or is_list(right, lists):
            lengths = Call("len", (left,)), Call("len", (right,))
            return self._within(*lengths, Interval(0, 0), sure) if op == "==" else self
        if op == "!=":
            known = self.ranges.of_sum(linear(left).plus(linear(right), -1))
            bound = Interval(1 if known.low == 0 else -inf, -1 if known.high == 0 else inf)
            return self._within(left, right, bound, sure)
        return self._within(left, right, _BOUNDS[op], sure) if op in _BOUNDS else self

    def _decided(self, node: Compare) -> Compare:
        """A comparison without the conditional terms of which it is known what they are."""
        for term in choices(node):
            chosen, then, orelse = arms(term)
            values = possible(chosen, self)
            if values in (TRUE, FALSE):
                arm = then if values == TRUE else orelse
                return self._decided(Compare(node.op, replaced(node.left, term, arm), replaced(node.right, term, arm)))
        return node

    def _within(self, left: Node, right: Node, bound: Interval, sure: bool) -> Facts:
        """The facts where a difference lies in an interval."""
        form = linear(left).plus(linear(right), -1)
        if sure:
            met = self.ranges.of_sum(form).meet(bound)
            reachable = self.reachable and met.low <= met.high
            return self.having(ranges=self.ranges.relating(form, bound), reachable=reachable)
        atomic = all(isinstance(side, Int) or linear(side).terms == {side: 1} for side in (left, right))
        literal = isinstance(left, Int) or isinstance(right, Int)
        return self.having(ranges=self.ranges.within(form, bound)) if atomic and literal else self

    def within(self, var: str, over: Node, kind: str) -> Facts:
        """The facts about each element of a list, as a variable of this type."""
        floats = self.floats | {var} if kind == "float" else self.floats - {var}
        return self.bind(var, over).having(floats=floats)

    def bind(self, var: str, over: Node) -> Facts:
        """The facts inside a quantifier: of its variable no more than the list says, whatever else has its name."""

        def spared(found: frozenset[Node]) -> frozenset[Node]:
            return frozenset(node for node in found if var not in names(node))

        found = self.having(
            ranges=self.ranges.bind(var, over),
            floats=self.floats | {var} if self.is_float(over) else self.floats - {var},
            true=spared(self.true),
            sure=spared(self.sure),
            cases=tuple(case for case in self.cases if len(spared(frozenset(case))) == len(set(case))),
            implications=tuple(pair for pair in self.implications if len(spared(frozenset(pair))) == len(set(pair))),
            undecided=tuple(node for node in self.undecided if var not in names(node)),
        )
        found = found.of_element(Name(var), over)
        if isinstance(over, Call) and over.func == "range":
            start, stop = over.args
            found = found.assume(Compare(">=", Name(var), start)).assume(Compare("<", Name(var), stop))
        return found

    def of_element(self, element: Node, over: Node) -> Facts:
        """The facts where an element of a list has a value: of each holds what holds of all."""
        found = self
        for node in self.loops.get(over, ()):
            body = substitute(node.body, {node.var: element})
            found = found.assume(body) if node in self.sure else found.assuming((body,))
        return found

    def of_elements(self, node: Node) -> Facts:
        """The facts where the elements of lists that a tree names have a value."""
        found = self
        for element in elements(node) if self.loops else ():
            found = found.of_element(element, element.base)
        return found

    @property
    def loops(self) -> Mapping[Node, list[Quantifier]]:
        """What holds of every element, by the list."""
        found: dict[Node, list[Quantifier]] | None = self.memo.get("loops")
        if found is None:
            found = self.memo["loops"] = {}
            loops = (node for node in self.true if isinstance(node, Quantifier) and node.kind == "all")
            for node in sorted((one for one in loops if is_unconditional(one.body)), key=repr):
                found.setdefault(node.over, []).append(node)
        return found

    @property
    def literals(self) -> Literals:
        """The literals that a term is one of, None where that is not known, and those that it is none of."""
        found: Literals | None = self.memo.get("literals")
        if found is None:
            start: Literals = {}
            found = self.memo["literals"] = reduce(_with_literals, self.true, start)
        return found

    def one_of(self, term: Node) -> frozenset[Node] | None:
        """The literals of which a term is one; None where they are not known."""
        if isinstance(term, _LITERALS):
            return frozenset((term,))
        allowed, refused = self.literals.get(term, (None, frozenset()))
        return None if allowed is None else allowed - refused

    def is_float(self, node: Node) -> bool:
        """Whether a tree speaks of floats, of which a NaN is neither below nor above another nor equal to itself."""
        literal, found = mentioned(node)
        return literal or not self.floats.isdisjoint(found)

    def negated(self, node: Node) -> Node:
        """The tree that is true where this one is false."""
        match node:
            case Not(operand=operand):
                return operand
            case Compare() if not self.is_float(node):
                return _opposite(node)
            case Bool(value=value):
                return Bool(not value)
        return Not(node)


@lru_cache(maxsize=50_000)
def _opposite(node: Compare) -> Compare:
    """The comparison that is true where this one is false; the same object each time, which knows its hash."""
    return Compare(NEGATED[node.op], node.left, node.right)


@lru_cache(maxsize=50_000)
def _alternatives(node: Compare) -> tuple[Compare, ...]:
    """The comparison with each member of a list."""
    return tuple(Compare("==", node.left, item) for item in node.right.items) if isinstance(node.right, ListOf) else ()


def _with_literals(known: Literals, node: Node) -> Literals:
    """What is known of the literals that terms are, with what one more predicate says."""
    if not isinstance(node, Compare) or node.op not in ("==", "!=", "in", "not in"):
        return known
    named = frozenset(node.right.items if isinstance(node.right, ListOf) else (node.right,))
    if not all(isinstance(one, _LITERALS) for one in named):
        return known
    allowed, refused = known.get(node.left, (None, frozenset()))
    if node.op in ("==", "in"):
        allowed = named if allowed is None else allowed & named
    else:
        refused |= named
    return {**known, node.left: (allowed, refused)}


def _each(facts: Facts, items: Iterable[Node], sure: bool) -> Facts:
    for item in items:
        facts = facts._learn(item, sure)
    return facts


def possible(node: Node, facts: Facts) -> Truth:
    """The truth values that a predicate can have where it is defined."""
    found: Truth | None = facts.memo.get(node)
    if found is None:
        found = facts.memo[node] = _possible(node, facts)
    return found


def _possible(node: Node, facts: Facts) -> Truth:
    if not facts.reachable:
        return frozenset()
    if node in facts.true:
        return TRUE
    if facts.negated(node) in facts.true:
        return FALSE
    match node:
        case Bool(value=value):
            return frozenset({value})
        case Not(operand=operand):
            return frozenset(not value for value in possible(operand, facts))
        case And(items=items):
            return _conjunction(items, facts)
        case Or(items=items):
            opposite = _conjunction(tuple(facts.negated(item) for item in items), facts)
            return frozenset(not value for value in opposite)
        case IfElse(cond=cond, then=then, orelse=orelse):
            return _conditional(cond, then, orelse, facts)
        case Quantifier():
            return _quantified(node, facts)
        case Call(func="is_private", args=(term,)) if (formats := facts.one_of(term)) is not None:
            return frozenset(Format[one.name].is_private for one in formats if isinstance(one, Symbol))
        case Compare() if not facts.is_float(node):
            return _compared(node, facts)
    return EITHER


def _conjunction(items: tuple[Node, ...], facts: Facts) -> Truth:
    """An ``and``: its parts may rely on each other, since the whole is false anyway where one of them is."""
    every = [possible(item, facts) for item in items]
    if all(values == TRUE for values in every):
        return TRUE
    if any(values == FALSE for values in every) or any(facts.negated(item) in items for item in items):
        return FALSE
    for index, item in enumerate(items):
        # Comparisons only: what nests would be looked at again on every level, and the time would double with each.
        others = items[:index] + items[index + 1 :]
        if isinstance(item, Compare) and possible(item, facts.assuming(others)) == FALSE:
            return FALSE
    return EITHER


def _conditional(cond: Node, then: Node, orelse: Node, facts: Facts) -> Truth:
    branches = possible(cond, facts)
    result: Truth = frozenset()
    if True in branches:
        result |= possible(then, facts.assume(cond))
    if False in branches:
        result |= possible(orelse, facts.assume(facts.negated(cond)))
    return result


def _quantified(node: Quantifier, facts: Facts) -> Truth:
    """Over no element ``all`` is true and ``any`` is false, so that only one answer can be ruled out.

    A variable hides no other name (lint refuses that), so that none in the body takes an element for itself.
    """
    if isinstance(node.over, IfElse):
        branches = (replace(node, over=node.over.then), replace(node, over=node.over.orelse))
        return _conditional(node.over.cond, *branches, facts)
    if isinstance(node.over, ListOf) and len(node.over.items) <= _FEW_ELEMENTS:
        each = tuple(substitute(node.body, {node.var: item}) for item in node.over.items)
        return possible(And(each) if node.kind == "all" else Or(each), facts)
    values = possible(node.body, facts.bind(node.var, node.over))
    if node.kind == "all":
        return TRUE if values <= TRUE else EITHER
    return FALSE if values <= FALSE else EITHER


def _compared(node: Compare, facts: Facts) -> Truth:
    left, right, lists = node.left, node.right, facts.ranges.lists
    if node.op in ("in", "not in"):
        return _member(node, facts)
    if left == right:
        return TRUE if node.op in ("==", "<=", ">=") else FALSE
    if isinstance(left, _LITERALS) and isinstance(right, _LITERALS) and node.op in ("==", "!="):
        return frozenset({node.op == "!="})
    if isinstance(left, ListOf) and isinstance(right, ListOf) and len(left.items) != len(right.items):
        return FALSE if node.op == "==" else TRUE
    if is_list(left, lists) or is_list(right, lists):
        return EITHER
    if node.op in ("==", "!="):
        equal = _equal(left, right, facts)
        if equal != EITHER:
            return equal if node.op == "==" else frozenset(not value for value in equal)
    return _signed(node.op, linear(left).plus(linear(right), -1), facts, _CASES)


def _equal(left: Node, right: Node, facts: Facts) -> Truth:
    """Whether two terms are equal, by the literals that each is known to be one or none of."""
    one, other = facts.one_of(left), facts.one_of(right)
    if one is None or other is None:
        return FALSE if right in facts.literals.get(left, (None, ()))[1] else EITHER
    if one.isdisjoint(other):
        return FALSE
    return TRUE if one == other and len(one) == 1 else EITHER


def _signed(op: str, form: Linear, facts: Facts, cases: int) -> Truth:
    """A comparison of a sum with 0, its conditional terms case by case."""
    found = _ranged(op, facts.ranges.of_sum(form))
    choice = next((term for part in form.terms for term in conditionals(part)), None) if found == EITHER else None
    if choice is None or cases == 0:
        return found
    result: Truth = frozenset()
    chosen, then, orelse = arms(choice)
    for cond, arm in ((chosen, then), (facts.negated(chosen), orelse)):
        if possible(cond, facts) != FALSE:
            moved = Linear({}, form.constant)
            for part, factor in form.terms.items():
                moved = moved.plus(linear(replaced(part, choice, arm)), factor)
            inside = facts.assume(cond)
            result |= _signed(op, moved, inside, cases - 1) if inside.reachable else frozenset()
    return result


def _member(node: Compare, facts: Facts) -> Truth:
    if not isinstance(node.right, ListOf):
        return EITHER
    each = [possible(one, facts) for one in _alternatives(node)]
    inside = TRUE if TRUE in each else FALSE if all(values == FALSE for values in each) else EITHER
    return inside if node.op == "in" else frozenset(not value for value in inside)


def _ranged(op: str, difference: Interval) -> Truth:
    """A comparison of two integers of which the interval of the difference is known."""
    if difference.low > difference.high:  # no call has both sides
        return frozenset()
    if op == "!=":
        return frozenset(not value for value in _ranged("==", difference))
    inside = _BOUNDS[op]
    if inside.low <= difference.low and difference.high <= inside.high:
        return TRUE
    met = inside.meet(difference)
    return FALSE if met.low > met.high else EITHER
