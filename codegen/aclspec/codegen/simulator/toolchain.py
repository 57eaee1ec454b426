"""What a simulator is built with: the C compiler, and the shared library of the Python that builds it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

CC = "CC"
COMPILERS = ("cc", "gcc", "clang")
_COMPLAINTS = ("error", "undefined reference", "cannot find")


class ToolError(Exception):
    """Something that a build needs is missing, or refuses; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compiler's command, the executable of Python, its shared library and the folder of its headers."""

    compiler: tuple[str, ...]
    python: Path
    library: Path
    headers: Path

    def run(self, arguments: Iterable[str | Path], cwd: Path) -> str:
        """Run the compiler in a folder; the result is its output. ToolError with its first error."""
        command = [*self.compiler, *map(str, arguments)]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False)
        text = (done.stdout + done.stderr).strip()
        if done.returncode != 0:
            complaint = next(
                (line for line in text.splitlines() if any(word in line for word in _COMPLAINTS)), text[:200]
            )
            raise ToolError(f"The compiler ({' '.join(self.compiler)}) ends with status {done.returncode}: {complaint}")
        return text


def find_toolchain() -> Toolchain:
    """The tools of this machine and of the Python that runs; ToolError naming the first that is missing."""
    return Toolchain(_compiler(), Path(sys.executable), _library(), _headers())


def _compiler() -> tuple[str, ...]:
    given = os.environ.get(CC)
    candidates: Sequence[Sequence[str]] = [shlex.split(given)] if given else [[name] for name in COMPILERS]
    for command in candidates:
        if command and shutil.which(command[0]):
            return tuple(command)
    if given:
        raise ToolError(f"The compiler of the environment variable {CC} ({given}) is not installed.")
    raise ToolError(f"The simulator needs a C compiler, and none of {', '.join(COMPILERS)} is installed.")


def _library() -> Path:
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        raise ToolError(
            f"The simulator needs a Python with a shared library, and this one ({sys.executable}) was built without "
            "it (--enable-shared)."
        )
    names: list[str] = [sysconfig.get_config_var(name) or "" for name in ("INSTSONAME", "LDLIBRARY")]
    folder = Path(sysconfig.get_config_var("LIBDIR") or "")
    folders = [folder, folder / (sysconfig.get_config_var("MULTIARCH") or ""), Path(sys.base_prefix) / "lib"]
    for path in (place / name for place in folders for name in names if name):
        if path.is_file():
            return path
    raise ToolError(f"The shared library of Python ({names[0]}) is not in {folder}; install it for the simulator.")


def _headers() -> Path:
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise ToolError(f"The headers of Python (Python.h) are not in {folder}; install them for the simulator.")
    return folder
