"""The test file of an operator: the statements that make its suite, and the functions that run it."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from textwrap import wrap
from typing import Any, NamedTuple

from aclspec.codegen.derive import Cases
from aclspec.codegen.emit.printer import plain_literal
from aclspec.codegen.render.build import OperatorBuild, Target, header_line
from aclspec.codegen.render.environment import WIDTH, template
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo
from aclspec.runtime.rules.sentences import requirement
from aclspec.runtime.testing.expected import followed_outputs
from aclspec.runtime.testing.statements import DTYPES, FORMATS
from aclspec.runtime.testing.suite import Case, Cell, Outcome, Suite, describe

Box = tuple[tuple[str, ...], ...]
_LONG = 45
"""A statement with a longer difference from the base call may be written by its difference from another call."""
_NEIGHBOURS = 100


@dataclass(frozen=True, slots=True)
class RuleCalls:
    """The comment of a rule, and the statements of its calls."""

    comment: tuple[str, ...]
    header: str
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestFile:
    """What the template of a test file shows."""

    header: str
    name: str
    module: str
    products: Mapping[str, str]
    base: str
    passing: tuple[str, ...]
    rules: tuple[RuleCalls, ...]
    unlisted: tuple[str, ...]
    has_kernel: bool
    reference: bool


@dataclass(frozen=True, slots=True)
class DeclaredFile:
    """What the template of the test file of an operator without rules shows."""

    header: str
    name: str
    module: str
    params: tuple[tuple[str, str, str], ...]


def render_tests(build: OperatorBuild, target: Target) -> dict[PurePosixPath, str]:
    """The test file of an operator, by its path below the folder that is written."""
    info = build.info
    text = test_text(info, build.cases, target) if info.facts.has_rules else declared_text(info, target)
    return {PurePosixPath("tests", f"test_{info.snake}.py"): text}


def declared_text(info: OperatorInfo, target: Target) -> str:
    """The text of the test file of an operator without rules: its signature."""
    params = tuple((param.name, param.type, param.direction) for param in info.params)
    file = DeclaredFile(header_line(info.spec), info.name, f"{target.package}.{info.snake}", params)
    return template("tests/test_declared.py.j2").render(file=file)


def test_text(info: OperatorInfo, cases: Cases, target: Target) -> str:
    """The text of a test file, to be laid out by a formatter."""
    suite = cases.suite
    writer = _Writer(info, suite)
    passing = tuple(writer.valid())
    writer.violations()
    writer.edges()
    writer.tables()
    writer.remaining()
    file = TestFile(
        header=header_line(info.spec),
        name=info.name,
        module=f"{target.package}.{info.snake}",
        products={mode: " ".join(keys) for mode, keys in suite.products.items()},
        base=_statement("calls.base", (), writer.calls.base),
        passing=(*passing, *writer.others),
        rules=tuple(writer.rule(rule) for rule in info.rules if writer.by_rule[rule.id] or writer.gaps(rule)),
        has_kernel=info.facts.has_kernel,
        unlisted=tuple(
            _statement("calls.unlisted", (outcome.rule, outcome.status, _listed(cells)))
            for outcome, cells in _by_outcome({cell: Outcome.parse(text) for cell, text in suite.refused.items()})
        ),
        reference=info.compute.reference is not None,
    )
    return template("tests/test_operator.py.j2").render(file=file)


class _Writer:
    """The statements of a suite, by the rule that they are about."""

    def __init__(self, info: OperatorInfo, suite: Suite) -> None:
        self.suite = suite
        self.calls = CallText(info, suite)
        self.by_rule: dict[str, list[str]] = {rule.id: [] for rule in info.rules}
        self.others: list[str] = []
        self._statuses: dict[str, dict[str, int]] = {}
        self._decided: set[tuple[str, Cell]] = set()
        self._counts: Counter[str] = Counter()

    def rule(self, rule: RuleInfo) -> RuleCalls:
        """What the file says about a rule."""
        statuses = self._statuses.get(rule.id, {})
        status = set(statuses.values())
        args = (rule.id, *status) if len(status) == 1 else (rule.id,)
        header = _statement("rule = calls.rule", args, statuses if len(status) > 1 else {})
        statements = list(self.by_rule[rule.id])
        if gaps := self.gaps(rule):
            statements.append(_statement("rule.never_decides", (self._where(gaps),)))
        return RuleCalls(tuple(_comment(rule)), header, tuple(statements))

    def gaps(self, rule: RuleInfo) -> list[Cell]:
        """Where neither the search nor any other call shows that a rule decides."""
        return [cell for cell in self.suite.gaps.get(rule.id, ()) if (rule.id, cell) not in self._decided]

    def valid(self) -> Iterator[str]:
        """The calls that pass, each of which later calls may be near; those of a shortcut stand at its rule."""
        for case in self.suite.valid:
            for outcome, cells in self._outcomes(case):
                if outcome == (0, (), None):
                    label = self._label(case.id)
                    yield self._call("calls.passes", (label,), cells, case)
                    count = self._counts[label]
                    self.calls.passes(label if count == 1 else f"{label}-{count}", case)
                elif outcome.shortcut:
                    self._about(outcome.shortcut, "ends", cells, case)

    def violations(self) -> None:
        """The calls that a rule refuses, in the cells where it decides."""
        for case in self.suite.violations:
            for outcome, cells in self._outcomes(case):
                if outcome.failing and case.id.startswith(f"{outcome.rule}-"):
                    self._fails(outcome, cells, case)

    def remaining(self) -> None:
        """The calls that show by the way a rule which decides nowhere else in some cell."""
        for case in (*self.suite.violations, *self.suite.valid):
            for outcome, cells in self._outcomes(case):
                if outcome.rule and any((outcome.rule, cell) not in self._decided for cell in cells):
                    if outcome.failing:
                        self._fails(outcome, cells, case)
                    else:
                        self._about(outcome.rule, "ends", cells, case)

    def edges(self) -> None:
        """The calls on and beside bounds."""
        for case in self.suite.boundaries:
            rule = _rule_of(case.id, self.by_rule)
            outcomes = self._outcomes(case)
            about = [one for one in outcomes if one[0].rule in (None, rule)]
            for outcome, cells in about or outcomes:
                if outcome.failing:
                    self._fails(outcome, cells, case)
                elif outcome.shortcut:
                    self._about(outcome.shortcut, "ends", cells, case)
                elif rule:
                    self._about(rule, "holds", cells, case)
                else:
                    self.others.append(self._call("calls.passes", (self._label(case.id),), cells, case))

    def tables(self) -> None:
        """The dtypes and the formats that a rule refuses."""
        names: dict[tuple[str, str, str, str], list[str]] = {}
        for sweep in self.suite.sweeps:
            for values, expect in sweep.outcomes:
                for rule, where in self._refused(expect):
                    names.setdefault((rule, where, sweep.facet, sweep.param), []).extend(values.split())
        for (rule, where, facet, param), found in names.items():
            text = names_text(found, DTYPES if facet == "dtype" else FORMATS)
            self.by_rule[rule].append(_statement(f"rule.{facet}s", (where,), {param: text}))
        lines: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, ...]]] = {}
        for table in self.suite.combinations:
            for expect, texts in table.outcomes:
                for rule, where in self._refused(expect):
                    if rule == table.rule:
                        key = (rule, where, table.params)
                        lines.setdefault(key, []).extend(tuple(text.split()) for text in texts)
        for (rule, where, params), chosen in lines.items():
            rows = (" ".join(map("|".join, box)) for box in boxes(chosen))
            self.by_rule[rule].append(_statement("rule.combinations", (where, " ".join(params), *rows)))

    def _refused(self, expect: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The rules that refuse a call, and where."""
        for outcome, cells in self._outcomes(Case("", {}, expect)):
            if outcome.failing:
                self._decided |= {(outcome.failing[0], cell) for cell in cells}
                yield outcome.failing[0], self._where(cells)

    def _fails(self, outcome: Outcome, cells: list[Cell], case: Case) -> None:
        self._about(outcome.failing[0], "fails", cells, case)

    def _about(self, rule: str, kind: str, cells: list[Cell], case: Case) -> None:
        """A statement about a rule, unless the same one stands there."""
        text = self._call(f"rule.{kind}", (), cells, case)
        if text not in self.by_rule[rule]:
            self.by_rule[rule].append(text)
            self._decided |= {(rule, cell) for cell in cells}

    def _call(self, kind: str, lead: tuple[Any, ...], cells: list[Cell], case: Case) -> str:
        near, change = self.calls.change(case)
        return _statement(kind, (*lead, self._where(cells), *([] if near == "base" else [near])), change)

    def _where(self, cells: Iterable[Cell]) -> str:
        return describe(cells, self.suite.products)

    def _outcomes(self, case: Case) -> list[tuple[Outcome, list[Cell]]]:
        outcomes = self.suite.outcomes(case)
        for cell, outcome in outcomes.items():
            if outcome.failing:
                self._statuses.setdefault(outcome.failing[0], {})[cell.mode] = outcome.status
        return _by_outcome(outcomes)

    def _label(self, name: str) -> str:
        """The label of a call that passes: its id without the number that `Calls` counts anew."""
        stem, _, number = name.rpartition("-")
        label = stem if number.isdigit() and int(number) == self._counts[stem] + 1 and self._counts[stem] else name
        self._counts[label] += 1
        return label


def _by_outcome(outcomes: Mapping[Cell, Outcome]) -> list[tuple[Outcome, list[Cell]]]:
    """The cells of each outcome, by the rule that decides."""
    found: dict[str | None, tuple[Outcome, list[Cell]]] = {}
    for cell, outcome in outcomes.items():
        found.setdefault(outcome.rule, (outcome, []))[1].append(cell)
    return list(found.values())


def _listed(cells: Iterable[Cell]) -> str:
    """Products that the operator does not list, by mode."""
    modes: dict[str, list[str]] = {}
    for cell in cells:
        modes.setdefault(cell.mode, []).append(cell.product)
    return "; ".join(f"{mode}: {' '.join(products)}" for mode, products in modes.items())


def _rule_of(label: str, rules: Iterable[str]) -> str:
    """The rule whose bound a case stands on: the longest id that its own begins with."""
    fitting = [rule for rule in rules if label == rule or label.startswith(f"{rule}-")]
    return max(fitting, key=len, default="")


def _comment(rule: RuleInfo) -> list[str]:
    return wrap(f"{rule.id}: {requirement(rule)}", WIDTH, initial_indent="# ", subsequent_indent="#   ")


def _statement(kind: str, args: tuple[Any, ...], change: Mapping[str, Any] | None = None) -> str:
    """A statement in one line; the formatter breaks it."""
    words = {name: literal(value) for name, value in (change or {}).items()}
    named = [f"{name}={value}" for name, value in words.items() if not keyword.iskeyword(name)]
    others = [f"{name!r}: {value}" for name, value in words.items() if keyword.iskeyword(name)]
    unpacked = [f"**{{{', '.join(others)}}}"] if others else []
    return f"{kind}({', '.join([*map(literal, args), *named, *unpacked])})"


class _Neighbour(NamedTuple):
    label: str
    call: dict[str, Any]


class CallText:
    """The calls of a suite as differences; outputs that follow from the inputs are left out."""

    def __init__(self, info: OperatorInfo, suite: Suite) -> None:
        """Begin with the base call."""
        self.info, self.suite = info, suite
        self.base = _plain(suite.base)
        self._neighbours: list[_Neighbour] = []

    def passes(self, label: str, case: Case) -> None:
        """Remember a call by its label; later calls may be written by their difference from it."""
        if len(self._neighbours) < _NEIGHBOURS:
            near, change = self.change(case)
            if near == "base" and _length(change) > _LONG:
                self._neighbours.append(_Neighbour(label, _plain(self.suite.call(case))))

    def change(self, case: Case) -> tuple[str, dict[str, Any]]:
        """The label of a call, and the difference of this case from it."""
        call = _plain(self.suite.call(case))
        followed = followed_outputs(self.info, call)
        best = "base", _difference(call, self.base, followed)
        if _length(best[1]) > _LONG:
            for near in self._neighbours:
                change = _difference(call, near.call, followed)
                if _length(change) + len(near.label) + 25 < _length(best[1]):
                    best = near.label, change
        return best


def _difference(call: Mapping[str, Any], near: Mapping[str, Any], followed: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are not those of a near call, and the outputs that do not follow from the inputs."""
    return {name: value for name, value in call.items() if value != followed.get(name, near[name])}


def _length(change: Mapping[str, Any]) -> int:
    return sum(len(name) + len(literal(value)) + 3 for name, value in change.items())


def _plain(call: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _without_default(value) for name, value in call.items()}


def _without_default(value: Any) -> Any:
    """A literal without the format ND, which a tensor has unless it states another."""
    if isinstance(value, tuple):
        return tuple(map(_without_default, value))
    if not isinstance(value, str) or "]:ND" not in value:
        return value
    head, _, tail = value.partition("]:ND")
    return value if tail[:1] not in ("", ":") else f"{head}]{tail}"


def literal(value: Any) -> str:
    """A value as Python text."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
    return plain_literal(value)


def names_text(names: Sequence[str], every: Sequence[str]) -> str:
    """Names separated by spaces, or all but the others."""
    others = [name for name in every if name not in names]
    return f"but {' '.join(others)}" if others and len(others) < len(names) else " ".join(names)


def boxes(lines: Iterable[tuple[str, ...]]) -> list[Box]:
    """The same combinations as products of sets: boxes that differ along one axis are joined, axis by axis."""
    found: list[Box] = [tuple((value,) for value in line) for line in dict.fromkeys(lines)]
    for axis in reversed(range(len(found[0]) if found else 0)):
        joined: dict[Box, list[str]] = {}
        for box in found:
            joined.setdefault((*box[:axis], (), *box[axis + 1 :]), []).extend(box[axis])
        found = [(*rest[:axis], tuple(values), *rest[axis + 1 :]) for rest, values in joined.items()]
    return found
