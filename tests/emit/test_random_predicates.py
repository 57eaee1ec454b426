"""Emitted code and interpreter agree on random operators: this is where a mistake in the Kleene logic shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest

from aclspec.codegen.emit.check import emit_check
from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.scope import Scope, identifier
from aclspec.codegen.emit.tables import Tables
from aclspec.runtime import shapes
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.info import MODES, OperatorInfo
from aclspec.runtime.predicate.interp import evaluate
from aclspec.runtime.verdict import Verdict
from tests.emit.randomspec import UNIVERSE, random_call, random_operator

CALLS = 25


def compiled(info: OperatorInfo) -> tuple[Callable[..., Verdict | None], str]:
    """The emitted check of an operator, as a function and as text."""
    scope, tables = Scope(info, UNIVERSE), Tables(UNIVERSE)
    function = emit_check(scope, tables, Conditions(Rows(scope, tables)))
    constants = [line for constant in tables.constants.values() for line in constant.lines]
    arguments = ", ".join(["product", "library", *(identifier(param.name) for param in info.params)])
    text = "\n".join([*constants, *function.verdicts, f"def check({arguments}):", *function.body, "    return None"])
    names: dict[str, object] = {"math": math, "shapes": shapes, "DType": DType, "Format": Format, "Verdict": Verdict}
    exec(compile(text, "<emitted>", "exec"), names)
    return names["check"], text  # type: ignore[return-value]


def expected(info: OperatorInfo, call: dict[str, object], product: str, mode: str) -> tuple[str, int] | None:
    """What the interpreter says: the rule that decides and its status."""
    report = evaluate(info, call, product, mode)  # type: ignore[arg-type]
    decisive = report.first or report.shortcut
    return None if decisive is None else (f"{info.name}.{decisive}", int(report.status))


@pytest.mark.parametrize(
    "seed", [*range(0, 500, 50), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(500, 5000, 50))]
)
def test_random_operators(seed: int) -> None:
    for one in range(seed, seed + 50):
        info = random_operator(one)
        check, text = compiled(info)
        random = Random(one)
        for _ in range(CALLS):
            call = random_call(random)
            for product in UNIVERSE:
                for mode in MODES:
                    wanted = expected(info, call, product, mode)
                    try:
                        verdict = check(product, mode == "library", *call.values())
                    except Exception as error:
                        raise AssertionError(f"seed {one}: {error!r}\n{product} {mode} {call}\n{text}") from error
                    found = None if verdict is None else (verdict.rule, verdict.status(mode == "library"))
                    assert found == wanted, f"seed {one}, {product}, {mode}\n{call}\n{text}"
