"""The test items of one operator: one for each rule and mode over its derived calls, and one for each other proof.

- ``<rule>-<mode>``: the calls of a rule. Those that it refuses are refused by every entry point with its status, and
  write nothing; those on its bound pass; those of a shortcut take it. ``passes-<mode>``: the calls that every rule
  allows.
- ``unlisted``: where the product rule refuses every call. ``elsewhere``: where a line says nothing, the check agrees
  with the interpreter. ``inferred`` and ``precision``: outputs and arithmetic agree with it too.
- ``numbers-<n>``: some of the calls that pass, on data; ``special``: with NaN and infinities (`Numbers`).
  ``example-<id>``: the values of an example. ``reference``: random calls against a formula (`References`).
- ``without-kernel``: a call that passes is refused for want of a kernel.

An item makes all of its calls, and then lists those that failed. At the small amount (`amount`) they are made on one
product, and every entry point is asked for the first call of each outcome; for the others the check is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import Mode
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.corpus import path_of, read, signature_of, words
from aclspec.runtime.testing.data_runs import Numbers
from aclspec.runtime.testing.reference_runs import References
from aclspec.runtime.testing.runner import Runner
from aclspec.runtime.testing.suite import Case, Outcome, Suite

PASSES = "passes"
_CHUNK = 24
"""How many calls an item runs on data."""


@dataclass(frozen=True, slots=True)
class Item:
    """One test: its name, and what it does."""

    name: str
    run: Callable[[], None]


class Failed(AssertionError):
    """Calls of one item that failed, each with its line and the command that makes it again."""


class Items:
    """The test items of one operator."""

    def __init__(self, operator: Operator, suite: Suite) -> None:
        """Run this suite on this operator."""
        self.operator, self.suite = operator, suite
        self.runner = Runner(suite, operator)
        self.numbers = Numbers(self.runner)

    @classmethod
    def beside(cls, test: str, operator: Operator) -> Items:
        """The items of the corpus that belongs to a generated test file: on one product, or by ``amount`` on all."""
        text = path_of(Path(test).parent, operator.info.snake).read_text(encoding="utf-8")
        suite = read(text, operator.info).suite
        return cls(operator, amount(replace(suite, only=_one_product(suite)), suite))

    def params(self) -> list[Any]:
        """A pytest parameter for each item."""
        import pytest

        return [pytest.param(item, id=item.name) for item in self]

    def __iter__(self) -> Iterator[Item]:
        """Every item."""
        for (name, mode), calls in grouped(self.suite).items():
            yield Item(f"{name}-{mode}", partial(self._calls, mode, calls))
        if self.suite.refused:
            yield Item("unlisted", self._unlisted)
        yield Item("elsewhere", self.runner.check_elsewhere)
        yield Item("inferred", self.runner.check_inferred)
        if not self.operator.info.facts.has_kernel:
            yield Item("without-kernel", self._without_kernel)
            return
        yield Item("precision", self.runner.check_precision)
        for name, cases in numbers_of(self.suite).items():
            yield Item(name, partial(self._numbers, cases))
        yield Item("special", self._special)
        for example in self.operator.info.examples:
            yield Item(f"example-{example.id}", partial(self._example, example.id))
        if self.operator.info.compute.reference is not None:
            yield Item("reference", self._reference)

    def _calls(self, mode: Mode, cases: Iterable[tuple[str, Case]]) -> None:
        asked = amount({group: set[Outcome]() for group in self.suite.groups}, None)
        with Failures(self.operator, self.suite) as failures:
            for group, case in cases:
                check = self.runner.check_violations if group == "violations" else self.runner.check_everywhere
                failures.run(case, partial(check, case, mode, None if asked is None else asked[group]))

    def _unlisted(self) -> None:
        with Failures(self.operator, self.suite) as failures:
            for target, outcome in self.runner.refused():
                failures.run(self.suite.valid[0], partial(self.runner.check_unlisted, target, outcome))

    def _without_kernel(self) -> None:
        with Failures(self.operator, self.suite) as failures:
            for case in self.suite.valid:
                failures.run(case, partial(self.runner.check_without_kernel, case))

    def _numbers(self, cases: Iterable[Case]) -> None:
        with Failures(self.operator, self.suite) as failures:
            for case, target in self.numbers.computing(cases):
                failures.run(case, partial(self.numbers.check_computing, case, target))

    def _special(self) -> None:
        with Failures(self.operator, self.suite) as failures:
            for case, target in self.numbers.special():
                failures.run(case, partial(self.numbers.check_special, case, target))

    def _example(self, name: str) -> None:
        for example, target in self.numbers.examples():
            if example == name:
                self.numbers.check_example(name, target)

    def _reference(self) -> None:
        References(self.operator, self.suite).check()


class Failures:
    """The calls of one item that failed: all are made, and then an error lists them."""

    def __init__(self, operator: Operator, suite: Suite) -> None:
        """Nothing failed yet."""
        self.operator, self.suite = operator, suite
        self.found: list[str] = []
        self.first: Exception | None = None

    def __enter__(self) -> Failures:
        """Begin."""
        return self

    def run(self, case: Case, check: Callable[[], None]) -> None:
        """Make a call; one that fails is remembered."""
        try:
            check()
        except Exception as error:  # every kind: the calls after it are made as well
            self.first = self.first or error
            line = words(signature_of(self.operator.info), self.suite.call(case))
            said = f"{type(error).__name__}: {error}".splitlines()
            self.found.append("\n  ".join([line, *said, *getattr(error, "__notes__", ())]))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Raise what was found, unless the item was interrupted."""
        if kind is None and self.found:
            name, count = self.operator.info.snake, len(self.found)
            calls = "1 call fails" if count == 1 else f"{count} calls fail"
            head = f"{calls}; a line is one for `aclspec explain {name}`:"
            raise Failed("\n".join([head, *self.found])) from self.first


def grouped(suite: Suite) -> dict[tuple[str, Mode], list[tuple[str, Case]]]:
    """The cases of each rule and mode, and of those that pass by every rule; each with its group."""
    found: dict[tuple[str, Mode], list[tuple[str, Case]]] = {}
    for group, cases in suite.groups.items():
        for case in cases:
            for mode in dict.fromkeys(target.mode for target in suite.outcomes(case)):
                found.setdefault((case.rule or PASSES, mode), []).append((group, case))
    return found


def _one_product(suite: Suite) -> str:
    """The product on which most cases state an outcome; the first of several."""
    named = Counter(target.product for case in suite.cases for target in suite.outcomes(case))
    return max(
        suite.products["document"] or [target.product for target in suite.targets], key=lambda product: named[product]
    )


def numbers_of(suite: Suite) -> dict[str, tuple[Case, ...]]:
    """The calls that run on data, by the name of their item."""
    starts = range(0, len(suite.valid), _CHUNK)
    return {f"numbers-{number}": suite.valid[at : at + _CHUNK] for number, at in enumerate(starts, 1)}
