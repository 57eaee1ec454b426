"""In C the rule of the language refuses what its numbers do not count to, before every other rule."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from aclspec import ops
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.agreement.hostile import at_the_bound, is_refused_first
from tests.c_checks.agreeing import Agreement
from tests.support.c_checks import CHECKED, CChecks


@pytest.mark.parametrize("name", CHECKED)
def test_the_rule_of_the_language_comes_first(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    operator = ops.get(name)
    suite, product = suites[operator.name], operator.info.products[0][0]
    valid = arguments(operator.info, suite.call(suite.valid[0]))
    for call, fits in at_the_bound(operator.info, valid):
        agreement = Agreement(checks, operator, call)
        for mode in MODES:
            rule, verdict = agreement.verdict(product, mode)
            assert is_refused_first(rule, verdict.library, fits), (name, call)
            if not fits:
                assert rule is not None
                agreement.sentences(rule, verdict, product, mode)
