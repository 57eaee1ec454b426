"""On random operators, whose predicates use all of the language, the check in C decides as the interpreter does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from aclspec.codegen.render.c.files import render_c
from aclspec.codegen.render.manual.words import LANGS
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo
from aclspec.runtime.rules.sentences import WORDS, failure
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.amount import amount
from tests.emit.randomspec import UNIVERSE, hostile_call, random_call, random_operator
from tests.support.c_checks import FLAGS, Arguments, CChecks, as_in_c, compile_checks, decided, write
from tests.support.handmade import call, operator, rule, tensor

SEEDS, CALLS = amount(8, 16, 600), 30


def operators() -> Iterator[tuple[int, OperatorInfo]]:
    """Random operators by their seeds, each with a name of its own."""
    for seed in range(SEEDS):
        yield seed, replace(random_operator(seed), name=f"aclnnRandom{seed}", snake=f"random_{seed}")


def test_same_decisions(tmp_path: Path, program: Callable[[str], str]) -> None:
    found = dict(operators())
    write(tmp_path, render_c(list(found.values()), UNIVERSE))
    checks = CChecks(compile_checks(tmp_path, program("gcc"), FLAGS), UNIVERSE)
    for seed, info in found.items():
        random = Random(seed)
        for at in range(CALLS):
            given = as_in_c(hostile_call(random) if at % 3 == 0 else random_call(random))
            arguments = Arguments(info, given)
            for product in UNIVERSE:
                for mode in MODES:
                    report = evaluate(info, given, product, mode)
                    wanted = report.first or report.shortcut
                    verdict = checks.check(info.snake, product, mode == "library", arguments)
                    where = f"seed {seed} on {product} in {mode} mode: {given}"
                    assert decided(verdict).rule == (wanted and f"{info.name}.{wanted}"), where
                    status = verdict.library if mode == "library" else verdict.document
                    assert status == report.status, where


def test_the_strides_of_an_element_of_a_list_are_told(tmp_path: Path, program: Callable[[str], str]) -> None:
    info = operator(rule("is_contiguous(parts[1])"))
    write(tmp_path, render_c([info], KEYS))
    checks = CChecks(compile_checks(tmp_path, program("gcc"), FLAGS), KEYS)
    matrix = tensor((2, 3), format="ND")
    turned = Tensor(shape=(2, 3), dtype="FLOAT", format="ND", strides=(1, 2))
    given = call(x=matrix, y=matrix, parts=(matrix, turned), alpha=Scalar(0.5, DType.FLOAT), acc=DType.FLOAT)
    arguments = Arguments(info, as_in_c(given))
    verdict = checks.check(info.snake, "atlas_a2", False, arguments)
    found = checks.explain(info.snake, "atlas_a2", arguments, verdict, 0)
    assert "(1, 2)" in found
    assert found == failure(info, info.rules[0], given, "atlas_a2", "document", "en")


@pytest.mark.parametrize("length", [6, 7, 100])
def test_a_long_array_ends_in_the_number_of_the_rest(
    length: int, tmp_path: Path, program: Callable[[str], str]
) -> None:
    info = operator(rule("stride == kernel or max(stride) + 1 == 0"))
    write(tmp_path, render_c([info], KEYS))
    checks = CChecks(compile_checks(tmp_path, program("gcc"), FLAGS), KEYS)
    matrix = tensor((2, 3), format="ND")
    tensors = {"x": matrix, "y": matrix, "parts": (matrix,)}
    given = call(**tensors, stride=tuple(range(length)), alpha=Scalar(0.5, DType.FLOAT), acc=DType.FLOAT)
    arguments = Arguments(info, as_in_c(given))
    verdict = checks.check(info.snake, "atlas_a2", False, arguments)
    for number, lang in enumerate(LANGS):
        found = checks.explain(info.snake, "atlas_a2", arguments, verdict, number)
        assert (WORDS[lang]["more"].format(length - 6) in found) == (length > 6)
        assert found == failure(info, info.rules[0], given, "atlas_a2", "document", lang)
