"""One simulator for all tests of a run, and a folder of programs for each worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.simulated import build_once, shared_folder
from tests.support.simulators import Simulator

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="session")
def simulator(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """The simulator of the project's operators; it needs a compiler for C and one for C++."""
    program("cc")
    compiler = program("g++")
    return Simulator(
        build_once(shared_folder(tmp_path_factory)), compiler, tmp_path_factory.mktemp("simulator-programs")
    )
