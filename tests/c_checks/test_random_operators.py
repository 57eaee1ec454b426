"""On random operators, whose predicates use all of the language, the check in C decides as the interpreter does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from aclspec.codegen.render.c.files import render_c
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo
from tests.emit.randomspec import UNIVERSE, random_call, random_operator
from tests.support.c_checks import FLAGS, Arguments, CChecks, as_in_c, compile_checks, decided, write
from tests.support.operators import FULL

SEEDS, CALLS = (600 if FULL else 16), 30


def operators() -> Iterator[tuple[int, OperatorInfo]]:
    """Random operators by their seeds, each with a name of its own; those that C cannot say are left out."""
    for seed in range(SEEDS):
        info = random_operator(seed)
        info = replace(info, name=f"aclnnRandom{seed}", snake=f"random_{seed}")
        try:
            render_c([info], UNIVERSE)
        except ValueError:  # such as a float compared with an integer that a double cannot hold
            continue
        yield seed, info


def test_same_decisions(tmp_path: Path, program: Callable[[str], str]) -> None:
    found = dict(operators())
    assert len(found) > 0.95 * SEEDS
    write(tmp_path, render_c(list(found.values()), UNIVERSE))
    checks = CChecks(compile_checks(tmp_path, program("gcc"), FLAGS), UNIVERSE)
    for seed, info in found.items():
        random = Random(seed)
        for _ in range(CALLS):
            call = as_in_c(random_call(random))
            arguments = Arguments(info, call)
            for product in UNIVERSE:
                for mode in MODES:
                    report = evaluate(info, call, product, mode)
                    rule = report.first or report.shortcut
                    verdict = checks.check(info.snake, product, mode == "library", arguments)
                    where = f"seed {seed} on {product} in {mode} mode: {call}"
                    assert decided(verdict).rule == (rule and f"{info.name}.{rule}"), where
                    status = verdict.library if mode == "library" else verdict.document
                    assert status == report.status, where
