"""For every rule, on every product and in every mode where it applies: calls in which exactly that rule fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from aclspec.codegen.derive.call import Call, TensorMeta
from aclspec.codegen.derive.deriver import QUICK, THOROUGH, Deriver, Sample
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.search import Goal
from aclspec.codegen.derive.space import Space
from aclspec.codegen.derive.wishes import inside
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import Call as Function
from aclspec.runtime.predicate.nodes import InRows
from aclspec.runtime.testing.suite import Cell

_RANKS = 3
_RANDOM = {"rule": 2, "rank": 1, "dtypes": 1}
_TRIED_ROWS = 100_000


class Problem(NamedTuple):
    """A rule of a spec that is not as it should be, and a sentence about it."""

    rule: str
    message: str


@dataclass
class Violations:
    """The violating calls of each rule, where a rule cannot fail, and what is wrong with the spec for that."""

    samples: list[Sample] = field(default_factory=list)
    gaps: dict[str, list[Cell]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def violations(deriver: Deriver) -> Violations:
    """Violations of every rule, in the order of the checks."""
    result = Violations()
    for rule in deriver.info.rules:
        if rule.require is not None and rule.outcome == "error":
            _Rule(deriver, rule).into(result)
    return result


class _Rule:
    """The violations of one rule."""

    def __init__(self, deriver: Deriver, rule: RuleInfo) -> None:
        self.deriver = deriver
        self.rule = rule
        self.where = [
            cell for cell in deriver.representatives if applies(rule, cell) and not vacuous(deriver.space, rule, cell)
        ]
        self.calls: list[Call] = []

    def into(self, result: Violations) -> None:
        """Find them, and add them and what is wrong to the result."""
        if not self.where:
            return
        alone = self._all(Goal(target=self.rule.id), QUICK if self.rule.fails_with else THOROUGH)
        if alone and self.rule.fails_with:
            alone = self._all(Goal(target=self.rule.id, allowed=frozenset(self.rule.fails_with)), THOROUGH)
            if not alone:
                self._check_companions(result)
        elif self.rule.fails_with:
            result.problems.append(self._stale(", ".join(self.rule.fails_with)))
        self._more()
        self._report(alone, result)
        result.samples += [Sample(self.rule.id, call) for call in self.calls]

    def _all(self, goal: Goal, limit: int) -> list[Cell]:
        """Try each way to fail, then any; the kinds of cells in which none was found."""
        assert self.rule.require is not None
        for way in self.deriver.ways.of(self.rule.require, False):
            self._cover(Goal(way, goal.target, goal.allowed), QUICK)
        return self._covered(goal, self.where, limit)

    def _covered(self, goal: Goal, cells: list[Cell], limit: int) -> list[Cell]:
        """The cells for which no call is known, even after a search for one."""
        solver = self.deriver.solver
        missed = []
        for cell in cells:
            if any(solver.grants(goal, call, cell) for call in self.calls):
                continue
            found = solver.solve(goal, cell, [*self.calls, *self.deriver.starts(self.rule.id)], limit)
            if found is None:
                missed.append(cell)
            else:
                self.calls.append(found)
        return missed

    def _cover(self, goal: Goal, limit: int) -> None:
        found, _ = self.deriver.cover(goal, self.rule.id, limit)
        self.calls += [call for call in found if call not in self.calls]

    def _more(self) -> None:
        """Violations that start from random calls and from calls of other ranks, so that sizes and attributes vary."""
        allowed = frozenset(self.rule.fails_with)
        labels = [f"{self.rule.id} {turn}" for turn in range(_RANDOM.get(self.rule.kind, 0))]
        for start in (*map(self.deriver.scrambled, labels), *self._other_ranks()):
            for goal in (Goal(target=self.rule.id), Goal(target=self.rule.id, allowed=allowed)):
                found = self.deriver.solver.solve(goal, self.where[0], [start], QUICK)
                if found is not None:
                    self.calls += [found] if found not in self.calls else []
                    break

    def _other_ranks(self) -> list[Call]:
        """Valid calls whose tensors have other ranks than in the base call, if ranks mean anything to the rule."""
        deriver = self.deriver
        nodes = [node for node in (self.rule.when, self.rule.require) if node is not None]
        parts = (part for node in nodes for part in inside(node, deriver.space.lets))
        if not any(isinstance(part, Function) and part.func in ("rank", "dim") for part in parts):
            return []
        places = sorted({place for node in nodes for place in deriver.oracle.watch(node).places})

        def ranks(call: Call) -> tuple[int, ...]:
            return tuple(len(value.shape) for place in places if isinstance(value := call[place], TensorMeta))

        others = {ranks(call): call for call in reversed(deriver.valid) if ranks(call) != ranks(deriver.base)}
        picked = list(others.values())
        return picked if len(picked) <= _RANKS else deriver.random(self.rule.id).sample(picked, _RANKS)

    def _check_companions(self, result: Violations) -> None:
        """Each rule of ``fails_with`` must be needed somewhere."""
        seen: set[str] = set()
        for call, cell in product(self.calls, self.where):
            failing = self.deriver.verdict(call, cell).failing
            if failing and failing[0] == self.rule.id:
                seen |= set(failing)
        stale = [name for name in self.rule.fails_with if name not in seen]
        if stale:
            result.problems.append(self._stale(", ".join(stale)))

    def _stale(self, names: str) -> Problem:
        rule = f"{self.deriver.info.name}.{self.rule.id}"
        return Problem(self.rule.id, f"The rule {rule} can fail without {names}; take that out of its fails_with.")

    def _report(self, missed: list[Cell], result: Violations) -> None:
        """A rule must fail somewhere in each mode; a product on which it cannot is told in the report."""
        if missed:
            result.gaps[self.rule.id] = [
                cell for kind in self.deriver.kinds_of_cells if kind[0] in missed for cell in kind
            ]
        for mode in dict.fromkeys(cell.mode for cell in self.where):
            cells = [cell for cell in self.where if cell.mode == mode]
            if all(cell in missed for cell in cells):
                rule, beside = f"{self.deriver.info.name}.{self.rule.id}", self._nearest(cells[0])
                text = f"The rule {rule} cannot fail first and alone in {mode} mode{beside}."
                result.problems.append(Problem(self.rule.id, text))

    def _nearest(self, cell: Cell) -> str:
        """What else fails, in the nearest call that was found."""
        goal = Goal(target=self.rule.id, allowed=frozenset(rule.id for rule in self.deriver.info.rules))
        found = self.deriver.solver.solve(goal, cell, self.deriver.starts(self.rule.id), QUICK)
        if found is None:
            return ": no call was found in which it is the first to fail"
        others = [name for name in self.deriver.verdict(found, cell).failing if name != self.rule.id]
        return f": {', '.join(others)} fails with it (name it in fails_with, with the reason)"


def vacuous(space: Space, rule: RuleInfo, cell: Cell) -> bool:
    """Whether the dtype rows of a cell leave the rule nothing to refuse, which only enumeration can tell."""
    if not isinstance(rule.require, InRows):
        return False
    rows = space.rows(cell)
    if not rows:
        return True
    legal = [space.legal_dtypes(name, cell) for name in rule.require.params if space.legal_dtypes(name, cell)]
    if len(rule.require.params) == 1:
        return not legal
    names = [name for name in rule.require.params if space.legal_dtypes(name, cell)]
    cells_of = [dict(row.cells) for row in rows]
    for turn, dtypes in enumerate(product(*legal)):
        if turn > _TRIED_ROWS:
            return False
        pairs = list(zip(names, dtypes, strict=True))
        if not any(all(name not in row or dtype in row[name] for name, dtype in pairs) for row in cells_of):
            return False
    return True
