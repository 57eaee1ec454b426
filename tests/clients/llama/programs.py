"""How the programs that ``prepare.py`` built are run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HUNG = -9
"""The status of a program that was ended since it took too long."""


def execute(program: Path, *words: str, timeout: float = 600, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program for at most this number of seconds, with these variables too."""
    command = [str(program), *words]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": "", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, err)
