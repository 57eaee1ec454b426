"""On random operators, predicates and calls the scripts say what the interpreter says, in the same sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.files import render_tables
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import ELEMENTS, FUNCTIONS
from aclspec.runtime.language.nodes import InRows
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate, evaluate_node
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, RowInfo, RuleInfo
from aclspec.runtime.tensors.tensor import Scalar
from aclspec.runtime.testing.amount import amount
from tests.ask.compare import assert_same, texts_of
from tests.ask.node import Node, Place
from tests.support import handmade
from tests.support.predicates import DTYPES, call, tree
from tests.support.project import own_project

PRODUCTS = ("atlas_a2", "atlas_training", "ascend_950")
PLACES: tuple[Place, ...] = tuple((product, mode) for product in PRODUCTS for mode in MODES)
RULES, CALLS = 40, 12
TYPED = ("x", "y", "parts", "alpha", "acc", "out")
LARGE = (2**63 - 1, -(2**63), 2**62, 2**31, -7, 10)


def _info(seed: int) -> OperatorInfo:
    """An operator with a parameter of every type, random dtype rows and random rules."""
    rng = Random(seed)
    rules = [
        handmade.rule(None, name=f"r{at}", require=tree(rng), when=tree(rng, depth=2) if rng.random() < 0.3 else None)
        for at in range(RULES)
    ]
    info = handmade.operator(*rules, *_row_rules(), checked={"out": "flag"} if rng.random() < 0.5 else None)
    rows = tuple(_row(rng) for _ in range(rng.randint(0, 9))) or info.rows
    told = Random(f"nulls {seed}")
    named = [name for name in ("x", "y", "parts", "alpha") if told.random() < 0.4]
    return replace(info, rows=tuple(_with_nulls(row, named, told) for row in rows))


def _with_nulls(row: RowInfo, named: list[str], rng: Random) -> RowInfo:
    """The row, which allows some of these parameters to be null."""
    return replace(row, nulls=tuple(name for name, _ in row.cells if name in named and rng.random() < 0.5))


def _row_rules() -> Iterator[RuleInfo]:
    """The rules on dtypes alone and together."""
    for at, params in enumerate((*((name,) for name in TYPED), TYPED, TYPED[:2], TYPED[1:4])):
        yield handmade.rule(None, name=f"rows{at}", require=InRows(params))


def _row(rng: Random) -> RowInfo:
    cells = [(name, tuple(rng.sample(DTYPES, rng.choice((1, 1, 1, 2))))) for name in TYPED if rng.random() < 0.9]
    modes = rng.choice((MODES, MODES, MODES[:1], MODES[1:]))
    return RowInfo(tuple(cells), tuple(rng.sample(PRODUCTS, rng.randint(1, 3))), modes)


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
    project = own_project()
    target = target_of(project)
    tables = tmp_path / "tables.js"
    tables.write_text(render_tables(project), encoding="utf-8")

    def started(info: OperatorInfo) -> Node:
        script = tmp_path / "operator.js"
        script.write_text(render_operator_script(info, target), encoding="utf-8")
        running.append(Node(program("node"), tables, [script]))
        return running[-1]

    yield started
    for node in running:
        node.__exit__(None, None, None)


INTS = (-(2**63), -(2**31), -9, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 64, 2**62, 2**63 - 1)
SMALL = INTS[2:14]
TINY = (0, 1, 1, 2, 3, 4, 5)
WINDOWS = ("pool_out", "conv_out", "conv_transpose_out")


def _literal(rng: Random, kind: str, choices: tuple[int, ...]) -> ast.Node:
    """A constant of a type."""
    match kind:
        case "int":
            return ast.Int(rng.choice(choices))
        case "bool":
            return ast.Bool(rng.random() < 0.5)
        case "float":
            return ast.Float(rng.choice((0.0, -0.5, 2.0, 1e300)))
        case "dtype":
            return ast.Symbol("dtype", rng.choice(DTYPES))
        case "format":
            return ast.Symbol("format", rng.choice(("ND", "NCHW", "FRACTAL_NZ", "NC1HWC0")))
        case _:
            return ast.ListOf(tuple(_literal(rng, ELEMENTS[kind], choices) for _ in range(rng.randint(0, 3))))


def _constant(rng: Random) -> ast.Node:
    """A function or an operation of constants, small or large."""
    choices = rng.choice((TINY, SMALL, INTS))
    if rng.random() < 0.2:
        left, right = (_literal(rng, "int", choices) for _ in range(2))
        return ast.Arith(rng.choice(("+", "-", "*", "//", "%")), left, right)
    name, overload = rng.choice(
        [
            (name, overload)
            for name in [*FUNCTIONS, *WINDOWS * 5]
            for overload in FUNCTIONS[name]
            if not {"tensor", "scalar", "tensors", "scalars", "string", "strings"} & set(overload.args)
            and name not in ("is_null", "format")
        ]
    )
    return ast.Call(name, tuple(_literal(rng, kind, choices) for kind in overload.args))


def _known(value: Any) -> ast.Node:
    """The constant that a value is."""
    match value:
        case bool():
            return ast.Bool(value)
        case int():
            return ast.Int(value)
        case float():
            return ast.Float(value)
        case str():
            return ast.Symbol("dtype", value)
        case _:
            return ast.ListOf(tuple(map(_known, value)))


def test_functions_of_constants(start: Callable[[OperatorInfo], Node]) -> None:
    """Each function and operation has Python's value, or none where Python has none."""
    rng = Random(77)
    env = Environment(handmade.operator(), handmade.call(), "atlas_a2", "document")
    rules = []
    for at in range(4000):
        node = _constant(rng)
        value = evaluate_node(node, env)
        wanted = node if value is UNDEFINED else _known(value)
        rules.append(handmade.rule(None, name=f"f{at}", require=ast.Compare("==", node, wanted)))
    info = handmade.operator(*rules)
    given = handmade.call(alpha=None)
    answer = start(info).ask(info.snake, texts_of(info, given), [("atlas_a2", "document")])
    expected = list(evaluate(info, given, "atlas_a2", "document").outcomes.values())
    assert {one: expected.count(one) > 200 for one in set(expected)} == {"holds": True, "n/a": True}
    found = answer["verdicts"][0]["outcomes"]
    wrong = [rule for rule, one, other in zip(info.checks, found, expected, strict=True) if one != other]
    assert [unparse(rule.require) for rule in wrong if rule.require is not None] == []


@pytest.mark.parametrize("length", [6, 7, 100])
def test_a_long_array_ends_in_the_number_of_the_rest(length: int, start: Callable[[OperatorInfo], Node]) -> None:
    info = handmade.operator(handmade.rule("stride == kernel or max(stride) + 1 == 0"))
    given = handmade.call(stride=tuple(range(length)), alpha=None)
    answer = start(info).ask(info.snake, texts_of(info, given), PLACES)
    assert_same(answer, info, given, PLACES)
    (told,) = answer["verdicts"][0]["sentences"]
    assert [more in one for more, one in zip((" more)", " 项)"), told, strict=True)] == [length > 6] * 2


@pytest.mark.parametrize("seed", range(amount(2, 12, 200)))
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
