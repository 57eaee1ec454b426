"""The C compiler: the one of the environment variable CC, or the first that is installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

CC = "CC"
COMPILERS = ("cc", "gcc", "clang")
_COMPLAINTS = ("error", "undefined reference", "cannot find")


class ToolError(Exception):
    """Something that a build needs is missing, or refuses; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """The command of a C compiler, with whatever options the environment gives it."""

    command: tuple[str, ...]

    def run(self, arguments: Iterable[str | Path], cwd: Path) -> str:
        """Run the compiler in a folder; the result is its output. ToolError with its first error."""
        command = [*self.command, *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False)
        text = (done.stdout + done.stderr).strip()
        if done.returncode != 0:
            complaint = next(
                (line for line in text.splitlines() if any(word in line for word in _COMPLAINTS)), text[:200]
            )
            raise ToolError(f"The compiler ({' '.join(self.command)}) ends with status {done.returncode}: {complaint}")
        return text


def find_compiler(what: str) -> Compiler:
    """The compiler of this machine; ToolError that says what needs one ("The simulator") where there is none."""
    given = os.environ.get(CC)
    candidates: Sequence[Sequence[str]] = [shlex.split(given)] if given else [[name] for name in COMPILERS]
    for command in candidates:
        if command and shutil.which(command[0]):
            return Compiler(tuple(command))
    if given:
        raise ToolError(f"The compiler of the environment variable {CC} ({given}) is not installed.")
    raise ToolError(
        f"{what} needs a C compiler, and none of {', '.join(COMPILERS)} is installed; install the package gcc."
    )
