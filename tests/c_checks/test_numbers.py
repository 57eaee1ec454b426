"""The numbers of the checks in C: integers within 2^126 and floats are computed and written as in Python."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.rules.sentences import failure
from aclspec.runtime.tensors.tensor import Scalar
from tests.support.c_checks import Arguments, CChecks, compile_checks, decided, write
from tests.support.handmade import call, operator, rule, tensor

LIMIT = 2**126
NUMBERS = (0, 1, -1, 2, 3, -7, 2**31, 2**32 - 1, 2**62, -(2**62), 2**63 - 1, -(2**63))
TERMS: dict[str, Callable[[int, int, int], int]] = {
    "kernel[0] + kernel[1] - groups": lambda one, other, third: one + other - third,
    "kernel[0] * kernel[1]": lambda one, other, third: one * other,
    "kernel[0] * kernel[1] * 4": lambda one, other, third: one * other * 4,
    "kernel[0] * kernel[1] // groups": lambda one, other, third: one * other // third,
    "kernel[0] * kernel[1] % groups": lambda one, other, third: one * other % third,
    "ceil_div(kernel[0], groups)": lambda one, other, third: -(-one // third),
    "prod(kernel) + groups": lambda one, other, third: one * other + third,
    "prod([kernel[0], kernel[1], groups])": lambda one, other, third: one * other * third,
    "sum([kernel[0] * kernel[1], kernel[0] * kernel[1], -kernel[0] * kernel[1]])": lambda one, other, third: (
        one * other
    ),
    "max(kernel[0] * kernel[1], groups)": lambda one, other, third: max(one * other, third),
    "min(kernel[0], -groups)": lambda one, other, third: min(one, -third),
    "abs(kernel[0])": lambda one, other, third: abs(one),
}
"""Integer terms, and what they come to in Python."""


@pytest.fixture(scope="module")
def everything(
    tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]
) -> tuple[CChecks, dict[str, OperatorInfo]]:
    """A library of operators that ask one rule each."""
    rules = {f"term{at}": f"{term} == 98765" for at, term in enumerate(TERMS)} | {
        "real": "eps == 0.5",
        "small": "value(alpha) < 0.0",
        "reals": "ratios == [7.0]",
    }
    infos = {
        name: replace(operator(rule(text)), name=f"aclnn{name.capitalize()}", snake=name)
        for name, text in rules.items()
    }
    folder = tmp_path_factory.mktemp("numbers")
    write(folder, render_c(list(infos.values()), KEYS))
    return CChecks(compile_checks(folder, program("gcc"))), infos


def sentence(everything: tuple[CChecks, dict[str, OperatorInfo]], name: str, **changes: Any) -> str | None:
    """What C says of a call, which is what Python says; None where the rule does not decide."""
    checks, infos = everything
    given = {"alpha": Scalar(0.5, DType.FLOAT), "acc": DType.FLOAT, "x": tensor((2, 3), format="ND")}
    whole = call(**{"y": given["x"], "parts": (), **given, **changes})
    arguments = Arguments(infos[name], whole)
    verdict = checks.check(name, "atlas_a2", False, arguments)
    if decided(verdict).rule is None:
        return None
    found = checks.explain(name, "atlas_a2", arguments, verdict, 0)
    assert found == failure(infos[name], infos[name].rules[0], whole, "atlas_a2", "document")
    return found


@pytest.mark.parametrize("at", range(len(TERMS)))
def test_integers_are_as_in_python(everything: tuple[CChecks, dict[str, OperatorInfo]], at: int) -> None:
    """A term beyond the limit has no value, so that the rule about it does not decide."""
    text, python = list(TERMS.items())[at]
    random, undefined = Random(at), 0
    for _ in range(60):
        one, other, third = (random.choice(NUMBERS) + random.choice((-1, 0, 1)) for _ in range(3))
        one, other, third = (max(-(2**63), min(2**63 - 1, number)) for number in (one, other, third))
        if third == 0:
            continue
        found = sentence(everything, f"term{at}", kernel=(one, other), groups=third)
        expected = python(one, other, third)
        assert (found is None) == (abs(expected) > LIMIT or expected == 98765), (text, one, other, third)
        undefined += found is None
    assert undefined > 0 or text not in ("kernel[0] * kernel[1] * 4", "prod([kernel[0], kernel[1], groups])")


def test_floats_are_written_as_in_python(everything: tuple[CChecks, dict[str, OperatorInfo]]) -> None:
    random = Random(5)
    values = [0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 1e17, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, 123456789012345678.0]
    values += [math.nan, math.inf, -math.inf, 9007199254740993.0, 1e22, 0.00012345, 1234.5]
    values += [struct.unpack("d", struct.pack("Q", random.getrandbits(64)))[0] for _ in range(500)]
    values += [random.uniform(-1e6, 1e6) for _ in range(300)]
    for value in values:
        found = sentence(everything, "real", eps=value)
        assert found is not None
        assert repr(value) in found


def test_scalars_compare_exactly(everything: tuple[CChecks, dict[str, OperatorInfo]]) -> None:
    for value in (Scalar(0, DType.INT64), Scalar(2**63 - 1, DType.INT64), Scalar(2**64 - 1, DType.UINT64)):
        found = sentence(everything, "small", alpha=value)
        assert found is not None
        assert str(value.value) in found
    assert sentence(everything, "small", alpha=Scalar(-1, DType.INT64)) is None


def test_long_lists_are_cut(everything: tuple[CChecks, dict[str, OperatorInfo]]) -> None:
    for count in (0, 1, 2, 5, 6, 7, 8, 300):
        found = sentence(everything, "reals", ratios=tuple(float(at) for at in range(count)))
        assert found is not None
        assert ("more" in found) == (count > 6), found
        assert f"and {count - 6} more" in found or count <= 6
