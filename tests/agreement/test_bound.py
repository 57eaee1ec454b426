"""At the limits of INT64 the generated checks and the interpreter agree; there the rule of the language is first."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from aclspec import ops
from aclspec.runtime.rules.interpreter import Memory
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments
from tests.agreement.hostile import at_the_bound, hostile, is_refused_first
from tests.agreement.nearly import Call
from tests.agreement.test_agreement import PLACES, decided
from tests.support.operators import some
from tests.support.suites import own_suite

CALLS = amount(500, 3_000, 20_000)
COUNTING = ("convolution", "group_norm_backward", "layer_norm", "max_pool2d_with_mask", "upsample_nearest2d")
"""Operators whose rules multiply as many numbers as the language does not count to."""


def calls(name: str, *groups: str) -> list[Call]:
    """The derived calls of an operator."""
    info = ops.get(name).info
    suite = replace(own_suite(info.snake).suite, info=info)
    return [arguments(info, suite.call(case)) for group in groups for case in getattr(suite, group)]


@pytest.mark.parametrize("name", amount((*COUNTING, *some(3)), ops.names()))
def test_hostile_calls(name: str) -> None:
    operator, random = ops.get(name), Random(f"hostile {name}")
    given = calls(name, "valid", "violations", "boundaries")
    for _ in range(CALLS if name in COUNTING else CALLS // 10):
        call = hostile(operator.info, dict(random.choice(given)), random)
        decided(operator, call, *random.choice(PLACES), Memory())


@pytest.mark.parametrize("name", amount(some(40), ops.names()))
def test_the_rule_of_the_language_comes_first(name: str) -> None:
    operator = ops.get(name)
    product = operator.info.products[0][0]
    for call, fits in at_the_bound(operator.info, calls(name, "valid")[0]):
        for mode in MODES:
            verdict = operator.check(product, mode == "library", *call.values())
            rule, status = (None, 0) if verdict is None else (verdict.rule, verdict.status(mode == "library"))
            assert is_refused_first(rule, status, fits), (name, call, rule)
            decided(operator, call, product, mode, Memory())
