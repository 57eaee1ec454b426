"""What a simulator is built with: the C compiler, and the Python that computes in the device process."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.toolchain.compiler import Compiler, ToolError, find_compiler


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compiler and the executable of Python."""

    compiler: Compiler
    python: Path

    def run(self, arguments: Iterable[str | Path], cwd: Path) -> str:
        """Run the compiler in a folder; the result is its output. ToolError with its first error."""
        return self.compiler.run(arguments, cwd)


def find_toolchain() -> Toolchain:
    """The tools of this machine and of the Python that runs; ToolError naming the first that is missing."""
    if sys.platform != "linux":
        raise ToolError(f"The simulator runs on Linux only, and this is {sys.platform}.")
    return Toolchain(find_compiler("The simulator"), Path(sys.executable))
