"""The search for a call in which wishes are granted and nothing else is wrong: best first, bounded, deterministic."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from aclspec.codegen.derive.call import Call, tensors
from aclspec.codegen.derive.moves import Moves
from aclspec.codegen.derive.oracle import Oracle, Verdict, Watched
from aclspec.codegen.derive.plain import Plain
from aclspec.codegen.derive.wishes import Way, Wish
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.testing.suite import Cell

BRANCHES = 16
_HARD = 1000
_FIRST = 16
"""A wish weighs as much as so many rules: first what is wanted is granted, then the rest of the call follows it."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a call should be like.

    ``target`` is the rule that must fail, and be the first to do so; None: no rule may fail. ``allowed`` may fail
    beside it. ``anything`` allows every rule to fail, the fewer the better; with ``reaching``, every rule from that
    one on. A goal that is not about a shortcut prefers calls that take none.
    """

    wishes: Way = ()
    target: str | None = None
    allowed: frozenset[str] = frozenset()
    anything: bool = False
    reaching: str | None = None


class Solver:
    """Searches for one operator; calls found earlier are where a search starts."""

    def __init__(self, oracle: Oracle) -> None:
        """Ask this oracle."""
        self.oracle = oracle
        self.space = oracle.space
        self.plain = Plain(None)
        self.rules = {rule.id: rule for rule in self.space.info.rules}
        self.places = {name: place for place, name in enumerate(self.rules)}
        self._moves: dict[Cell, Moves] = {}
        self._trial: Trial | None = None

    def measure(self, base: Call) -> None:
        """From now on the plain call is this one."""
        self.plain = Plain(base)

    def moves(self, cell: Cell) -> Moves:
        """The moves of a cell."""
        if cell not in self._moves:
            self._moves[cell] = Moves(self.oracle, cell)
        return self._moves[cell]

    def trial(self, goal: Goal, cell: Cell) -> Trial:
        """A goal in a cell; most often the one that was asked about last."""
        last = self._trial
        if last is None or last.goal is not goal or last.cell != cell or last.plain is not self.plain:
            last = self._trial = Trial(self, goal, cell)
        return last

    def grants(self, goal: Goal, call: Call, cell: Cell) -> bool:
        """Whether a call is what the goal asks for."""
        return self.trial(goal, cell).cost(call) < _HARD

    def solve(self, goal: Goal, cell: Cell, starts: Iterable[Call], limit: int) -> Call | None:
        """The first call found that the goal asks for, within so many calls tried; near its start, and small."""
        trial = self.trial(goal, cell)
        heap: list[tuple[int, int, Call]] = []
        seen: set[Call] = set()

        def push(call: Call) -> None:
            seen.add(call)
            heapq.heappush(heap, (trial.cost(call), len(seen), call))

        for start in starts:
            if start not in seen:
                push(start)
        limit += len(seen)
        while heap:
            cost, _, call = heapq.heappop(heap)
            if cost < _HARD:
                return call
            if len(seen) > limit:
                return None
            for moved in trial.neighbours(call):
                if moved not in seen:
                    push(moved)
        return None


class Trial:
    """One goal in one cell."""

    def __init__(self, solver: Solver, goal: Goal, cell: Cell) -> None:
        """Prepare the wishes for being asked often."""
        self.goal = goal
        self.cell = cell
        self.oracle = solver.oracle
        self.plain = solver.plain
        self.moves = solver.moves(cell)
        self.wishes: list[tuple[Wish, Watched]] = [(wish, self.oracle.watch(wish.node)) for wish in goal.wishes]
        self.rules = solver.rules
        first = solver.places.get(goal.reaching or "", 0)
        self.before = frozenset(list(solver.places)[:first])
        guards = [rule.when for rule in self.oracle.space.info.rules if rule.kind == "shortcut"]
        self.about_shortcut = any(guard is wish.node for guard in guards for wish in goal.wishes)

    def cost(self, call: Call) -> int:
        """How far a call is from the goal, in thousands; below that, how far from plain."""
        verdict = self.oracle.verdict(call, self.cell)
        unwanted = len(self._unwanted(verdict))
        missing = sum(not self._granted(wish, watched, call) for wish, watched in self.wishes)
        hard = _FIRST * missing
        if self.goal.target is not None:
            hard += _FIRST * (self.goal.target not in verdict.failing) or verdict.first != self.goal.target
        hard += unwanted + (verdict.shortcut in self.before)
        if not verdict.failing:  # a tensor of a negative size is no call to compute, even where no rule refuses it
            hard += any(tensor.is_negative for value in call for tensor in tensors(value))
        soft = 20 * len(verdict.failing) + self.plain.cost(call)
        soft += 0 if verdict.shortcut is None or self.about_shortcut else 40
        return _HARD * hard + min(soft, _HARD - 1)

    def _granted(self, wish: Wish, watched: Watched, call: Call) -> bool:
        return wish.granted(self.oracle.remembered(watched, call, self.cell))

    def _unwanted(self, verdict: Verdict) -> list[str]:
        goal = self.goal
        if goal.anything:
            return [rule for rule in verdict.failing if rule in self.before]
        return [rule for rule in verdict.failing if rule != goal.target and rule not in goal.allowed]

    def neighbours(self, call: Call) -> Iterator[Call]:
        """Calls one move away, each also with its outputs inferred anew."""
        for moved in self._repairs(call):
            yield moved
            yield from self.moves.inferred(moved)
        yield from self.moves.inferred(call)
        yield from self.moves.one_inferred(call)

    def _repairs(self, call: Call) -> Iterator[Call]:
        """Moves towards what is not yet as it should be, so many of each."""
        goal, verdict = self.goal, self.oracle.verdict(call, self.cell)
        for wish, watched in self.wishes:
            if not self._granted(wish, watched, call):
                want = wish.want in ("true", "not false")
                yield from islice(self.moves.truth(wish.node, want, call), BRANCHES)
        if goal.target is not None and goal.target not in verdict.failing:
            yield from self._towards(goal.target, call, verdict)
        unwanted = [self.rules[name] for name in self._unwanted(verdict)]
        if len(unwanted) > 1:
            yield self._all_at_once(unwanted, call)
        for rule in unwanted:
            if rule.require is not None:
                yield from islice(self.moves.truth(rule.require, True, call), BRANCHES)
            if rule.when is not None:
                yield from islice(self.moves.truth(rule.when, False, call), BRANCHES)
            yield from self._switched_off(rule, call)

    def _all_at_once(self, rules: list[RuleInfo], call: Call) -> Call:
        """The first move towards each of several rules, one after the other."""
        for rule in rules:
            if rule.require is not None and self.moves.value(rule.require, call) is False:
                call = next(self.moves.truth(rule.require, True, call), call)
        return call

    def _switched_off(self, rule: RuleInfo, call: Call) -> Iterator[Call]:
        """The call without one of the outputs that a rule is about, where a flag decides whether it is wanted."""
        space = self.oracle.space
        for name in sorted(names(rule.require)) if rule.require is not None else ():
            at = space.index.get(name)
            wanted = None if at is None else space.info.params[at].required
            if at is not None and wanted is not None and call[at] is not None:
                yield from islice(self.moves.truth(wanted, False, space.replaced(call, at, None)), 1)

    def _towards(self, target: str, call: Call, verdict: Verdict) -> Iterator[Call]:
        """Moves that make the target apply and fail, or the shortcut before it not be taken."""
        rule = self.rules[target]
        if rule.when is not None and self.moves.value(rule.when, call) is not True:
            yield from islice(self.moves.truth(rule.when, True, call), BRANCHES)
        if rule.require is not None and self.moves.value(rule.require, call) is not False:
            yield from islice(self.moves.truth(rule.require, False, call), BRANCHES)
        taken = self.rules.get(verdict.shortcut or "")
        if taken is not None and taken.when is not None:
            yield from islice(self.moves.truth(taken.when, False, call), BRANCHES)
