"""On random calls with sizes and numbers at the limits of their types the check in C answers as Python does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules import nodes as ast
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.agreement.nearly import Nearby, retyped
from tests.ask.calls import LARGE, extreme
from tests.c_checks.agreeing import PLACES, Agreement
from tests.support.c_checks import CChecks
from tests.support.operators import FULL

LAYOUT = ("is_contiguous", "is_transposed", "strides")
CALLS = 20_000 if FULL else 150


def stretched(info: OperatorInfo, call: dict[str, Any], random: Random) -> dict[str, Any]:
    """The call with one size as large, or as negative, wherever it stands: rules that compare sizes still hold."""
    sizes = sorted({size for value in call.values() if isinstance(value, Tensor) for size in value.shape})
    if not sizes:
        return call
    size, large = random.choice(sizes), random.choice((*LARGE, 2**63 - 2, 3037000500))

    def changed(value: Any) -> Any:
        if isinstance(value, Tensor) and size in value.shape:
            return retyped(value, tuple(large if one == size else one for one in value.shape))
        if isinstance(value, tuple) and all(type(one) is int or isinstance(one, Tensor) for one in value):
            return tuple(changed(one) if isinstance(one, Tensor) else large if one == size else one for one in value)
        return value

    wide = {param.name for param in info.params if not PARAM_TYPES[param.type].is_integer}
    return {name: changed(value) if name in wide else value for name, value in call.items()}


def reads_strides(info: OperatorInfo) -> bool:
    """Whether a rule looks at strides."""
    nodes = [node for rule in info.rules for node in (rule.when, rule.require) if node is not None]
    return any(isinstance(node, ast.Call) and node.func in LAYOUT for tree in nodes for node in everything(tree))


def everything(node: ast.Node) -> Iterator[ast.Node]:
    yield node
    for child in ast.children(node):
        yield from everything(child)


def has_strides_in_c(call: Mapping[str, Any]) -> bool:
    """Whether the strides of all tensors fit an int64; those of a tensor that is contiguous in Python need not."""
    return all(step < 2**63 for value in call.values() for one in leaves(value) for step in one.strides)


@pytest.mark.parametrize("name", ops.names())
def test_same_answers(name: str, checks: CChecks, suites: Mapping[str, Suite]) -> None:
    operator = ops.get(name)
    info, suite, random = operator.info, suites[operator.name], Random(f"c {name}")
    given = [arguments(info, suite.call(case)) for case in (*suite.valid, *suite.violations, *suite.boundaries)]
    nearby = Nearby(info, given, seed=1912)
    rules, strided = set(), reads_strides(info)
    for _ in range(CALLS):
        call = nearby.call() if random.random() < 0.5 else dict(random.choice(given))
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            call = stretched(info, call, random)
        for _ in range(random.choice((0, 0, 1, 2, 8))):
            call = extreme(info, call, random)
        for param in info.params:
            if PARAM_TYPES[param.type].predicate == "bools" and call[param.name] is not None:
                call[param.name] = tuple(map(bool, call[param.name]))
        if strided and not has_strides_in_c(call):
            continue
        product, mode = random.choice(PLACES)
        agreement = Agreement(checks, operator, call)
        rule, verdict = agreement.verdict(product, mode)
        rules.add(rule)
        if rule is not None:
            agreement.sentences(rule, verdict, product, mode)
    assert len(rules) > len(info.rules) // 6, rules
