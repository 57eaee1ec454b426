"""One goal of a search in one cell: how far a call is from it, and which calls are nearer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.moves import Moves
from aclspec.codegen.derive.oracle import Verdict
from aclspec.codegen.derive.points import Point, Points
from aclspec.codegen.derive.wishes import Way, Wish
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.walk import names
from aclspec.runtime.testing.suite import Cell

BRANCHES = 16
HARD = 1000
_FIRST = 16
"""A wish weighs as much as so many rules: first what is wanted is granted, then the rest of the call follows it."""
_UNKNOWN: Final = object()


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


class Asked(NamedTuple):
    """A wish in one cell: where its values are remembered, and what they should be, or should not."""

    wish: Wish
    key: Callable[[Call], Hashable]
    values: dict[Hashable, Any]
    wanted: bool
    positive: bool


class Trial:
    """One goal in one cell."""

    def __init__(self, goal: Goal, cell: Cell, points: Points, moves: Moves, rules: Mapping[str, RuleInfo]) -> None:
        """Prepare the wishes for being asked often."""
        self.goal = goal
        self.cell = cell
        self.points = points
        self.oracle = points.oracle
        self.moves = moves
        self.rules = rules
        self.met: set[str] = set()
        self.wishes = [self._asked(wish) for wish in goal.wishes]
        self.before = frozenset(takewhile(lambda name: name != goal.reaching, rules) if goal.reaching else ())
        guards = [rule.when for rule in rules.values() if rule.kind == "shortcut"]
        self.about_shortcut = any(guard is wish.node for guard in guards for wish in goal.wishes)

    def _asked(self, wish: Wish) -> Asked:
        watched = self.oracle.watch(wish.node)
        wanted, positive = wish.want in ("true", "not true"), wish.want in ("true", "false")
        return Asked(wish, watched.key, self.oracle.values(watched, self.cell), wanted, positive)

    def grants(self, call: Call) -> bool:
        """Whether a call is what the goal asks for."""
        if not all(self._granted(asked, call) for asked in self.wishes):
            return False
        return self._amiss(self.points.at(call)) == 0

    def cost(self, point: Point) -> int:
        """How far a call is from the goal, in thousands; below that, how far from plain."""
        hard = self._amiss(point)
        call = point.call
        for asked in self.wishes:
            if not self._granted(asked, call):
                hard += _FIRST
        verdict = point.verdicts[self.cell]
        self.met.update(verdict.failing)
        soft = 20 * len(verdict.failing) + point.plain
        if verdict.shortcut is not None:
            self.met.add(verdict.shortcut)
            soft += 0 if self.about_shortcut else 40
        return HARD * hard + min(soft, HARD - 1)

    def _amiss(self, point: Point) -> int:
        """How far the verdict on a call is from the one that the goal asks for."""
        verdict = self.verdict(point)
        target, failing = self.goal.target, verdict.failing
        if not failing:  # a tensor of a negative size is no call to compute, even where no rule refuses it
            amiss = _FIRST * (target is not None) + point.is_negative
        else:
            amiss = len(self._unwanted(verdict))
            if target is not None:
                amiss += failing[0] != target if target in failing else _FIRST
        return amiss + (verdict.shortcut in self.before)

    def verdict(self, point: Point) -> Verdict:
        """What the rules say of a call."""
        return point.verdicts.get(self.cell) or self.points.verdict(point, self.cell)

    def _granted(self, asked: Asked, call: Call) -> bool:
        key = asked.key(call)
        value = asked.values.get(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = asked.values[key] = self.oracle.value(asked.wish.node, call, self.cell)
        return (value is asked.wanted) is asked.positive

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
        goal, verdict = self.goal, self.verdict(self.points.at(call))
        for asked in self.wishes:
            if not self._granted(asked, call):
                want = asked.wish.want in ("true", "not false")
                yield from islice(self.moves.truth(asked.wish.node, want, call), BRANCHES)
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
