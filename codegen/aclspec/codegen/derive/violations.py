"""For every rule, on every product and in every mode where it applies: calls in which exactly that rule fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from aclspec.codegen.derive.call import Call, TensorMeta, tensors
from aclspec.codegen.derive.deriver import QUICK, THOROUGH, Deriver, Sample
from aclspec.codegen.derive.oracle import applies
from aclspec.codegen.derive.space import Space
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.wishes import Way, Wish, inside
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import Call as Function
from aclspec.runtime.predicate.nodes import Compare, InRows, Int, Name, Node
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
        """Try each way to fail and each way to apply, then any; the kinds of cells in which none was found."""
        assert self.rule.require is not None
        ways, applying = self.deriver.ways, self._applying()
        guards = [] if self.rule.when is None else ways.of(self.rule.when, True)
        for way in (*ways.of(self.rule.require, False), *guards):
            wanted = Goal(way, goal.target, goal.allowed)
            if not self._cover(wanted, QUICK) and applying:
                # From calls that the rule does not apply to, the way is longer.
                self._cover(wanted, QUICK, applying)
        return self._covered(goal, self.where, limit)

    def _covered(self, goal: Goal, cells: list[Cell], limit: int) -> list[Cell]:
        """The cells for which no call is known, even after a search for one."""
        solver = self.deriver.solver
        missed = []
        for cell in cells:
            if any(solver.grants(goal, call, cell) for call in self.calls):
                continue
            found = solver.solve(goal, cell, [*self.calls, *self.deriver.starts(self.rule.id)], limit)
            if found is None and limit == THOROUGH:
                # Among many starts the plainest are followed first, and those of another kind never have their turn.
                alone = (solver.solve(goal, cell, [seed], QUICK) for seed in self.deriver.seeds)
                found = next((call for call in alone if call is not None), None)
            if found is None:
                missed.append(cell)
            else:
                self.calls.append(found)
        return missed

    def _applying(self) -> list[Call]:
        """Valid calls that the guard of the rule holds for, where it has one that the base call does not pass."""
        deriver, guard = self.deriver, self.rule.when
        if guard is None:
            return []
        watched, cell = deriver.oracle.watch(guard), self.where[0]
        passing = [call for call in deriver.valid if deriver.oracle.remembered(watched, call, cell) is True]
        return [] if deriver.base in passing else passing

    def _cover(self, goal: Goal, limit: int, starts: list[Call] | None = None) -> bool:
        found, _ = self.deriver.cover(goal, self.rule.id, limit, starts=starts)
        self.calls += [call for call in found if call not in self.calls]
        return bool(found)

    def _more(self) -> None:
        """Violations that start from random calls and from calls of other ranks, so that sizes and attributes vary."""
        assert self.rule.require is not None
        labels = [f"{self.rule.id} {turn}" for turn in range(_RANDOM.get(self.rule.kind, 0))]
        others = self._other_ranks()
        for start in (*map(self.deriver.scrambled, labels), *others):
            self._from(start, ())
        if any(_counts_from_the_end(node) for node in self._parts()):
            ways = self.deriver.ways.plain(self.rule.require, False)
            ways += [] if self.rule.when is None else self.deriver.ways.plain(self.rule.when, True)
            for start, way in product(others, ways):
                self._from(start, (*way, *self._ranks_of(start)))

    def _from(self, start: Call, way: Way) -> None:
        """A violation near a call, alone if possible, in a cell where the call itself is valid if there is one."""
        cell = next((cell for cell in self.where if not self.deriver.verdict(start, cell).failing), self.where[0])
        for allowed in dict.fromkeys((frozenset[str](), frozenset(self.rule.fails_with))):
            found = self.deriver.solver.solve(Goal(way, self.rule.id, allowed), cell, [start], QUICK)
            if found is not None:
                self.calls += [found] if found not in self.calls else []
                return

    def _other_ranks(self) -> list[Call]:
        """Valid calls whose tensors have other ranks than in the base call, if ranks mean anything to the rule."""
        deriver = self.deriver
        if not any(isinstance(part, Function) and part.func in ("rank", "dim") for part in self._parts()):
            return []
        base = self._ranks_of(deriver.base)
        uneven = sorted(deriver.valid, key=_uneven)
        others = {ranks: call for call in uneven if (ranks := self._ranks_of(call)) != base}
        picked = list(others.values())
        return picked if len(picked) <= _RANKS else deriver.random(self.rule.id).sample(picked, _RANKS)

    def _parts(self) -> Iterator[Node]:
        """Everything inside the rule's predicates."""
        nodes = (node for node in (self.rule.when, self.rule.require) if node is not None)
        return (part for node in nodes for part in inside(node, self.deriver.space.lets))

    def _ranks_of(self, call: Call) -> Way:
        """The ranks that the rule's tensors have in a call, as wishes."""
        space, oracle = self.deriver.space, self.deriver.oracle
        nodes = [node for node in (self.rule.when, self.rule.require) if node is not None]
        places = sorted({place for node in nodes for place in oracle.watch(node).places})
        ranks = {space.names[place]: value for place in places if isinstance(value := call[place], TensorMeta)}
        return tuple(
            Wish(Compare("==", Function("rank", (Name(name),)), Int(len(value.shape))), "true")
            for name, value in ranks.items()
        )

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


def _uneven(call: Call) -> int:
    """How many sizes the tensors of a call have that differ: where axes are alike, it does not show which is meant."""
    return len({size for value in call for tensor in tensors(value) for size in tensor.shape})


def _counts_from_the_end(node: Node) -> bool:
    """Whether an expression is an axis of a tensor, or some of them, counted from the last one."""
    if not isinstance(node, Function) or node.func not in ("dim", "slice"):
        return False
    return any(isinstance(part, Function) and part.func == "rank" for at in node.args[1:] for part in inside(at, {}))


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
