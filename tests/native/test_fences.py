"""No compiled kernel touches a byte beyond its arrays or its scratch, on any instruction set."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.runtime.native.library import Library
from aclspec.runtime.testing.amount import amount
from tests.native.test_same_bits import SETS

ROOT = Path(__file__).resolve().parents[2]
TURNS = amount(12, 12, 200)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the fenced library is built, once for all instruction sets."""
    return tmp_path_factory.mktemp("fenced")


@pytest.mark.parametrize("name", SETS)
def test_random_calls_between_closed_pages(
    compiled: Library, program: Callable[[str], str], home: Path, name: str
) -> None:
    if compiled.lib.aclspec_use(name.encode()):
        pytest.skip(f"this machine has no {name}")
    compiled.lib.aclspec_use(b"")
    program("cc")
    for seed in (1, 2):
        command = [sys.executable, "-m", "tests.native.fences", name, str(TURNS), str(seed)]
        environment = {**os.environ, "ACLSPEC_NATIVE_DIR": str(home), "ACLSPEC_NATIVE_THREADS": str(seed)}
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert int(run.stdout) > 30 * TURNS
