"""What the tests of llama.cpp share: its programs, and how they are run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Execute: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def execute() -> Execute:
    """Run one of the programs that ``prepare.py`` built; one that hangs is ended, with status -9."""
    folder = Path(os.environ["CLIENT_BUILD"]) / "build" / "bin"

    def run(name: str, *words: str, timeout: float = 600, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": "", **variables}
        command = [str(folder / name), *words]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    return run
