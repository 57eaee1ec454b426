"""On every derived call of every operator the check in C answers as the generated one, in the interpreter's words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from aclspec import ops
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import PLACES, Agreement
from tests.support.c_checks import CChecks
from tests.support.operators import FULL


@pytest.mark.parametrize("name", ops.names())
def test_same_answers(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    """In every mode on every product; a sentence once for each call and rule, at full size wherever it is said."""
    operator = ops.get(name)
    suite = suites[operator.name]
    decided = set()
    for case in suite.cases:
        agreement = Agreement(checks, operator, arguments(operator.info, suite.call(case)))
        said = set()
        for product, mode in PLACES:
            rule, verdict = agreement.verdict(product, mode)
            if rule is not None and (FULL or rule not in said):
                agreement.sentences(rule, verdict, product, mode)
                said.add(rule)
        decided |= said
    assert len(decided) > len(operator.info.rules) // 2, decided
