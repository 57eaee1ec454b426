"""What C knows of calls beside their rules is what Python's verdicts say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.rules.answer_words import of_versions, reason
from aclspec.runtime.rules.inference import completed
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.judgement import judge
from aclspec.runtime.rules.operator_info import CaveatInfo, OperatorInfo
from aclspec.runtime.tensors.tensor import each_leaf
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.agreeing import PLACES
from tests.support.c_checks import CHECKED, Arguments, CChecks, as_in_c
from tests.support.caveat_calls import with_format
from tests.support.caveats import witness

CALLS = 20


def calls(info: OperatorInfo, derived: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Derived calls, and one for each caveat."""
    yield from derived[:CALLS]
    for caveat in info.caveats:
        found = completed(info, witness(info, caveat, derived[:CALLS])[1])
        if INFERRED not in found.values():
            yield {name: each_leaf(with_format, value) for name, value in found.items()}


def told(caveat: CaveatInfo) -> list[str]:
    say = of_versions if caveat.kind == "version" else reason
    return [say(caveat, "en"), say(caveat, "zh")]


@pytest.mark.parametrize("name", [name for name in CHECKED if ops.get(name).info.caveats])
def test_same_cases(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    info = ops.get(name).info
    suite = suites[info.name]
    seen = set()
    for call in calls(info, [arguments(info, suite.call(case)) for case in suite.cases]):
        call = as_in_c(call)
        given = Arguments(info, call)
        for product, mode in PLACES:
            wanted = judge(info, call, product, mode)
            verdict, found = checks.caveat(name, product, mode == "library", given)
            case = wanted.caveat or wanted.versions
            assert (found is None) == (case is None), (product, mode, wanted)
            if found is not None and case is not None:
                seen.add(case.id)
                assert found.id.decode() == f"{info.name}.{case.id}"
                assert [one.decode() for one in found.because] == told(case)
            elif wanted.verdict == "refused":
                assert verdict.rule.decode() == f"{info.name}.{wanted.report.first}"
    assert seen
