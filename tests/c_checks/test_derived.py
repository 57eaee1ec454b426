"""On every derived call, and on some by hand, the check in C answers as the generated one and in the same words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from aclspec import ops
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import PLACES, Agreement
from tests.c_checks.written import WRITTEN
from tests.support.c_checks import CHECKED, CChecks


@pytest.mark.parametrize("name", CHECKED)
def test_same_answers(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    """In every mode on every product; a sentence once for each call and rule, at full size wherever it is said."""
    operator = ops.get(name)
    suite = suites[operator.name]
    decided = set()
    derived = [arguments(operator.info, suite.call(case)) for case in suite.cases]
    for call in (*derived, *WRITTEN.get(operator.name, ())):
        agreement = Agreement(checks, operator, call)
        said = set()
        for product, mode in PLACES:
            rule, verdict = agreement.verdict(product, mode)
            if rule is not None and (amount(False, False, True) or rule not in said):
                agreement.sentences(rule, verdict, product, mode)
                said.add(rule)
        decided |= said
    assert len(decided) > len(operator.info.rules) // 2, decided
