"""The report: what the specs come to, in numbers; its diff is the review of a change of a spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from aclspec.codegen.derive import OperatorCounts, RuleCount
from aclspec.codegen.render.build import header_line
from aclspec.codegen.render.environment import template
from aclspec.codegen.spec.project import Project
from aclspec.runtime.rules.levels import LEVELS
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, RuleInfo, RuleKind

_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule: its status in both modes, "-" where the mode does not ask, and the derived tests that it decides."""

    id: str
    document: str
    library: str
    products: tuple[str, ...]
    cases: int
    targets: int
    companions: tuple[str, ...]
    """The rules that failed with it in every call that was tried, by the call with the fewest."""


@dataclass(frozen=True, slots=True)
class OperatorReport:
    """The numbers of one operator."""

    name: str
    spec: str
    level: str
    products: str
    """The products that the documents list."""
    kinds: str
    """How many rules of each kind."""
    groups: str
    """How many derived tests of each group."""
    cases: int
    rules: tuple[RuleLine, ...]
    undecided: tuple[tuple[str, str], ...]
    """The full id of each rule that is not known to decide in a mode, and a sentence for it."""
    modes: tuple[tuple[str, int], ...]
    caveats: tuple[tuple[str, int], ...]
    """How many caveats of each kind."""

    def enforced(self, mode: str) -> int:
        """How many rules a mode enforces."""
        return dict(self.modes)[mode]

    @property
    def accompanied(self) -> int:
        """How many rules do not fail alone, somewhere."""
        return sum(bool(rule.companions) for rule in self.rules)


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """The numbers of all operators."""

    operators: tuple[OperatorReport, ...]
    clauses: int
    clause_waivers: int

    @property
    def totals(self) -> dict[str, int]:
        """The numbers of the whole, each with its name."""
        return {
            "operators": len(self.operators),
            **{f"operators of level {level}": self._count(level) for level in LEVELS if self._count(level)},
            "rules": sum(len(operator.rules) for operator in self.operators),
            "rules of document mode": sum(operator.enforced("document") for operator in self.operators),
            "rules of library mode": sum(operator.enforced("library") for operator in self.operators),
            "derived tests": sum(operator.cases for operator in self.operators),
            "rules that do not fail alone": sum(operator.accompanied for operator in self.operators),
            "cases not judged": self._caveats("unjudged"),
            "cases without a kernel": self._caveats("no kernel"),
            "cases that older versions refuse": self._caveats("version"),
            "rules not decided": sum(len(operator.undecided) for operator in self.operators),
            "clauses": self.clauses,
            "clauses waived": self.clause_waivers,
        }

    def _caveats(self, kind: str) -> int:
        return sum(dict(operator.caveats).get(kind, 0) for operator in self.operators)

    def _count(self, level: str) -> int:
        return sum(operator.level == level for operator in self.operators)


def operator_report(info: OperatorInfo, counts: OperatorCounts) -> OperatorReport:
    """The numbers of one operator; ``counts`` are those of its derived tests."""
    kinds = {kind: sum(rule.kind == kind for rule in info.rules) for kind in _KINDS}
    tests = {count.rule: count for count in counts.rules}
    return OperatorReport(
        name=info.name,
        spec=info.spec,
        level=info.level,
        products=", ".join(key for key, _ in info.products),
        kinds=", ".join(f"{count} {kind}" for kind, count in kinds.items() if count),
        groups=", ".join(f"{count} {group}" for group, count in counts.groups.items()),
        cases=counts.cases,
        rules=tuple(_line(rule, tests[rule.id]) for rule in info.rules),
        undecided=tuple((f"{info.name}.{rule}", text) for rule, text, _ in counts.undecided),
        caveats=tuple(Counter(caveat.kind for caveat in info.caveats).items()),
        modes=tuple((mode, sum(mode in dict(rule.status) for rule in info.rules)) for mode in MODES),
    )


def _line(rule: RuleInfo, tests: RuleCount) -> RuleLine:
    document, library = (_status(rule, mode) for mode in ("document", "library"))
    return RuleLine(rule.id, document, library, rule.products, tests.cases, tests.targets, tests.companions)


def _status(rule: RuleInfo, mode: str) -> str:
    if rule.kind == "shortcut":
        return "success"
    return dict[str, str](rule.status).get(mode, "-").removeprefix("ACLNN_ERR_")


def render_report(project: Project, operators: Sequence[OperatorReport]) -> str:
    """The text of ``report.md``; of the project only its clauses are read."""
    clauses = [clause for file in project.clauses for clause in file.clauses]
    waived = sum(clause.waiver is not None for clause in clauses)
    report = ProjectReport(tuple(operators), len(clauses), waived)
    return template("report.md.j2").render(header=header_line("specs"), report=report)
