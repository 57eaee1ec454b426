"""What follows from each spec: the C signature, clean modules, derived tests that pass, mutants that they kill."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.mutate.run import complaints, run
from aclspec.codegen.spec.project import Project
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.sentences import requirement
from aclspec.runtime.testing.amount import amount
from tests.parameter_types.conftest import PACKAGE, Typed

HERE = Path(__file__).parent
SIGNATURES: dict[str, list[str]] = json.loads((HERE / "signatures.json").read_text(encoding="utf-8"))
NAMES = sorted(SIGNATURES)


def call(arguments: list[str], typed: Typed, repository: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that finds the generated package and its kernels."""
    path = os.pathsep.join([str(typed.out), str(repository), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(arguments, cwd=repository, env=environment, capture_output=True, text=True)


def test_every_operator_has_its_real_signature(project: Project) -> None:
    for operator in project.operators:
        declared = [parameter.removeprefix("const ").rsplit(" ", 1) for parameter in SIGNATURES[operator.info.name]]
        assert [[PARAM_TYPES[param.type].c, param.name] for param in operator.info.params] == declared
    assert {operator.info.name for operator in project.operators} == set(SIGNATURES)


def test_every_parameter_type_occurs(project: Project) -> None:
    used = {(param.type, param.direction) for operator in project.operators for param in operator.info.params}
    assert {kind for kind, _ in used} == set(PARAM_TYPES)
    assert {direction for kind, direction in used if kind == "tensor"} == {"in", "out", "inout"}
    assert {direction for kind, direction in used if kind == "tensor_list"} == {"in", "out"}


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_reads_in_both_languages(name: str, project: Project) -> None:
    info = next(operator.info for operator in project.operators if operator.info.name == name)
    for rule in info.rules:
        sentences = [requirement(rule, lang) for lang in ("en", "zh")]
        assert len(set(sentences)) == 2
        assert all(sentence and "{" not in sentence and "UNDEFINED" not in sentence for sentence in sentences)
        assert any("\u4e00" <= letter <= "\u9fff" for letter in sentences[1])


@pytest.mark.parametrize("name", amount(NAMES[::6], NAMES))
def test_the_derived_tests_pass(name: str, typed: Typed, repository: Path) -> None:
    file = typed.out / "tests" / f"test_{typed.get(name).snake}.py"
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(repository), "-c", "pyproject.toml"]
    done = call([sys.executable, "-m", "pytest", *options, str(file)], typed, repository)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


def test_the_modules_are_clean(typed: Typed, repository: Path, program: Callable[[str], str]) -> None:
    ruff, mypy, config = program("ruff"), program("mypy"), str(repository / "pyproject.toml")
    for arguments in (
        [ruff, "check", "--no-cache", "--config", config, str(typed.out / "typed")],
        [ruff, "format", "--no-cache", "--check", "--config", config, str(typed.out / "typed")],
        [mypy, "--config-file", config, "--cache-dir", str(typed.out / "cache"), "-p", PACKAGE],
    ):
        parts = [typed.out, *(repository / part for part in ("codegen", "generated", "runtime"))]
        environment = os.environ | {"MYPYPATH": os.pathsep.join(map(str, parts))}
        done = subprocess.run(arguments, cwd=typed.out, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_the_cases_kill_enough_mutants(name: str, typed: Typed) -> None:
    tests = typed.out / "tests"
    result = run(PACKAGE, read_suites(tests, tests)[name])
    assert complaints([result]) == []
    assert sum(result.mutants.values()) - len(result.alive) > 20


def test_registered_operators_are_found_beside_our_own(typed: Typed, repository: Path) -> None:
    program = f"""
import numpy as np
from aclspec import ops
ops.register({PACKAGE!r})
own = ops.get("aclnnTypedAdd")
print(own(np.float32([1, 2]), np.float32([3]), 2).out, ops.typed_add(np.float32([1]), np.float32([3]), 1).out)
print(ops.get("aclnnPrelu").name, ops.typed_cat([np.int8([1]), np.int8([2, 3])]).out)
print(ops.typed_add.__doc__.splitlines()[0])
"""
    done = call([sys.executable, "-W", "error", "-c", program], typed, repository)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "[7. 8.] [4.]",
        "aclnnPrelu [1 2 3]",
        "The sum of two tensors, the second one scaled.",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_generated_check_branches_on_the_type_of_a_value(name: str, typed: Typed) -> None:
    """The binding has converted every value, so that a check needs no isinstance."""
    tree = ast.parse((typed.out / "typed" / "ops" / f"{typed.get(name).snake}.py").read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("isinstance", "type")]
