"""What was derived, counted: for the report of the generated files, whose diff is the review of a spec change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from aclspec.codegen.derive.cases import Cases
from aclspec.codegen.derive.violations import Problem
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.testing.suite import Outcome, Target, resolve


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many cases a rule decides, in how many products and modes, and the rules that it never fails without."""

    rule: str
    cases: int
    targets: int
    companions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OperatorCounts:
    """The cases of one operator: how many of each group, and by rule; and the rules that are not decided."""

    operator: str
    groups: Mapping[str, int]
    rules: tuple[RuleCount, ...]
    undecided: tuple[Problem, ...]

    @property
    def cases(self) -> int:
        """All cases together."""
        return sum(self.groups.values())


def count(info: OperatorInfo, cases: Cases) -> OperatorCounts:
    """The counts of one operator; a product rule counts once for each product that it refuses."""
    suite = cases.suite
    deciding: dict[str, int] = {}
    targets: dict[str, set[Target]] = {}
    alike: Counter[tuple[tuple[str, str], ...]] = Counter()
    for expect, number in suite.expected:
        alike[tuple(expect.items())] += number
    where_of = {where: resolve(where, suite.products) for where in {one for expected in alike for one, _ in expected}}
    for expected, number in alike.items():
        decided: set[str] = set()
        for where, text in expected:
            outcome = Outcome.parse(text)
            for rule in (*outcome.failing[:1], *([outcome.shortcut] if outcome.shortcut else [])):
                decided.add(rule)
                targets.setdefault(rule, set()).update(where_of[where])
        for rule in decided:
            deciding[rule] = deciding.get(rule, 0) + number
    for target, text in suite.refused.items():
        for rule in Outcome.parse(text).failing:
            deciding[rule] = deciding.get(rule, 0) + 1
            targets.setdefault(rule, set()).add(target)
    rules = tuple(
        RuleCount(rule.id, deciding.get(rule.id, 0), len(targets.get(rule.id, ())), cases.companions.get(rule.id, ()))
        for rule in info.rules
    )
    return OperatorCounts(info.name, suite.sizes, rules, cases.undecided)
