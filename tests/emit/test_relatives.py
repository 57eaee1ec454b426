"""What is remembered of one operator never shows in another one that checks the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aclspec.codegen.emit.operator import Functions, emit
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.told import requirement
from aclspec.runtime.info import OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Compare, Float, Name
from tests.emit.randomspec import UNIVERSE, random_operator


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
def test_a_relative_gets_nothing_of_the_one_before(seed: int) -> None:
    info = random_operator(seed)
    other = renamed(info)
    alone = texts(emit(other, UNIVERSE))
    said = [requirement(other, rule, "en") for rule in other.rules]
    first = texts(emit(info, UNIVERSE))
    second = texts(emit(other, UNIVERSE))
    assert second == alone
    assert [requirement(other, rule, "en") for rule in other.rules] == said
    assert not any(f"{info.name}." in line for lines in second for line in lines)
    assert texts(emit(info, UNIVERSE)) == first


@pytest.mark.parametrize("one", [0.0, -0.0])
def test_zeros_are_written_with_their_sign(one: float) -> None:
    """The two are equal, so that the text of one must not be kept as that of the other."""
    assert [unparse(Compare("<", Name("eps"), Float(value))) for value in (one, -one)] == [
        f"eps < {one}",
        f"eps < {-one}",
    ]
