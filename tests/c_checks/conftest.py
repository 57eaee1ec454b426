"""The checks in C, compiled once for all workers of a test run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.testing.suite import Suite
from tests.support.c_checks import CHECKED, CChecks, checks_once, compile_checks
from tests.support.once import once
from tests.support.simulated import shared_folder


@pytest.fixture(scope="session")
def checks_folder(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the checks, with their library ``checks.so``."""
    compiler = program("gcc")
    shared = shared_folder(tmp_path_factory)

    def make(folder: Path) -> None:
        shutil.copytree(checks_once(shared), folder, dirs_exist_ok=True)
        compile_checks(folder, compiler)

    return once(shared / "c_checks", make)


@pytest.fixture(scope="session")
def checks(checks_folder: Path) -> CChecks:
    """Their library."""
    return CChecks(checks_folder / "checks.so")


@pytest.fixture(scope="session")
def suites(repository: Path) -> Mapping[str, Suite]:
    """The derived cases of each operator, by its C name."""
    found = read_suites(repository, repository / "generated" / "tests")
    infos = {operator.name: operator.info for operator in map(ops.get, CHECKED)}
    return {name: replace(found[name].suite, info=info) for name, info in infos.items()}
