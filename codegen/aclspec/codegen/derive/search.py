"""The search for a call in which wishes are granted and nothing else is wrong: best first, bounded, deterministic."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.failures import Failure, Failures
from aclspec.codegen.derive.moves import Moves
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.points import Point, Points
from aclspec.codegen.derive.refute import Refuter
from aclspec.codegen.derive.trial import HARD, Goal, Trial
from aclspec.runtime.testing.suite import Cell


class Solver:
    """Searches for one operator; calls found earlier are where a search starts."""

    def __init__(self, oracle: Oracle) -> None:
        """Ask this oracle."""
        self.oracle = oracle
        self.points = Points(oracle)
        self.refuter = Refuter(oracle.space)
        self.failures = Failures()
        self.rules = {rule.id: rule for rule in oracle.space.info.rules}
        self._moves: dict[Cell, Moves] = {}
        self._trial: Trial | None = None

    def measure(self, base: Call) -> None:
        """From now on the plain call is this one."""
        self.points.measure(base)

    def moves(self, cell: Cell) -> Moves:
        """The moves of a cell."""
        if cell not in self._moves:
            self._moves[cell] = Moves(self.oracle, cell)
        return self._moves[cell]

    def trial(self, goal: Goal, cell: Cell) -> Trial:
        """A goal in a cell; most often the one that was asked about last."""
        last = self._trial
        if last is None or last.goal is not goal or last.cell != cell:
            last = self._trial = Trial(goal, cell, self.points, self.moves(cell), self.rules)
        return last

    def grants(self, goal: Goal, call: Call, cell: Cell) -> bool:
        """Whether a call is what the goal asks for."""
        return self.trial(goal, cell).grants(call)

    def solve(self, goal: Goal, cell: Cell, starts: Iterable[Call], limit: int) -> Call | None:
        """The first call found that the goal asks for, within so many calls tried; near its start, and small."""
        if self.refuter.refutes(goal, cell):
            return None
        starts = tuple(starts)
        failures = self.failures.of(goal, starts)
        if any(failure.foretells(cell, limit, self.oracle) for failure in failures):
            return None
        trial = self.trial(goal, cell)
        found = self.searched(trial, starts, limit)
        if found is None:
            failures.append(Failure(cell, limit, frozenset(trial.met)))
        return found

    def searched(self, trial: Trial, starts: tuple[Call, ...], limit: int) -> Call | None:
        """The same by trying calls, the best ones first."""
        self.points.trim()
        at = self.points.at
        trial.met.clear()
        heap: list[tuple[int, int, Call]] = []
        seen: set[Point] = set()

        def push(call: Call) -> None:
            point = at(call)
            if point not in seen:
                seen.add(point)
                heapq.heappush(heap, (trial.cost(point), len(seen), call))

        for start in starts:
            push(start)
        limit += len(seen)
        while heap:
            cost, _, call = heapq.heappop(heap)
            if cost < HARD:
                return call
            if len(seen) > limit:
                return None
            for moved in trial.neighbours(call):
                push(moved)
        return None
