"""What all kinds of derived cases share: the operator, its cells, the solver, and the valid calls found so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product
from random import Random
from typing import Any, NamedTuple

from aclspec.codegen.derive.call import Call, ScalarMeta, TensorMeta, Value, literal
from aclspec.codegen.derive.oracle import Oracle, Verdict, applies
from aclspec.codegen.derive.search import Solver
from aclspec.codegen.derive.space import Ref, Space, cells
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.ways import Ways
from aclspec.runtime.info import ExampleInfo, OperatorInfo, TensorValue
from aclspec.runtime.predicate.nodes import Node
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.status import Status
from aclspec.runtime.testing.suite import Case, Cell, describe

QUICK, THOROUGH = 150, 4000
_STARTS = 60


class Sample(NamedTuple):
    """A call with the stem of its case's id."""

    label: str
    call: Call


class Deriver:
    """The workshop of one operator; one instance serves one run, and two runs give the same cases."""

    def __init__(self, info: OperatorInfo) -> None:
        """Find a base call that is valid in as many cells as possible."""
        self.info = info
        self.space = Space(info)
        self.oracle = Oracle(self.space)
        self.solver = Solver(self.oracle)
        self.cells = cells(info)
        self.kinds_of_cells = self._kinds_of_cells()
        self.products = {
            mode: tuple(cell.product for cell in self.cells if cell.mode == mode)
            for mode in dict.fromkeys(cell.mode for cell in self.cells)
        }
        self.valid: list[Call] = []
        self.seeds = self._seeds()
        self.base = self._base()
        self.solver.measure(self.base)
        self.ways = Ways(self.space.lets, self._sample)

    def random(self, label: str) -> Random:
        """Random numbers that depend on the operator and the label, and on nothing else."""
        return Random(f"{self.info.name} {label}")

    def _kinds_of_cells(self) -> list[list[Cell]]:
        """Cells in which every rule means the same, together."""
        kinds: dict[Any, list[Cell]] = {}
        for cell in self.cells:
            rows = tuple(row.cells for row in self.space.rows(cell))
            active = (rule for rule in self.info.rules if applies(rule, cell))
            rules = tuple((rule.id, dict(rule.status).get(cell.mode)) for rule in active)
            kinds.setdefault((rows, rules), []).append(cell)
        return list(kinds.values())

    @property
    def representatives(self) -> Iterator[Cell]:
        """One cell of each kind."""
        return (kind[0] for kind in self.kinds_of_cells)

    def _seeds(self) -> list[Call]:
        """The spec's examples that are valid somewhere: each shows a kind of call that a search may start from."""
        found: dict[Call, None] = {}
        for cell, example in product(self.representatives, self.info.examples):
            valid = (call for call in self._examples(example, cell) if not self.verdict(call, cell).failing)
            found |= dict.fromkeys(islice(valid, 1))
        return list(found)

    def _base(self) -> Call:
        candidates: list[Call] = []
        for cell in self.representatives:
            starts = [*self.examples(cell), *candidates, self.space.skeleton(cell)]
            found = self.solver.solve(Goal(), cell, starts, THOROUGH)
            if found is not None and found not in candidates:
                candidates.append(found)
        if not candidates:
            raise ValueError(f"No valid call of {self.info.name} was found.")
        self.valid += dict.fromkeys([*candidates, *self.seeds])
        return max(candidates, key=lambda call: sum(not self.verdict(call, cell).failing for cell in self.cells))

    def _sample(self, node: Node) -> Any:
        """The value of an expression in the first valid call where it has one."""
        cell = self.cells[0]
        values = (self.oracle.value(node, call, cell) for call in self.valid)
        return next((value for value in values if value is not UNDEFINED), UNDEFINED)

    def verdict(self, call: Call, cell: Cell) -> Verdict:
        """What the rules say."""
        points = self.solver.points
        return points.verdict(points.at(call), cell)

    def examples(self, cell: Cell) -> Iterator[Call]:
        """The spec's own examples as calls."""
        return (call for example in self.info.examples for call in self._examples(example, cell))

    def _examples(self, example: ExampleInfo, cell: Cell) -> Iterator[Call]:
        """An example with the outputs that it gives, and with its outputs inferred."""
        call = self._example(example)
        yield call
        yield from self.solver.moves(cell).inferred(call)

    def _example(self, example: ExampleInfo) -> Call:
        given = dict(example.inputs) | dict(example.outputs)
        values: list[Value] = []
        for place, param in enumerate(self.info.params):
            value = given.get(param.name)
            if isinstance(value, TensorValue):
                legal = self.space.formats_of(place, len(value.shape))
                values.append(TensorMeta(value.shape, value.dtype, value.format or (legal or ("ND",))[0]))
            elif param.name in given or not param.is_output:
                values.append(_number(value, param.type))
            else:
                values.append(self.space.default(place))
        return tuple(values)

    def starts(self, label: str) -> list[Call]:
        """Where a search starts, at the one nearest to its goal: the base call and valid calls found so far."""
        others = self.valid if len(self.valid) <= _STARTS else self.random(label).sample(self.valid, _STARTS)
        return list(dict.fromkeys([self.base, *self.seeds, *others]))

    def cover(
        self, goal: Goal, label: str, limit: int, among: Iterable[Call] = (), starts: Iterable[Call] | None = None
    ) -> tuple[list[Call], list[Cell]]:
        """Calls that reach a goal in every kind of cell, as few as possible, and the kinds where none was found."""
        found: list[Call] = []
        missed: list[Cell] = []
        for cell in self.representatives:
            if goal.target is not None and not applies(self.info.rule(goal.target), cell):
                continue
            known = next((call for call in (*found, *among) if self.solver.grants(goal, call, cell)), None)
            if known is None:
                beginnings = self.starts(label) if starts is None else starts
                # What could not be found for one kind of cell is seldom to be had for another.
                steps = limit if found or not missed else limit // 4
                known = self.solver.solve(goal, cell, [*found, *beginnings], steps)
            if known is None:
                missed.append(cell)
            elif known not in found:
                found.append(known)
        return found, missed

    def anywhere(self, goal: Goal, label: str, limit: int, among: Iterable[Call]) -> Call | None:
        """A call that reaches a goal which means the same in every cell."""
        cell = self.cells[0]
        known = next((call for call in among if self.solver.grants(goal, call, cell)), None)
        return known or self.solver.solve(goal, cell, self.starts(label), limit)

    def scrambled(self, label: str) -> Call:
        """The base call with its sizes, attributes and flags drawn anew; it is seldom valid as it stands."""
        random = self.random(label)
        call = self.base
        for place, param in enumerate(self.info.params):
            value = call[place]
            if isinstance(value, TensorMeta):
                rank = random.randint(param.rank[0], min(param.rank[1], max(param.rank[0], 4)))
                shape = tuple(random.choice((1, 2, 3, 4, 5)) for _ in range(rank))
                call = self.space.with_shape(call, Ref(place), shape)
            elif isinstance(value, bool):
                call = self.space.replaced(call, place, random.random() < 0.5)
            elif param.values:
                continue
            elif isinstance(value, int):
                call = self.space.replaced(call, place, random.choice((value, 0, 1, 2, 3)))
            elif self.space.kinds[place] == "ints" and isinstance(value, tuple):
                call = self.space.replaced(call, place, tuple(random.choice((1, 1, 2, 3)) for _ in value))
        return call

    def case(self, label: str, call: Call) -> Case:
        """The call as it stands in a test file: its difference from the base, and its outcome everywhere."""
        values = zip(self.space.names, call, self.base, strict=True)
        change = {name: literal(value) for name, value, plain in values if value != plain}
        by_outcome: dict[str, list[Cell]] = {}
        for kind in self.kinds_of_cells:
            by_outcome.setdefault(self.outcome(call, kind[0]), []).extend(kind)
        expect = {describe(chosen, self.products): text for text, chosen in by_outcome.items()}
        return Case(label, change, expect)

    def outcome(self, call: Call, cell: Cell) -> str:
        """Status and rules, by the interpreter's own report; the oracle must have said the same."""
        report = self.oracle.confirm(call, cell)
        verdict = self.verdict(call, cell)
        if report.failing != verdict.failing or (not verdict.failing and report.shortcut != verdict.shortcut):
            raise AssertionError(f"The oracle and the interpreter disagree about {self.space.mapping(call)}.")
        if report.failing:
            return " ".join([str(int(report.status)), *report.failing])
        return " ".join([str(int(Status.ACLNN_SUCCESS)), *([report.shortcut] if report.shortcut else [])])


_SCALARS = {bool: "BOOL", int: "INT64", float: "DOUBLE"}


def _number(value: Any, kind: str) -> Value:
    """A value of an example as a call has it; a scalar has the dtype that Python's type of number stands for."""
    if kind == "scalar_list" and value is not None:
        return tuple(ScalarMeta(one, _SCALARS[type(one)]) for one in value)
    plain: Value = ScalarMeta(value, _SCALARS[type(value)]) if kind == "scalar" and value is not None else value
    return plain
