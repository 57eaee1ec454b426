"""The search: breadth-first through the neighbours of examples, then best-first for each goal that those miss."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

from aclspec.runtime.language.nodes import Node
from aclspec.runtime.rules.operator_info import ExampleInfo, OperatorInfo
from aclspec.runtime.search.call import Call, TensorMeta, Value
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Check, Kind, Oracle
from aclspec.runtime.search.repair import Repair
from aclspec.runtime.search.space import Space

_PENALTY = 16
_REPAIRED = 3
_OF_A_SET = 2
_FALSIFIED = 6
_CLIMBED = 4
_REPAIRS = 12


@dataclass(frozen=True)
class Goal:
    """What a call should be like in a kind of target.

    ``target``: the bits that must fail first, 0 where no rule may fail. ``allowed``: bits that may fail all the same.
    ``penalty`` counts what else the call lacks, 0 where nothing; ``about`` gives the predicates that it counts.
    """

    target: int = 0
    allowed: int = 0
    penalty: Callable[[Call], int] | None = None
    about: Callable[[Call], Iterable[Node]] = lambda call: ()


class Search:
    """The calls of one operator that were met, and the search for others."""

    def __init__(self, info: OperatorInfo) -> None:
        """Find a base call, valid in as many targets as possible, and meet the neighbours of every example.

        Where no valid call is found there are no seeds.
        """
        self.space = Space(info)
        self.oracle = Oracle(self.space)
        self.neighbours = Neighbours(self.oracle)
        self.repair = Repair(self.oracle, self.neighbours)
        self.pool: dict[Call, None] = {}
        self._judged: list[tuple[Call, int]] = []
        self.seeds: list[Call] = []
        self.base: Call = ()
        self.base = self._base(info)
        for seed in self.seeds:
            self.pool |= dict.fromkeys(self.neighbours.of(seed))

    def _base(self, info: OperatorInfo) -> Call:
        calls = [one for example in info.examples for one in self.neighbours.followed(self.example(example))]
        for call in calls:
            self._seed(call)
        for kind in self.oracle.kinds:
            if not any(self.oracle.is_valid(seed, kind) for seed in self.seeds):
                starts = [*self.seeds, *calls, self.space.skeleton(kind.targets[0])]
                settled = (self.settled(Goal(), kind, start) for start in starts)
                found = next((one for one in settled if one), None) or self.best_first(Goal(), kind, starts, 4000)
                self._seed(*([found] if found else []))
        return max(self.seeds, key=self.targets_valid, default=())

    def example(self, example: ExampleInfo) -> Call:
        """The call of an example, which of an output whose shape depends on the data states what is written alone."""
        call = self.space.example(example)
        is_bound = any(param.data_dependent for param in self.space.info.params)
        return self.neighbours.inferred(call, dtypes=False) if is_bound else call

    def _seed(self, *calls: Call) -> None:
        """Remember calls that are valid somewhere, and so what a search starts from."""
        for call in calls:
            shown = [kind for kind in self.oracle.kinds if self.oracle.is_valid(call, kind)]
            if shown and call not in self.seeds:
                self.seeds.append(call)
                self.pool[call] = None

    def targets_valid(self, call: Call) -> int:
        """In how many targets no rule fails."""
        return sum(len(kind.targets) for kind in self.oracle.kinds if self.oracle.is_valid(call, kind))

    def shape_class(self, call: Call) -> tuple[int, ...]:
        """The ranks and lengths of a call."""
        shapes = (one.shape if isinstance(one, TensorMeta) else one for one in call)
        return tuple(len(one) if isinstance(one, tuple) else -1 for one in shapes)

    def distance(self, call: Call) -> int:
        """How far a call is from the base call, to a reader: the parameters that differ, and large or odd sizes."""
        others = zip(call, self.base or call, strict=True)
        return sum([20 + _size(one) for one, other in others if one is not other and one != other])

    def cost(self, goal: Goal, kind: Kind, call: Call) -> int:
        """How far a call is from a goal; 0 where it reaches it."""
        failing = self.oracle.failing(self.oracle.verdict(call), kind)
        cost = (failing & ~goal.target & ~goal.allowed).bit_count()
        if goal.target:
            target = failing & goal.target
            cost += (
                (failing & -failing) & target == 0
                if target
                else _PENALTY - 8 * self._guarded(goal.target & kind.active, call)
            )
        elif not failing:
            cost += any(size < 0 for value in call if isinstance(value, TensorMeta) for size in value.shape)
            cost += len(self.oracle.undefined(call, kind))
        return cost + (_PENALTY * goal.penalty(call) if goal.penalty is not None else 0)

    def _guarded(self, target: int, call: Call) -> bool:
        """Whether the guard of a rule holds."""
        guard = self.oracle.checks[target.bit_length() - 1].rule.when
        return guard is None or self.oracle.value(guard, call) is True

    def judged(self) -> list[tuple[Call, int]]:
        """The calls of the pool with their verdicts."""
        fresh = islice(self.pool, len(self._judged), None)
        self._judged += [(call, self.oracle.verdict(call)) for call in fresh]
        return self._judged

    def solve(self, goal: Goal, kind: Kind, starts: int = 20, limit: int = 80) -> Call | None:
        """A call that reaches a goal, from the nearest of the calls met; one or two of each set of failing rules."""
        groups: dict[object, list[Call]] = {}
        target = goal.target & kind.active
        for call, bits in chain(((seed, self.oracle.verdict(seed)) for seed in self.seeds), self.judged()):
            failing = self.oracle.failing(bits, kind)
            alike = () if failing else self.shape_class(call)
            guarded = not target or bool(failing & target) or self._guarded(target, call)
            near = groups.setdefault((failing, alike, guarded), [])
            if len(near) < _OF_A_SET:
                near.append(call)
        calls = sorted((call for near in groups.values() for call in near), key=lambda one: self.cost(goal, kind, one))
        for turn, call in enumerate(calls[:starts]):
            settled = (self.settled(goal, kind, one) for one in self._falsified(goal, kind, call))
            found = next((one for one in settled if one is not None), None)
            if found is None and turn < _CLIMBED:
                found = self.best_first(goal, kind, [call], limit)
            if found is not None:
                self.pool[found] = None
                return found
        return None

    def _falsified(self, goal: Goal, kind: Kind, call: Call) -> list[Call]:
        """The call if its target fails, or it has neither target nor penalty; else the nearest repairs that do so."""
        target = goal.target & kind.active
        if target:
            (check, *_) = self._checks(target)
            nodes = _predicates(check)
        else:
            nodes = list(goal.about(call))

        def is_falsified(call: Call) -> bool:
            failing = self.oracle.failing(self.oracle.verdict(call), kind)
            return bool(failing & target) if target else goal.penalty is None or not goal.penalty(call)

        if is_falsified(call):
            return [call]
        moves = dict.fromkeys(one for node in nodes for one in (self.repair.of if target else self.about)(node, call))
        return sorted(filter(is_falsified, moves), key=lambda one: self.cost(goal, kind, one))[:_FALSIFIED]

    def settled(self, goal: Goal, kind: Kind, call: Call) -> Call | None:
        """The call with one rule repaired after the other, though each repair may break others."""
        seen, repaired = {call}, 0
        for _ in range(_REPAIRS):
            failing = self.oracle.failing(self.oracle.verdict(call), kind)
            unwanted = failing & ~goal.target & ~goal.allowed
            if goal.target and not failing & goal.target:
                return None
            if not unwanted:
                return call if self.cost(goal, kind, call) == 0 else None
            (check,) = self._checks(unwanted & -unwanted)
            moves = [one for one in self._repairing(check, call) if one not in seen]
            if not moves:
                return None
            repaired |= unwanted & -unwanted
            call = min(moves, key=lambda one: (bool(self.oracle.verdict(one) & repaired), self.cost(goal, kind, one)))
            seen.add(call)
        return None

    def _repairing(self, check: Check, call: Call) -> list[Call]:
        """Repairs, or else neighbours, in which a rule does not fail."""
        nodes = _predicates(check)
        places = self.oracle.places(*nodes)
        repairs = (one for node in nodes for one in self.repair.of(node, call))
        omissions = (one for place in places for one in self.neighbours.switched_off(call, place))
        for proposed in (chain(repairs, omissions), self.neighbours.of(call, places)):
            found = [one for one in proposed if not self.oracle.verdict(one) & check.bit]
            if found:
                return found
        return []

    def best_first(self, goal: Goal, kind: Kind, starts: Iterable[Call], limit: int) -> Call | None:
        """The first call found that reaches a goal, within a number of calls tried."""
        heap: list[tuple[int, int, int, Call, Iterator[Call]]] = []
        seen: set[Call] = set()

        def push(call: Call) -> int:
            cost = self.cost(goal, kind, call)
            seen.add(call)
            heapq.heappush(heap, (cost, self.distance(call), len(seen), call, self._moves(goal, kind, call)))
            return cost

        for start in dict.fromkeys(starts):
            push(start)
        limit += len(seen)
        while heap and len(seen) <= limit:
            cost, far, order, call, moves = heapq.heappop(heap)
            if cost == 0:
                self.pool[call] = None
                return call
            for moved in moves:
                if moved not in seen and push(moved) < cost:  # follow it at once, and come back for the other moves
                    heapq.heappush(heap, (cost, far, order, call, moves))
                    break
        return None

    def _moves(self, goal: Goal, kind: Kind, call: Call) -> Iterator[Call]:
        """Neighbours that may be nearer: by what the goal is about, and by the rules that stand in the way."""
        bits = self.oracle.verdict(call)
        failing = self.oracle.failing(bits, kind)
        yield from self.neighbours.followed(call)
        if goal.penalty is not None and goal.penalty(call):
            for node in goal.about(call):
                yield from self.about(node, call)
        if goal.target and not failing & goal.target:
            for check in self._checks(goal.target & kind.active):
                yield from self._about_rule(check, call)
            for check in self._checks(bits & kind.active & self.oracle.shortcuts):
                yield from self._about_rule(check, call)
        for node in () if goal.target or failing else self.oracle.undefined(call, kind):
            yield from self.about(node, call)
        for check in islice(self._checks(failing & ~goal.target & ~goal.allowed), _REPAIRED):
            yield from self._about_rule(check, call)

    def _checks(self, bits: int) -> Iterator[Check]:
        return (check for check in self.oracle.checks if check.bit & bits)

    def _about_rule(self, check: Check, call: Call) -> Iterator[Call]:
        return (moved for node in _predicates(check) for moved in self.about(node, call))

    def about(self, node: Node, call: Call) -> Iterator[Call]:
        """Repairs of the comparisons of a predicate, then neighbours by the parameters that it depends on."""
        yield from self.repair.of(node, call)
        yield from self.neighbours.of(call, self.oracle.places(node))


@lru_cache(maxsize=10_000)
def _size(value: Value) -> int:
    """How large and odd the sizes of a tensor are; 0 of any other value."""
    if not isinstance(value, TensorMeta):
        return 0
    return sum(min(size.bit_length(), 9) for size in value.shape) + 30 * any(size < 0 for size in value.shape)


def _predicates(check: Check) -> list[Node]:
    return [node for node in (check.rule.require, check.rule.when) if node is not None]
