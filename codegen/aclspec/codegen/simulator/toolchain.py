"""What a simulator is built with: the C compiler, and the shared library of the Python that builds it."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.toolchain.compiler import Compiler, ToolError, find_compiler


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compiler, the executable of Python, its shared library and the folder of its headers."""

    compiler: Compiler
    python: Path
    library: Path
    headers: Path

    def run(self, arguments: Iterable[str | Path], cwd: Path) -> str:
        """Run the compiler in a folder; the result is its output. ToolError with its first error."""
        return self.compiler.run(arguments, cwd)


def find_toolchain() -> Toolchain:
    """The tools of this machine and of the Python that runs; ToolError naming the first that is missing."""
    return Toolchain(find_compiler("The simulator"), Path(sys.executable), _library(), _headers())


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
