"""Random calls of an operator, with sizes and numbers at the limits of their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from random import Random
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.evaluation import OPERATORS, Frame
from aclspec.runtime.language.library import IMPLEMENTATIONS
from aclspec.runtime.rules.interpreter import OperatorEvaluator
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.suite import Suite
from tests.agreement.nearly import Nearby, retyped
from tests.ask.calls import LARGE, extreme
from tests.c_checks.agreeing import PLACES

LAYOUT = ("is_contiguous", "is_transposed", "strides")


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


MOST = 2**126
"""What C counts to, either way: beyond it a number has no value in C, where Python counts on."""


class Counting(OperatorEvaluator):
    """Evaluates the rules of an operator and notes whether a number on the way is beyond what C counts to."""

    def __init__(self, info: OperatorInfo) -> None:
        super().__init__(info)
        self.info, self.is_beyond = info, False
        self.functions = {name: self.noting(one) for name, one in IMPLEMENTATIONS.items()}
        self.operators = {name: self.noting(one) for name, one in OPERATORS.items()}  # type: ignore[misc]

    def noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            found = function(*args)
            numbers = found if isinstance(found, tuple) else (found,)
            self.is_beyond |= any(isinstance(one, int) and abs(one) > MOST for one in numbers)
            return found

        return noted

    def stays_within(self, call: Mapping[str, Any], product: str, mode: Mode) -> bool:
        """Whether C counts as far as the rules do on a call."""
        self.is_beyond = False
        frame = Frame(self.arguments(call), self.rows(product, mode))
        for rule in self.info.rules:
            for node in (rule.when, rule.require):
                if node is not None:
                    self.code(node)(frame)
        sizes = ([abs(size) for size in one.shape if size != 0] for value in call.values() for one in leaves(value))
        return not self.is_beyond and all(prod(one) <= MOST for one in sizes)


def random_calls(operator: Operator, suite: Suite) -> Iterator[tuple[dict[str, Any], str, Mode]]:
    """Calls without end, each with a product and a mode."""
    info, random = operator.info, Random(f"c {operator.snake}")
    given = [arguments(info, suite.call(case)) for case in (*suite.valid, *suite.violations, *suite.boundaries)]
    counting = Counting(info)
    nearby, strided = Nearby(info, given, seed=1912), reads_strides(info)
    while True:
        call = nearby.call() if random.random() < 0.5 else dict(random.choice(given))
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            call = stretched(info, call, random)
        for _ in range(random.choice((0, 0, 1, 2, 8))):
            call = extreme(info, call, random)
        for param in info.params:
            if PARAM_TYPES[param.type].predicate == "bools" and call[param.name] is not None:
                call[param.name] = tuple(map(bool, call[param.name]))
        product, mode = random.choice(PLACES)
        if (not strided or has_strides_in_c(call)) and counting.stays_within(call, product, mode):
            yield call, product, mode
