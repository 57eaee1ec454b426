"""Each function of the language has in C the value that it has in Python, and none where it has none there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.language.functions import DOMAINS, ELEMENTS, FUNCTIONS
from aclspec.runtime.language.nodes import Arith, Bool, Call, Compare, Float, Int, ListOf, Name, Node, Not, Symbol
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate, evaluate_node
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo
from aclspec.runtime.tensors.tensor import Scalar
from aclspec.runtime.testing.amount import amount
from tests.emit.randomspec import UNIVERSE
from tests.emit.test_functions import BOTH, NAMES, argument, given, info
from tests.support.c_checks import FLAGS, Arguments, CChecks, as_in_c, compile_checks, decided, write

OPERATORS, RULES = amount(4, 12, 60), 30
"""The number of operators, and the number of values of each function that each is asked for."""
SMALL, LARGE = (-2, -1, 0, 1, 1, 2, 3, 4), (2**63 - 1, -(2**63), 2**31)


def integer(value: int) -> Node:
    """An integer, as a sum where it is no literal of the language, which are INT64."""
    if -(2**63) <= value < 2**63:
        return Int(value)
    return Arith("+", Arith("*", integer(value >> 62), Int(2**62)), Int(value & (2**62 - 1)))


def constant(kind: str, value: Any) -> Node:
    """The constant of a type that a value is."""
    match kind:
        case "bool":
            return Bool(value)
        case "int":
            return integer(value)
        case "float":
            return Float(float(value))
        case "dtype" | "format":
            return Symbol(kind, value)
        case _:
            return ListOf(tuple(constant(ELEMENTS[kind], item) for item in value))


def operand(kind: str, random: Random) -> Node:
    """A literal on the bounds of what functions take, or a fact of the call."""
    if kind not in ("int", "ints") or random.random() < 0.3:
        return argument(kind, random)
    if kind == "int":
        return Int(random.choice(SMALL if random.random() < 0.9 else LARGE))
    return ListOf(tuple(Int(random.choice(SMALL)) for _ in range(random.randrange(4))))


def statements(name: str, random: Random, env: Environment) -> Iterator[tuple[bool, Node]]:
    """What is true of a function in a call, and whether it has a value there: without one both sides are undecided."""
    bare = name in ("is_null", "format")  # functions that look at a parameter itself
    overload = random.choice([one for one in FUNCTIONS[name] if not bare or one.args[0] in NAMES])
    kinds = (*overload.args, *overload.args[-1:] * (random.randrange(2) if overload.variadic else 0))
    call = Call(name, tuple(Name(NAMES[kind]) if bare else operand(kind, random) for kind in kinds))
    value = evaluate_node(call, env)
    if value is UNDEFINED:
        one = call if overload.result == "bool" else Compare("==", call, call)
        yield from ((False, one), (False, Not(one)))
    elif value == value:  # a NaN is equal to nothing
        yield (
            True,
            call
            if value is True
            else Not(call)
            if value is False
            else Compare("==", call, constant(overload.result, value)),
        )


def operators(seen: Counter[tuple[str, bool]]) -> Iterator[tuple[OperatorInfo, dict[str, object]]]:
    """Operators whose rules are true of a call, each with its call."""
    for at in range(OPERATORS):
        random = Random(at)
        call = _held(as_in_c(given(random)))
        env = Environment(info(()), call, UNIVERSE[0], "document")
        rules: list[RuleInfo] = []
        for name in FUNCTIONS:
            for _ in range(RULES):
                for defined, node in statements(name, random, env):
                    seen[name, defined] += 1
                    rules.append(RuleInfo(f"{name}-{len(rules)}", "rule", (), BOTH, require=node))
        yield replace(info(tuple(rules)), name=f"aclnnF{at}", snake=f"f_{at}"), call


def _held(call: dict[str, Any]) -> dict[str, Any]:
    """The call with a fraction as a DOUBLE: a C integer holds none."""
    scalar = call["scalar"]
    fraction = isinstance(scalar, Scalar) and isinstance(scalar.value, float)
    return call | {"scalar": Scalar(scalar.value, DType.DOUBLE)} if fraction else call


def test_values(tmp_path: Path, program: Callable[[str], str]) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    found = list(operators(seen))
    assert all(seen[name, True] for name in FUNCTIONS)
    assert all(seen[name, False] for name in DOMAINS)
    write(tmp_path, render_c([one for one, _ in found], UNIVERSE))
    checks = CChecks(compile_checks(tmp_path, program("gcc"), FLAGS), UNIVERSE)
    for one, held in found:
        assert evaluate(one, held, UNIVERSE[0], "document").first is None
        verdict = checks.check(one.snake, UNIVERSE[0], False, Arguments(one, held))
        assert decided(verdict).rule is None
