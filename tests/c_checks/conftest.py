"""The checks in C, compiled once for all workers of a test run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.testing.suite import Suite
from tests.support.c_checks import CHECKED, CChecks, checks_once, compile_checks
from tests.support.once import once
from tests.support.simulated import shared_folder
from tests.support.suites import own_suite


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
def suites() -> Mapping[str, Suite]:
    """The derived cases of each operator, by its C name."""
    return {ops.get(name).name: replace(own_suite(name).suite, info=ops.get(name).info) for name in CHECKED}
