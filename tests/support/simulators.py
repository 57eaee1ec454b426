"""A simulator for the tests: builds it, compiles programs against it and runs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CPP = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-g")
SAMPLES = Path(__file__).parents[2] / "generated" / "samples"  # the header that the samples share
NOTHING: Mapping[str, str] = {}
LIBRARIES = (
    "-lascendcl",
    "-lacl_op_compiler",
    "-lacl_tdt_channel",
    "-lmsprofiler",
    "-lnnopbase",
    "-lopapi",
    "-lpthread",
)


@dataclass(frozen=True)
class Done:
    """How a program ended, and what it printed."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Simulator:
    """A root, the compiler of programs, and a folder for them."""

    root: Path
    compiler: str
    work: Path
    flags: tuple[str, ...] = ()
    compiled: dict[tuple[str, ...], Path] = field(default_factory=dict)

    def compile(
        self, source: Path | str, *flags: str, libraries: tuple[str, ...] = LIBRARIES, warnings: bool = True
    ) -> Path:
        """The program of a source file or of its text, compiled once."""
        key = (str(source), *flags, *libraries)
        if key not in self.compiled:
            path = source
            if isinstance(path, str):
                path = self.work / f"program{len(self.compiled)}.cpp"
                path.write_text(str(source), encoding="utf-8")
            program = self.work / f"{path.stem}{len(self.compiled)}"
            places = [f"-I{self.root / 'include'}", f"-I{SAMPLES}", f"-L{self.root / 'lib64'}", "-o", str(program)]
            choices = [*(CPP if warnings else ("-std=c++17",)), *self.flags, *flags]
            done = subprocess.run(
                [self.compiler, *choices, str(path), *places, *libraries], capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            self.compiled[key] = program
        return self.compiled[key]

    def run(
        self, *command: Path | str, timeout: float = 300, clean: bool = False, variables: Mapping[str, str] = NOTHING
    ) -> Done:
        """Run a program with the libraries of the simulator; ``clean``: with no other variable of the environment."""
        kept = {} if clean else {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC")}
        given = kept | {"LD_LIBRARY_PATH": str(self.root / "lib64")} | dict(variables)
        done = subprocess.run(
            [str(word) for word in command],
            env=given,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.work,
            errors="replace",
        )
        return Done(done.returncode, done.stdout, done.stderr)
