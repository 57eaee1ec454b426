"""For each operator the scripts of its page say what Python says, rule by rule, in the same sentences."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.info import MODES, OperatorInfo
from aclspec.runtime.operator import Operator
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.interp import INFERRED
from aclspec.runtime.products import KEYS
from aclspec.runtime.tensor import Tensor
from tests.agreement.nearly import Nearby, retyped
from tests.agreement.test_agreement import valid_calls
from tests.ask.compare import assert_same, texts_of
from tests.ask.node import Node, Place

PLACES: tuple[Place, ...] = tuple((product, mode) for mode in MODES for product in KEYS)
CALLS = 20_000 if os.environ.get("ACLSPEC_FULL") else 1000
LARGE = (2**63 - 1, -(2**63), 2**62, 2**31, -1, -7)


@pytest.fixture(scope="module")
def node(program: Callable[[str], str], repository: Path) -> Iterator[Node]:
    folder = repository / "generated/docs/assets/ask"
    with Node(program("node"), folder / "tables.js", sorted((folder / "operators").glob("*.js"))) as running:
        yield running


def extreme(info: OperatorInfo, call: dict[str, Any], random: Random) -> dict[str, Any]:
    """The call with one number or one dimension as large, or as negative, as its type allows, or NaN."""
    param = random.choice(info.params)
    kind, value = PARAM_TYPES[param.type], call[param.name]
    large = random.choice(LARGE)
    if isinstance(value, Tensor) and value.shape:
        shape = list(value.shape)
        shape[random.randrange(len(shape))] = large
        return call | {param.name: retyped(value, tuple(shape))}
    if kind.is_integer:
        return call | {param.name: max(kind.low, min(kind.high, large))}
    if kind.predicate == "float":
        return call | {param.name: random.choice((math.nan, math.inf, -math.inf, -0.0, 1e300, 5e-324))}
    if kind.predicate == "ints" and value:
        items = list(value)
        items[random.randrange(len(items))] = large
        return call | {param.name: tuple(items)}
    return call


def changed(operator: Operator, call: dict[str, Any], random: Random) -> dict[str, Any]:
    """The call, now and then at the limits of its types, and as often as not with outputs that are inferred."""
    if random.random() < 0.1:
        call = extreme(operator.info, call, random)
    for param in operator.info.params:
        if PARAM_TYPES[param.type].predicate == "bools" and call[param.name] is not None:
            call = call | {param.name: tuple(map(bool, call[param.name]))}
    outputs = [param.name for param in operator.info.params if param.direction == "out"]
    if random.random() < 0.5:
        return call | dict.fromkeys(outputs, INFERRED)
    return call


def described(what: Any) -> str | None:
    """The literal of what the generated `infer` answers, for dimensions of any size."""
    if what is None:
        return None
    shape, dtype, layout = what
    return f"{dtype.short}[{','.join(map(str, shape))}]{'' if layout is None else f':{layout.name}'}"


def inferred(operator: Operator, call: Mapping[str, Any]) -> dict[str, str | None]:
    """The outputs that the generated module infers, those aside that are written in place."""
    values = [call[param.name] for param in operator.inputs]
    found = zip(operator.outputs, operator.infer(*values), strict=True)
    return {param.name: described(what) for param, what in found if not param.is_input}


@pytest.mark.parametrize("name", ops.names())
def test_same_answers(node: Node, name: str, repository: Path) -> None:
    """One call in eight is tried in every mode on every product, the others in one place each."""
    operator = ops.get(name)
    nearby = Nearby(operator.info, valid_calls(operator, repository), seed=1105)
    random = Random(5)
    seen: Counter[str] = Counter()
    for at in range(CALLS):
        call = changed(operator, nearby.call(), random)
        places = PLACES if at % 8 == 0 else (random.choice(PLACES),)
        answer = node.ask(operator.info.snake, texts_of(operator.info, call), places)
        assert_same(answer, operator.info, call, places)
        assert answer["inferred"] == inferred(operator, call), texts_of(operator.info, call)
        for verdict in answer["verdicts"]:
            seen.update({verdict.get("first", "works"), *verdict["outcomes"]})
    assert {"holds", "fails", "n/a", "off", "skipped", "works"} <= set(seen)
    assert len(seen) > len(operator.info.rules) // 3, seen
