"""What the derived tests of one operator prove, of its rules and of the fields of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from aclspec.codegen.compile.clauses import FACTS, Carrier
from aclspec.codegen.trace.sources import SuiteFile
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.search.space import Space, applies, vacuous
from aclspec.runtime.testing.items import grouped, numbers_of
from aclspec.runtime.testing.suite import Case, Literal, Outcome, Suite, Target


@dataclass(frozen=True, slots=True)
class Ran:
    """A case of the suite in one mode: its group and id, the test that runs it, its whole call and its outcomes."""

    id: str
    test: str
    call: dict[str, Literal]
    outcomes: dict[Target, Outcome]

    @property
    def passes(self) -> bool:
        """Whether the call succeeds somewhere."""
        return any(outcome.status == 0 for outcome in self.outcomes.values())


class Decision(NamedTuple):
    """A case that a rule decides: its id, the test that runs it, and where."""

    case: str
    test: str
    target: Target


class Evidence:
    """The cases of one operator by what they prove; ``suite`` is None where no generated test file was found."""

    def __init__(self, info: OperatorInfo, file: SuiteFile | None) -> None:
        """Remember the suite."""
        self.info = info
        self.file = "generated/tests" if file is None else file.file
        self.suite = None if file is None else replace(file.suite, info=info)

    @cached_property
    def cases(self) -> tuple[Ran, ...]:
        """Every case of the suite."""
        suite = self.suite
        if suite is None:
            return ()
        return tuple(
            Ran(f"{group} {case.id}", self._test(f"{name}-{mode}"), suite.call(case), _run(group, case, suite, mode))
            for (name, mode), cases in grouped(suite).items()
            for group, case in cases
        )

    def _test(self, item: str) -> str:
        """The name of an item of the test file."""
        return f"{self.file}::test[{item}]"

    @cached_property
    def _decided(self) -> dict[str, list[Decision]]:
        """By rule, the calls in which it decides; the product rule decides any call where it refuses all."""
        found: dict[str, list[Decision]] = {}
        for case in self.cases:
            for target, outcome in case.outcomes.items():
                if outcome.rule is not None:
                    found.setdefault(outcome.rule, []).append(Decision(case.id, case.test, target))
        for target, text in self.suite.refused.items() if self.suite is not None else ():
            for rule in Outcome.parse(text).failing:
                found.setdefault(rule, []).append(Decision("unlisted", self._test("unlisted"), target))
        return found

    def deciding(self, rule: str) -> tuple[str, ...]:
        """The tests in which this rule decides the outcome."""
        return tuple(dict.fromkeys(one.test for one in self._decided.get(rule, ())))

    def count(self, rule: str) -> int:
        """How many calls it decides; any call where the product rule refuses all counts as one."""
        return len({one.case for one in self._decided.get(rule, ())})

    def needed(self, rule: RuleInfo) -> list[Target]:
        """The products and modes where a rule can decide."""
        if self.suite is None or rule.kind == "product" or rule.outcome == "undefined":
            return []
        space = Space(self.info)
        return [target for target in self.suite.targets if applies(rule, target) and not vacuous(space, rule, target)]

    def untested(self, rule: RuleInfo) -> list[Target]:
        """Those of them where it decides in no test, and the test file does not say that it never does."""
        seen = {one.target for one in self._decided.get(rule.id, ())}
        gaps = self.suite.gaps.get(rule.id, ()) if self.suite is not None else ()
        return [target for target in self.needed(rule) if target not in seen and target not in gaps]

    def unknown_rules(self) -> list[str]:
        """Ids in the cases that no rule of the operator has."""
        known = {rule.id for rule in self.info.rules}
        named = {rule for case in self.cases for outcome in case.outcomes.values() for rule in outcome.failing}
        return sorted((named | self._decided.keys()) - known)

    def of(self, carrier: Carrier) -> tuple[str, ...]:
        """The tests that prove what a carrier says."""
        found = [test for rule in carrier.rules for test in self.deciding(rule)]
        if carrier.kind == "product":
            found += [case.test for case in self.cases if self._passes_on(case, carrier.name)]
        elif carrier.kind == "field":
            found += self._of_field(carrier.param, carrier.field)
        elif carrier.kind == "precision":
            found += self._computing()
        elif carrier.kind in ("formula", "example") and self._computes:
            found += self._of_examples(carrier)
        return tuple(dict.fromkeys(found))

    def _passes_on(self, case: Ran, product: str) -> bool:
        """Whether a case passes on a product by the document's rules."""
        outcome = case.outcomes.get(Target(product, "document"))
        return outcome is not None and outcome.status == 0

    def _of_field(self, param: str, field: str) -> Iterator[str]:
        """The passing calls that show what a field allows; what it is for, all runs on data show."""
        if field not in (*_SEEN, *FACTS):
            yield from self._computing()
            return
        plain = self.suite.base[param] if self.suite else None
        for case in self.cases:
            if case.passes and _shows(field, case.call[param], plain):
                yield case.test

    def _computing(self) -> Iterator[str]:
        """The runs on data."""
        if self._computes:
            yield from (self._test(name) for name in self._numbers)

    @cached_property
    def _computes(self) -> bool:
        return self.suite is not None and self.info.facts.has_kernel

    @cached_property
    def _numbers(self) -> tuple[str, ...]:
        """The items that run the calls on data."""
        return () if self.suite is None else tuple(numbers_of(self.suite))

    def _of_examples(self, carrier: Carrier) -> Iterator[str]:
        """The tests that compare the values of examples; a formula is proved by all of them."""
        for example in self.info.examples:
            if carrier.kind == "formula" or example.id == carrier.name:
                yield self._test(f"example-{example.id}")


def _run(group: str, case: Case, suite: Suite, mode: Mode) -> dict[Target, Outcome]:
    """Where a case runs: in all targets of the mode, but a violation only where the rule of its id decides."""
    outcomes = {target: one for target, one in suite.outcomes(case).items() if target.mode == mode}
    if group != "violations":
        return outcomes
    return {
        target: one
        for target, one in outcomes.items()
        if any(case.id.startswith(f"{rule}-") for rule in one.failing[:1])
    }


def _shows(field: str, value: Literal, plain: Literal) -> bool:
    """Whether a value that passes shows what a field allows; ``plain`` is the value of the base call."""
    if field in ("optional", "required"):
        return value is None
    if field in _SEEN and isinstance(value, str) and isinstance(plain, str):
        return _SEEN[field](value) != _SEEN[field](plain)
    return field in ("lengths", "values") and value != plain


def _dimensions(text: str) -> list[str]:
    """The sizes in the literal of a tensor."""
    return [size for size in text.partition("[")[2].partition("]")[0].split(",") if size]


_SEEN: dict[str, Callable[[str], object]] = {
    "dtype": lambda text: text.partition("[")[0],
    "formats": lambda text: text.partition("]:")[2].partition(":")[0],
    "rank": lambda text: len(_dimensions(text)),
    "noncontiguous": lambda text: ":strides=" in text,
    "empty": lambda text: "0" in _dimensions(text),
}
"""What the literal of a tensor says about a field of the parameter table."""
