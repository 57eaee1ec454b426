"""What the tests of llama.cpp share: its programs, by name."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import programs
import pytest

Execute: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def execute() -> Execute:
    """Run one of the programs that ``prepare.py`` built; one that hangs is ended, with status -9."""
    folder = Path(os.environ["CLIENT_BUILD"]) / "build" / "bin"
    return lambda name, *words, **options: programs.execute(folder / name, *words, **options)
