"""Random calls of an operator, with sizes and numbers at the limits of their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.tensors.tensor import leaves
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.agreement.hostile import hostile
from tests.agreement.nearly import Nearby
from tests.c_checks.agreeing import PLACES

LAYOUT = ("is_contiguous", "is_transposed", "strides")


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


def random_calls(operator: Operator, suite: Suite) -> Iterator[tuple[dict[str, Any], str, Mode]]:
    """Calls without end, each with a product and a mode."""
    info, random = operator.info, Random(f"c {operator.snake}")
    given = [arguments(info, suite.call(case)) for case in (*suite.valid, *suite.violations, *suite.boundaries)]
    nearby, strided = Nearby(info, given, seed=1912), reads_strides(info)
    while True:
        call = nearby.call() if random.random() < 0.5 else dict(random.choice(given))
        call = hostile(info, call, random)
        for param in info.params:
            if PARAM_TYPES[param.type].predicate == "bools" and call[param.name] is not None:
                call[param.name] = tuple(map(bool, call[param.name]))
        product, mode = random.choice(PLACES)
        if not strided or has_strides_in_c(call):
            yield call, product, mode
