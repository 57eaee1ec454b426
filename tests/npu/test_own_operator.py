"""An operator from elsewhere, with what none of ours has: a tensor written in place, a list of tensors, a scalar."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.simulated import TOP, environment

OWN = Path(__file__).parent / "own"


@pytest.mark.all
def test_it_is_generated_built_and_called(tmp_path: Path, program: Callable[[str], str]) -> None:
    program("g++")
    shutil.copytree(OWN / "specs", tmp_path / "specs")  # beside which the lock of the rules is written
    root, package = tmp_path / "root", tmp_path / "package"
    path = os.pathsep.join(map(str, (TOP, OWN, package)))

    def run(*words: str, **variables: str) -> str:
        extra = {"PYTHONPATH": path, **variables}
        command = [sys.executable, *words]
        done = subprocess.run(
            command, cwd=TOP, env=environment(root / "cann", **extra), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "aclspec strict" not in done.stderr
        return done.stdout

    specs = ("--specs", str(tmp_path / "specs"), "--out", str(package), "--package", "own_ops")
    run("-m", "aclspec.cli", "generate", *specs)
    run("-m", "aclspec.cli", "--package", "own_ops", "simulator", "build", "--out", str(root))
    suite = package / "tests" / "test_inplace_mix.py"
    assert run(str(OWN / "program.py"), str(root / "cann"), str(suite), ACLSPEC_STRICT="1") == "passed\n"
