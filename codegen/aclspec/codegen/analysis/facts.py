"""Facts about a call, and the truth values that they leave a predicate: the question whether a rule can ever fail.

A fact is a predicate that was checked before: it is true wherever it is asked again, and its negation is false. Beside
that there are two facts that checks of ranks and lengths leave: bounds of sums of integers, and guarded rules, whose
requirement holds as soon as their guard does. The answer is safe on one side only: a value that `possible` leaves out
cannot occur; one that it names perhaps can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from typing import Any, TypeAlias

from aclspec.codegen.analysis.bounds import OF_COMPARISON, Bounds
from aclspec.codegen.analysis.sums import difference, is_count, is_list, linear
from aclspec.codegen.analysis.terms import by_arms, conjuncts, elements, is_unconditional, mentioned
from aclspec.runtime.language.nodes import (
    NEGATED,
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
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
_LITERALS = (Int, Str, Symbol, Bool)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known to hold.

    ``true``: predicates that are not false; ``sure``: those of them that are defined. ``implications``: a premise and
    what is sure where it is. ``alternatives``: two predicates each, one of them sure. ``maxima``: those of two
    integers that are bounded. ``lists`` and ``floats``: the names that are lists, and that are floats or lists of them.
    """

    bounds: Bounds = field(default_factory=Bounds)
    lists: frozenset[str] = frozenset()
    floats: frozenset[str] = frozenset()
    consequences: Consequences = lambda node: (node,)
    true: frozenset[Node] = frozenset()
    sure: frozenset[Node] = frozenset()
    implications: tuple[tuple[frozenset[str], Node, Node], ...] = ()
    alternatives: tuple[Or, ...] = ()
    maxima: frozenset[Call] = frozenset()
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def having(self, **changes: Any) -> Facts:
        """These facts with other fields; what holds of every element is kept where the predicates stay."""
        kept = {} if "true" in changes or "loops" not in self.memo else {"loops": self.memo["loops"]}
        return replace(self, memo=kept, **changes)

    def assuming(self, nodes: Iterable[Node]) -> Facts:
        """These facts where none of the predicates is false; each may be undefined."""
        found = self
        for node in nodes:
            found = found._assuming(node)
        return found

    def _assuming(self, node: Node) -> Facts:
        """One more predicate; rules that stand behind the same ones share what these say."""
        found: Facts | None = self.memo.get(("assuming", node))
        if found is None:
            found = self.memo["assuming", node] = self._learn(node, False)
        return found

    def assume(self, node: Node) -> Facts:
        """These facts where a predicate is defined and true."""
        found: Facts | None = self.memo.get(("assume", node))
        if found is None:
            found = self
            for one in self.consequences(node):
                if one not in found.sure:
                    found = found._learn(one, True)._concluded(one)
            if found is self:
                return self
            self.memo["assume", node] = found
        return found

    def following(self, premise: Node, conclusion: Node) -> Facts:
        """These facts where the conclusion is defined and true as soon as the premise is."""
        if self.holds(premise):
            return self.assume(conclusion)
        return self.having(implications=(*self.implications, (names(premise), premise, conclusion)))

    def holds(self, node: Node) -> bool:
        """Whether a predicate is known to be defined and true."""
        return all(part in self.sure for part in conjuncts(node) if not isinstance(part, And))

    def _concluded(self, new: Node) -> Facts:
        """What follows from implications and alternatives that mention what is new."""
        found, fresh = self, names(new)
        for named, premise, conclusion in self.implications:
            if not fresh.isdisjoint(named) and conclusion not in found.sure and found.holds(premise):
                found = found.assume(conclusion)
        for either in self.alternatives:
            if not fresh.isdisjoint(names(either)):
                for one, other in (either.items, either.items[::-1]):
                    if other not in found.sure and not _is_of_null(other) and possible(one, found) == FALSE:
                        found = found.assume(other)
        for larger in (term for term in found.maxima if not fresh.isdisjoint(names(term))):
            for one, other in (larger.args, larger.args[::-1]):
                if found.bounds.of(difference(one, other))[0] >= 0:
                    found = found.having(bounds=found.bounds.equating(difference(larger, one)))
        return found

    def _learn(self, node: Node, sure: bool) -> Facts:
        if node in (self.sure if sure else self.true):
            return self
        found = self.having(true=self.true | {node}, sure=self.sure | {node} if sure else self.sure)
        match node:
            case And(items=items):
                return found._learn_each(items, sure)
            case Or(items=(_, _)) if sure and is_unconditional(node):
                return found.having(alternatives=(*found.alternatives, node))
            case Not(operand=Or(items=items)):
                return found._learn_each(map(self.negated, items), sure)
            case Not(operand=Not(operand=inner)):
                return found._learn(inner, sure)
            case Not(operand=Compare() as inner) if not self.is_float(inner):
                return found._learn(self.negated(inner), sure)
            case Not(operand=Quantifier(kind="any", var=var, over=over, body=body)):
                return found._learn(Quantifier("all", var, over, self.negated(body)), sure)
            case Compare() if not self.is_float(node):
                return found._bounded(node, sure)
        return found

    def _learn_each(self, items: Iterable[Node], sure: bool) -> Facts:
        found = self
        for item in items:
            found = found._learn(item, sure)
        return found

    def _bounded(self, node: Compare, sure: bool) -> Facts:
        """The bounds that a comparison gives; of one that may be undefined, those of a term beside a literal."""
        left, op, right = node.left, node.op, node.right
        if op == "in" and isinstance(right, ListOf):
            numbers = [item.value for item in right.items if isinstance(item, Int)]
            known = numbers and len(numbers) == len(right.items) and (sure or linear(left).terms == {left: 1})
            if not known:
                return self
            return self.having(bounds=self.bounds.within(linear(left), min(numbers), max(numbers)))
        if is_list(left, self.lists) or is_list(right, self.lists):
            if op != "==" or not sure:
                return self
            left, right = Call("len", (left,)), Call("len", (right,))
        form = difference(left, right)
        if not sure and not (len(form.terms) == 1 and any(isinstance(side, Int) for side in (left, right))):
            return self
        if op == "!=":
            low, high = self.bounds.of(form)
            if 0 in (low, high):
                return self.having(bounds=self.bounds.within(form, low + (low == 0), high - (high == 0)))
            return self
        if op not in OF_COMPARISON:
            return self
        match node:
            case Compare(op="==", left=Arith(op="%", left=whole, right=Int(value=part)), right=Int(value=0)) if sure:
                multiple = Arith("*", Arith("//", whole, Int(part)), Int(part))
                return self.having(bounds=self.bounds.equating(difference(whole, multiple)))
        bounds = self.bounds.equating(form) if op == "==" and sure else self.bounds.within(form, *OF_COMPARISON[op])
        maxima = [term for term in form.terms if sure and isinstance(term, Call) and _is_maximum(term)]
        return self.having(bounds=bounds, maxima=self.maxima.union(maxima))

    def within(self, var: str, over: Node, kind: str) -> Facts:
        """The facts about each element of a list, as a variable of this type."""
        floats = self.floats | {var} if kind == "float" else self.floats - {var}
        return self.bind(var, over).having(floats=floats)

    def bind(self, var: str, over: Node) -> Facts:
        """The facts inside a quantifier: of its variable no more than the list says, whatever else has its name."""

        def spared(found: frozenset[Node]) -> frozenset[Node]:
            return frozenset(node for node in found if var not in names(node))

        found = self.having(
            bounds=self.bounds.bind(var),
            lists=self.lists - {var},
            floats=self.floats | {var} if self.is_float(over) else self.floats - {var},
            true=spared(self.true),
            sure=spared(self.sure),
            implications=tuple(one for one in self.implications if var not in one[0] | names(one[2])),
            alternatives=tuple(either for either in self.alternatives if var not in names(either)),
            maxima=frozenset(term for term in self.maxima if var not in names(term)),
        )
        if isinstance(over, Each) and is_count(over.body):
            found = found.having(bounds=found.bounds.within(linear(Name(var)), 0, inf))
        if isinstance(over, Call) and over.func == "range":
            start, stop = over.args
            low, high = found.bounds.of(linear(start))[0], found.bounds.of(linear(stop))[1] - 1
            found = found.having(bounds=found.bounds.within(linear(Name(var)), low, high))
            found = found.assume(Compare(">=", Name(var), start)).assume(Compare("<", Name(var), stop))
        for loop in self._loops.get(over, ()):
            if loop in self.sure and var not in names(loop):
                found = found.assume(substitute(loop.body, {loop.var: Name(var)}))
        return found

    def of_elements(self, node: Node) -> Facts:
        """The facts where the elements of lists that a tree names have a value: of each holds what holds of all."""
        found = self
        for element, values in elements(node):
            for loop in self._loops.get(values, ()):
                body = substitute(loop.body, {loop.var: element})
                found = found.assume(body) if loop in self.sure else found.assuming((body,))
        return found

    @property
    def _loops(self) -> Mapping[Node, list[Quantifier]]:
        """What holds of every element, by the list."""
        found: dict[Node, list[Quantifier]] | None = self.memo.get("loops")
        if found is None:
            found = self.memo["loops"] = {}
            loops = (node for node in self.true if isinstance(node, Quantifier) and node.kind == "all")
            for node in sorted((one for one in loops if is_unconditional(one.body)), key=repr):
                found.setdefault(node.over, []).append(node)
        return found

    def is_float(self, node: Node) -> bool:
        """Whether a tree has floats: a NaN is neither below nor above another number, nor equal to itself."""
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


def _is_maximum(term: Call) -> bool:
    return term.func == "max" and len(term.args) == 2


@lru_cache(maxsize=50_000)
def _opposite(node: Compare) -> Compare:
    """The comparison that is true where this one is false; the same object each time, which knows its hash."""
    return Compare(NEGATED[node.op], node.left, node.right)


def possible(node: Node, facts: Facts) -> Truth:
    """The truth values that a predicate can have where it is defined."""
    found: Truth | None = facts.memo.get(node)
    if found is None:
        found = facts.memo[node] = _possible(node, facts)
    return found


def _possible(node: Node, facts: Facts) -> Truth:
    if not facts.bounds.is_sound:
        return frozenset()
    if node in facts.true:
        return TRUE
    if facts.negated(node) in facts.true:
        return FALSE
    match node:
        case Bool(value=value):
            return frozenset({value})
        case Not(operand=operand):
            return _opposites(possible(operand, facts))
        case And(items=items):
            return _conjunction(items, facts)
        case Or(items=items):
            return _opposites(_conjunction(tuple(map(facts.negated, items)), facts))
        case IfElse(cond=cond, then=then, orelse=orelse):
            arms = {True: (then, cond), False: (orelse, facts.negated(cond))}
            chosen = [arms[value] for value in possible(cond, facts)]
            if len(chosen) < 2:
                return frozenset().union(*(possible(arm, facts) for arm, _ in chosen))
            return frozenset().union(*(possible(arm, facts.assume(premise)) for arm, premise in chosen))
        case Quantifier(kind=kind, var=var, over=ListOf(items=items), body=body):
            each = tuple(substitute(body, {var: item}) for item in items)
            return possible(And(each) if kind == "all" else Or(each), facts)
        case Quantifier(kind=kind, var=var, over=IfElse(cond=cond, then=then, orelse=orelse), body=body):
            loops = (Quantifier(kind, var, one, body) for one in (then, orelse))
            return possible(IfElse(cond, *loops), facts)
        case Quantifier(kind="all", var=var, over=over, body=body):  # over no element it is true
            return TRUE if possible(body, facts.bind(var, over)) <= TRUE else EITHER
        case Quantifier(var=var, over=over, body=body):
            return FALSE if possible(body, facts.bind(var, over)) <= FALSE else EITHER
        case Compare() if not facts.is_float(node):
            return _compared(node, facts)
    return EITHER


def _opposites(values: Truth) -> Truth:
    return frozenset(not value for value in values)


def _conjunction(items: tuple[Node, ...], facts: Facts) -> Truth:
    every = [possible(item, facts) for item in items]
    if all(values == TRUE for values in every):
        return TRUE
    if FALSE in every or any(facts.negated(item) in items for item in items):
        return FALSE
    if not facts.assuming(item for item in items if isinstance(item, Compare)).bounds.is_sound:
        return FALSE
    return EITHER


def _compared(node: Compare, facts: Facts) -> Truth:
    left, op, right = node.left, node.op, node.right
    if op in ("in", "not in"):
        return _member(node, facts)
    if left == right:
        return TRUE if op in ("==", "<=", ">=") else FALSE
    if isinstance(left, _LITERALS) and isinstance(right, _LITERALS) and op in ("==", "!="):
        return frozenset({op == "!="})
    by_parts = by_arms(node)
    if by_parts is not None and (found := possible(by_parts, facts)) != EITHER:
        return found
    if is_list(left, facts.lists) or is_list(right, facts.lists) or Float in (type(left), type(right)):
        return EITHER
    match left:
        case Call(func="wrap", args=(_, length)) if op in ("<", "<="):
            limit = right if op == "<" else Arith("+", right, Int(1))
            if possible(Compare("<=", length, limit), facts) == TRUE:
                return TRUE
    low, high = facts.bounds.of(difference(left, right))
    if low > high:
        return frozenset()
    if op == "!=":
        return _opposites(_between(low, high, *OF_COMPARISON["=="]))
    return _between(low, high, *OF_COMPARISON[op])


def _between(low: float, high: float, least: float, most: float) -> Truth:
    """Whether a number that is known to lie between two others lies between two more."""
    if least <= low and high <= most:
        return TRUE
    return FALSE if high < least or most < low else EITHER


def _member(node: Compare, facts: Facts) -> Truth:
    if not isinstance(node.right, ListOf):
        return EITHER
    each = [possible(Compare("==", node.left, item), facts) for item in node.right.items]
    inside = TRUE if TRUE in each else FALSE if all(values == FALSE for values in each) else EITHER
    return inside if node.op == "in" else _opposites(inside)


def _is_of_null(node: Node) -> bool:
    """Whether a predicate says that a pointer is null, or is not: mypy knows that of each pointer by itself alone."""
    inner = node.operand if isinstance(node, Not) else node
    return isinstance(inner, Call) and inner.func == "is_null"
