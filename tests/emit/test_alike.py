"""Operators that check the same are worked out once, and none of them gets another one's names or words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from aclspec.codegen import alike
from aclspec.codegen.alike import family_of
from aclspec.codegen.emit.operator import Functions, emit
from aclspec.codegen.told import requirement
from aclspec.runtime.info import LetInfo, OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Float, Int, Node, Not
from tests.emit.randomspec import UNIVERSE, random_operator


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing is known of any family before a test, nor after it."""
    forget()
    yield
    forget()


def forget() -> None:
    """Forget every family, as a new process would not know it."""
    alike._family.cache_clear()
    alike._family_of.cache_clear()


def texts(functions: Functions) -> tuple[tuple[str, ...], ...]:
    """All that is written of an operator's functions."""
    constants = tuple(line for one in functions.program.constants for line in (*one.comments, *one.lines))
    return functions.check, functions.infer, functions.precision, functions.verdicts, constants


def renamed(info: OperatorInfo) -> OperatorInfo:
    """The same operator under another name, and with other words for its lets and rules."""
    return replace(
        info,
        name="aclnnQuiteAnotherOperator",
        snake="quite_another_operator",
        lets=tuple(replace(let, doc=Text(f"the value called {let.name}", "值")) for let in info.lets),
        rules=tuple(replace(rule, doc=Text("Other words.", "别的话。")) for rule in info.rules),
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_relative_is_written_as_if_it_were_alone(seed: int) -> None:
    info = random_operator(seed)
    other = renamed(info)
    alone = texts(emit(other, UNIVERSE))
    said = [requirement(other, rule, "en") for rule in other.rules]
    forget()
    first = emit(info, UNIVERSE)
    second = emit(other, UNIVERSE)
    assert first.program is second.program
    assert texts(second) == alone
    assert [requirement(other, rule, "en") for rule in other.rules] == said
    assert not any(f"{info.name}." in line for lines in texts(second) for line in lines)
    assert texts(emit(info, UNIVERSE)) == texts(first)


def test_one_that_checks_something_else_is_no_relative() -> None:
    info = random_operator(3)
    at = next(at for at, rule in enumerate(info.rules) if rule.require is not None)
    require = info.rules[at].require
    assert require is not None
    rules = (*info.rules[:at], replace(info.rules[at], require=Not(require)), *info.rules[at + 1 :])
    assert family_of(replace(info, rules=rules)) is not family_of(info)
    assert emit(info, ("alpha",)).program is not emit(info, UNIVERSE).program


@pytest.mark.parametrize(("one", "other"), [(Float(0.0), Float(-0.0)), (Int(0), Float(0.0)), (Int(1), Float(1.0))])
def test_values_that_are_equal_and_not_written_alike_are_told_apart(one: Node, other: Node) -> None:
    infos = [replace(random_operator(1), lets=(LetInfo("value", node, "float"),)) for node in (one, other)]
    assert family_of(infos[0]) is not family_of(infos[1])
    assert family_of(infos[0]) is family_of(replace(infos[0], name="aclnnOther"))
