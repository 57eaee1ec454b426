"""The report: what the specs come to, in numbers; its diff is the review of a change of a spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from aclspec.codegen.derive import OperatorCounts, RuleCount
from aclspec.codegen.load import Operator, Project
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.target import Target
from aclspec.runtime.info import RuleInfo, RuleKind

_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)


@dataclass(frozen=True, slots=True)
class OperatorReport:
    """The numbers of one operator; ``counts`` are those of its derived tests."""

    operator: Operator
    counts: OperatorCounts

    @property
    def rules(self) -> tuple[RuleInfo, ...]:
        """The rules in their order."""
        return self.operator.info.rules

    @property
    def kinds(self) -> str:
        """How many rules of each kind."""
        counts = {kind: sum(rule.kind == kind for rule in self.rules) for kind in _KINDS}
        return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)

    @property
    def groups(self) -> str:
        """How many derived tests of each group."""
        return ", ".join(f"{count} {group}" for group, count in self.counts.groups.items())

    def enforced(self, mode: str) -> int:
        """How many rules a mode enforces."""
        return sum(mode in dict(rule.status) for rule in self.rules)

    @property
    def waivers(self) -> int:
        """How many rules cannot fail alone, each with its reason."""
        return sum(bool(rule.fails_with) for rule in self.rules)

    @property
    def products(self) -> str:
        """The products that the documents list."""
        return ", ".join(key for key, _ in self.operator.info.products)

    def status(self, rule: RuleInfo, mode: str) -> str:
        """The status of a rule in a mode, "-" where the mode does not ask."""
        if rule.kind == "shortcut":
            return "success"
        return dict[str, str](rule.status).get(mode, "-").removeprefix("ACLNN_ERR_")

    def tests_of(self, rule: RuleInfo) -> RuleCount:
        """The derived tests that the rule decides."""
        return next(count for count in self.counts.rules if count.rule == rule.id)


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of all operators."""

    operators: tuple[OperatorReport, ...]
    clauses: int
    clause_waivers: int

    @property
    def totals(self) -> dict[str, int]:
        """The numbers of the whole, each with its name."""
        return {
            "operators": len(self.operators),
            "rules": sum(len(operator.rules) for operator in self.operators),
            "rules of document mode": sum(operator.enforced("document") for operator in self.operators),
            "rules of library mode": sum(operator.enforced("library") for operator in self.operators),
            "derived tests": sum(operator.counts.cases for operator in self.operators),
            "rules that cannot fail alone": sum(operator.waivers for operator in self.operators),
            "clauses": self.clauses,
            "clauses waived": self.clause_waivers,
        }


def render_report(project: Project, target: Target, counts: Sequence[OperatorCounts]) -> str:
    """The text of ``report.md``; ``counts`` are the derived tests of the operators, in their order."""
    operators = tuple(OperatorReport(*pair) for pair in zip(project.operators, counts, strict=True))
    clauses = [clause for file in project.clauses for clause in file.clauses]
    waived = sum(clause.waiver is not None for clause in clauses)
    report = Report(operators, len(clauses), waived)
    return template("report.md.j2").render(header=target.header("specs"), report=report)
