"""On random operators, predicates and calls the scripts say what the interpreter says, in the same sentences."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec.codegen.load import find_specs, load_project
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.codegen.render.javascript.tables import render_tables
from aclspec.codegen.render.project import target_of
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import MODES, OperatorInfo
from aclspec.runtime.scalar import Scalar
from tests.ask.compare import assert_same, texts_of
from tests.ask.node import Node, Place
from tests.support import handmade
from tests.support.predicates import call, tree

PRODUCTS = ("atlas_a2", "atlas_training", "ascend_950")
PLACES: tuple[Place, ...] = tuple((product, mode) for product in PRODUCTS for mode in MODES)
RULES, CALLS = 40, 12
LARGE = (2**63 - 1, -(2**63), 2**62, 2**31, -7, 10)


def _info(seed: int) -> OperatorInfo:
    """An operator with a parameter of every type and random rules."""
    rng = Random(seed)
    rules = [
        handmade.rule(None, name=f"r{at}", require=tree(rng), when=tree(rng, depth=2) if rng.random() < 0.3 else None)
        for at in range(RULES)
    ]
    return handmade.operator(*rules)


def _given(rng: Random) -> dict[str, Any]:
    """A random call; a bare number, which no typed text stands for, has the dtype that the binding gives it."""
    values: dict[str, Any] = call(rng)
    if rng.random() < 0.3:
        values |= {"groups": rng.choice(LARGE), "kernel": (rng.choice(LARGE), rng.choice(LARGE), 3)}
    if rng.random() < 0.3:
        values |= {"x": handmade.tensor((rng.choice(LARGE), 2)), "eps": rng.choice((-0.0, 1e16, 1e-5, 123456.789))}
    kinds = {int: DType.INT64, float: DType.DOUBLE}
    alpha = values["alpha"]
    return values if alpha is None else values | {"alpha": Scalar(alpha, kinds[type(alpha)])}


@pytest.fixture
def start(program: Callable[[str], str], tmp_path: Path) -> Iterator[Callable[[OperatorInfo], Node]]:
    """Node with the script of an operator."""
    running: list[Node] = []
    project = load_project(find_specs())
    target = target_of(project)
    tables = tmp_path / "tables.js"
    tables.write_text(render_tables(project, target), encoding="utf-8")

    def started(info: OperatorInfo) -> Node:
        script = tmp_path / "operator.js"
        script.write_text(render_operator_script(info, target), encoding="utf-8")
        running.append(Node(program("node"), tables, [script]))
        return running[-1]

    yield started
    for node in running:
        node.__exit__(None, None, None)


@pytest.mark.parametrize("seed", range(200 if os.environ.get("ACLSPEC_FULL") else 12))
def test_random_predicates(start: Callable[[OperatorInfo], Node], seed: int) -> None:
    info = _info(seed)
    node = start(info)
    rng = Random(seed)
    seen: set[str] = set()
    for _ in range(CALLS):
        given = _given(rng)
        answer = node.ask(info.snake, texts_of(info, given), PLACES)
        assert_same(answer, info, given, PLACES)
        seen.update(outcome for verdict in answer["verdicts"] for outcome in verdict["outcomes"])
    assert seen == {"holds", "fails", "n/a"}
