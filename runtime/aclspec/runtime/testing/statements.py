"""The statements of a generated test file, which collect its suite.

A statement is one call of the operator, by its difference from the base call, or from the earlier call ``near`` that
passes; ``where`` names products and modes (`aclspec.runtime.testing.suite`).

- Outputs that a statement leaves out follow from the inputs, by the interpreter.
- A refused call names the deciding rule; others may fail after it.
- In products and modes that a statement does not name, the interpreter gives the outcome.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.testing.suite import Case, Cell, Combinations, Literal, Suite, Sweep, describe, resolve

DTYPES = tuple(dtype.name for dtype in DType if dtype.is_stored)
FORMATS = tuple(format.name for format in Format if format is not Format.UNDEFINED)


class Calls:
    """The calls of one operator; ``document`` and ``library`` are the products that each mode lists."""

    def __init__(self, operator: str, /, *, document: str, library: str) -> None:
        """Begin without a call."""
        self._operator = operator
        self.products: dict[Mode, tuple[str, ...]] = {
            "document": tuple(document.split()),
            "library": tuple(library.split()),
        }
        self._base: dict[str, Literal] = {}
        self._cases: dict[str, list[Case]] = {"valid": [], "violations": [], "boundaries": []}
        self.sweeps: list[Sweep] = []
        self.combinations: list[Combinations] = []
        self._unlisted: dict[str, str] = {}
        self.gaps: dict[str, tuple[Cell, ...]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def base(self, /, **call: Literal) -> None:
        """The call that the others change; it states every parameter."""
        self._base = call

    def passes(self, label: str, where: str, near: str = "base", /, **change: Literal) -> None:
        """A call that every rule allows; it also runs on data."""
        self.add("valid", label, {where: "0"}, near, change)

    def rule(self, rule: str, status: int = 0, /, **statuses: int) -> RuleCalls:
        """The calls that a rule decides, with the status of those that it refuses; modes may have their own."""
        return RuleCalls(self, rule, {mode: statuses.get(mode, status) for mode in self.products})

    def unlisted(self, rule: str, status: int, where: str, /) -> None:
        """Where the product rule refuses every call."""
        self._unlisted[where] = f"{status} {rule}"

    def suite(self, info: OperatorInfo | None = None) -> Suite:
        """Everything that was stated."""
        return Suite(
            operator=self._operator,
            products=self.products,
            base=self._base,
            valid=tuple(self._cases["valid"]),
            violations=tuple(self._cases["violations"]),
            boundaries=tuple(self._cases["boundaries"]),
            sweeps=tuple(self.sweeps),
            combinations=tuple(self.combinations),
            unlisted=self._unlisted,
            gaps=self.gaps,
            info=info,
        )

    def add(self, group: str, label: str, expect: dict[str, str], near: str, change: dict[str, Literal]) -> None:
        """Add a case; the ids of a label are numbered, those of rules from the first one on."""
        self._counts[label, group] += 1
        number = self._counts[label, group]
        name = label if number == 1 and group == "valid" else f"{label}-{number}"
        self._cases[group].append(Case(name, change, expect, near))


class RuleCalls:
    """The calls that one rule decides."""

    def __init__(self, calls: Calls, rule: str, statuses: dict[Mode, int]) -> None:
        """Add to these calls."""
        self._calls, self._rule, self._statuses = calls, rule, statuses

    def fails(self, where: str, near: str = "base", /, **change: Literal) -> None:
        """A call that the rule refuses."""
        self._calls.add("violations", self._rule, self._refused(where), near, change)

    def holds(self, where: str, near: str = "base", /, **change: Literal) -> None:
        """A call on the bound of the rule that every rule allows."""
        self._calls.add("boundaries", self._rule, {where: "0"}, near, change)

    def ends(self, where: str, near: str = "base", /, **change: Literal) -> None:
        """A call that succeeds by this shortcut."""
        self._calls.add("valid", self._rule, {where: f"0 {self._rule}"}, near, change)

    def never_decides(self, where: str, /) -> None:
        """Where no call was found that this rule decides: rules before it refuse every call that breaks it."""
        self._calls.gaps[self._rule] = tuple(resolve(where, self._calls.products))

    def dtypes(self, where: str, /, **dtypes: str) -> None:
        """The base call with each of these dtypes, which the rule refuses."""
        self._sweep("dtype", where, dtypes, DTYPES)

    def formats(self, where: str, /, **formats: str) -> None:
        """The base call with each of these formats, which the rule refuses."""
        self._sweep("format", where, formats, FORMATS)

    def combinations(self, where: str, params: str, /, *lines: str) -> None:
        """The base call with other dtypes of several parameters, which the rule refuses together.

        A line has one text for each parameter, a dtype or several with bars between them: ``FLOAT FLOAT16|BF16``.
        """
        choices = ([text.split("|") for text in line.split()] for line in lines)
        every = tuple(" ".join(one) for choice in choices for one in product(*choice))
        table = Combinations(self._rule, tuple(params.split()), ((self._refused(where), every),))
        self._calls.combinations.append(table)

    def _refused(self, where: str) -> dict[str, str]:
        """The outcome of calls that the rule refuses; where the modes have one status, it is one."""
        found: dict[int, list[Cell]] = {}
        for cell in resolve(where, self._calls.products):
            found.setdefault(self._statuses[cell.mode], []).append(cell)
        return {describe(cells, self._calls.products): f"{status} {self._rule}" for status, cells in found.items()}

    def _sweep(self, facet: str, where: str, texts: dict[str, str], every: tuple[str, ...]) -> None:
        for param, text in texts.items():
            names = " ".join(_names(text, every))
            self._calls.sweeps.append(Sweep(self._rule, param, facet, ((names, self._refused(where)),)))


def _names(text: str, every: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a list, or with ``but`` all others."""
    listed, but, without = text.partition("but ")
    return tuple(name for name in every if name not in without.split()) if but else tuple(listed.split())
