"""Holding the checks in C against Python: the generated check for the verdict, the interpreter for the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import MODES, Mode
from aclspec.runtime.rules.sentences import Lang, failure
from tests.support.c_checks import Arguments, CChecks, CVerdict, Decided, as_in_c, decided

PLACES: tuple[tuple[str, Mode], ...] = tuple((product, mode) for mode in MODES for product in KEYS)
LANGUAGES: tuple[Lang, ...] = ("en", "zh")


class Agreement:
    """One call of an operator, in Python and in C."""

    def __init__(self, checks: CChecks, operator: Operator, call: Mapping[str, Any]) -> None:
        self.checks, self.operator, self.call = checks, operator, as_in_c(call)
        self.arguments = Arguments(operator.info, self.call)

    def verdict(self, product: str, mode: Mode) -> tuple[str | None, CVerdict]:
        """The rule that decides, on which both are of one mind, and the verdict in C."""
        library = mode == "library"
        expected = self.operator.check(product, library, *self.call.values())
        found = self.checks.check(self.operator.snake, product, library, self.arguments)
        wanted = Decided(None, 0, 0, None, None)
        if expected is not None:
            wanted = Decided(expected.rule, expected.document, expected.library, expected.effect, None)
        assert decided(found) == wanted, self._where(product, mode)
        return wanted.rule, found

    def sentences(self, rule: str, verdict: CVerdict, product: str, mode: Mode) -> None:
        """C says the failure of a rule as Python does, in both languages."""
        info = self.operator.info
        for at, lang in enumerate(LANGUAGES):
            wanted = failure(info, info.rule(rule.rpartition(".")[2]), self.call, product, mode, lang)
            found = self.checks.explain(self.operator.snake, product, self.arguments, verdict, at)
            assert found == wanted, self._where(product, mode)

    def _where(self, product: str, mode: Mode) -> str:
        call = {name: str(value) for name, value in self.call.items()}
        return f"{self.operator.name} on {product} in {mode} mode: {call}"
