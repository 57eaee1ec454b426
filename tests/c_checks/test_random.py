"""On random calls with sizes and numbers at the limits of their types the check in C answers as Python does."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import pytest

from aclspec import ops
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import Agreement
from tests.c_checks.random_calls import random_calls
from tests.support.c_checks import CHECKED, CChecks

CALLS = amount(150, 150, 20_000)


@pytest.mark.parametrize("name", CHECKED)
def test_same_answers(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    operator, rules = ops.get(name), set()
    for call, product, mode in islice(random_calls(operator, suites[operator.name]), CALLS):
        agreement = Agreement(checks, operator, call)
        rule, verdict = agreement.verdict(product, mode)
        rules.add(rule)
        if rule is not None:
            agreement.sentences(rule, verdict, product, mode)
    assert len(rules) > min(len(operator.info.rules) // 7, CALLS // 10), rules  # the calls are not all alike
