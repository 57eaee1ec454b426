"""Random calls of an operator, at the limits of its types too, on which the scripts and Python must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.tensors.tensor import Scalar, each_leaf
from tests.agreement.hostile import hostile
from tests.agreement.nearly import Call, Nearby
from tests.ask.compare import assert_same, texts_of
from tests.ask.node import Node, Place

PLACES: tuple[Place, ...] = tuple((product, mode) for mode in MODES for product in KEYS)


def changed(operator: Operator, call: dict[str, Any], random: Random, share: float = 0.1) -> dict[str, Any]:
    """The call, a share of them at the limits of its types, and as often as not with outputs that are inferred."""
    if random.random() < share:
        call = hostile(operator.info, call, random)
    for param in operator.info.params:
        if PARAM_TYPES[param.type].predicate == "bools" and call[param.name] is not None:
            call = call | {param.name: tuple(map(bool, call[param.name]))}
        if PARAM_TYPES[param.type].predicate in ("scalar", "scalars"):
            call = call | {param.name: each_leaf(in_its_dtype, call[param.name])}
    outputs = [param.name for param in operator.info.params if param.direction == "out"]
    if random.random() < 0.5:
        return call | dict.fromkeys(outputs, INFERRED)
    return call


def in_its_dtype(value: Any) -> Any:
    """A scalar of a floating dtype with a float, as from a text."""
    if not isinstance(value, Scalar) or not value.dtype.is_floating or isinstance(value.value, complex):
        return value
    return Scalar(float(value.value), value.dtype)


def described(what: Any) -> Any:
    """The literal of what the generated `infer` answers, for dimensions of any size; those of a list one by one."""
    if what is None:
        return None
    if not what or isinstance(what[0][0] if what[0] else 0, tuple):
        return [described(one) for one in what]
    shape, dtype, layout = what
    return f"{dtype.short}[{','.join(map(str, shape))}]{'' if layout is None else f':{layout.name}'}"


def inferred(operator: Operator, call: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs that the generated module infers, those aside that are written in place."""
    values = [call[param.name] for param in operator.inputs]
    found = zip(operator.outputs, operator.infer(*values), strict=True)
    return {param.name: described(what) for param, what in found if not param.is_input}


def agree(node: Node, operator: Operator, valid: list[Call], count: int) -> Counter[str]:
    """Hold the scripts against Python on random calls; how often each outcome and each deciding rule was seen.

    One call in eight is tried in every mode on every product, the others in one place each.
    """
    info = operator.info
    nearby, random = Nearby(info, valid, seed=1105), Random(5)
    seen: Counter[str] = Counter()
    for at in range(count):
        call = changed(operator, nearby.call(), random, share=0.3)
        places = PLACES if at % 8 == 0 else (random.choice(PLACES),)
        answer = node.ask(info.snake, texts_of(info, call), places)
        assert_same(answer, info, call, places)
        assert answer["inferred"] == inferred(operator, call), texts_of(info, call)
        for verdict in answer["verdicts"]:
            seen.update({verdict.get("first", "works"), *verdict["outcomes"]})
    return seen
