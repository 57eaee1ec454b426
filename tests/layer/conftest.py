"""One layer and one simulator for the tests of a run: programs run with and without the layer between them and CANN."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from aclspec.codegen.layer.build import LIBRARY
from tests.support.simulated import TOP, build_once, shared_folder
from tests.support.simulators import NOTHING, Done, Simulator

PROGRAMS = Path(__file__).parent / "programs"
SILENT = {"ACLSPEC_SIMULATOR_SILENT": "1"}


@dataclass(frozen=True)
class Layer:
    """A built layer, a simulator as the vendor's libraries, and programs to run."""

    root: Path
    simulator: Simulator

    @property
    def library(self) -> Path:
        return self.root / LIBRARY

    @property
    def preload(self) -> dict[str, str]:
        """In front of what a program is linked with."""
        return {"LD_PRELOAD": str(self.library)}

    @property
    def custom(self) -> dict[str, str]:
        """In front of what a program finds by dlopen."""
        return {"ASCEND_CUSTOM_OPP_PATH": str(self.root)}

    def program(self, name: str, *flags: str) -> Path:
        return self.simulator.compile(PROGRAMS / f"{name}.cpp", *flags)

    def run(self, program: Path, *arguments: str, **variables: str) -> Done:
        return self.simulator.run(program, *arguments, variables=SILENT | variables, timeout=60)


def built(shared: Path) -> Path:
    """The layer below a folder that the workers of a test run share."""
    root = shared / "layer"
    with open(shared / "layer.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / LIBRARY).exists():
            command = [sys.executable, "-m", "aclspec.cli", "layer", "build", "--out", str(root)]
            done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.fail(f"The layer cannot be built:\n{done.stdout}{done.stderr}")
            assert done.stderr == ""  # the compiler warns of nothing
    return root


@pytest.fixture(scope="session")
def layer(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Layer:
    """The layer of all operators, in front of the simulator of all operators."""
    program("cc")
    shared = shared_folder(tmp_path_factory)
    root = build_once(shared)
    work = tmp_path_factory.mktemp("layer-programs")
    return Layer(built(shared), Simulator(root, program("g++"), work))


@dataclass(frozen=True)
class Stub:
    """A stub of CANN in C, and the programs in C that are linked with it."""

    folder: Path
    layer: Path

    def run(self, name: str, *arguments: str, variables: Mapping[str, str] = NOTHING, layered: bool = True) -> Done:
        given: Mapping[str, str] = {"LD_PRELOAD": str(self.layer)} if layered else NOTHING
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC")}
        done = subprocess.run(
            [str(self.folder / name), *arguments],
            env=kept | {"LD_LIBRARY_PATH": f"{self.folder}:{self.layer.parent}"} | dict(given) | dict(variables),
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def compile_stub(folder: Path, compiler: str, *flags: str, before: tuple[str, ...] = ()) -> None:
    """The stub's library and its drivers in a folder; ``before`` stands in front of the stub when they are linked."""
    strict = [*compiler.split(), "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", *flags]
    commands = [[*strict, "-shared", str(PROGRAMS / "cann.c"), "-Wl,-soname,libopapi.so", "-o", "libopapi.so"]]
    for name in ("hostile", "cost", "cached", "data"):
        libraries = ["-L.", "-Wl,--no-as-needed", *before, "-lopapi", "-ldl"]
        commands.append([*strict, "-O2", "-pthread", str(PROGRAMS / f"{name}.c"), "-o", name, *libraries])
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def stub(layer: Layer, tmp_path_factory: pytest.TempPathFactory) -> Stub:
    """The stub of CANN, behind the layer."""
    folder = tmp_path_factory.mktemp("stub")
    compile_stub(folder, shutil.which("cc") or "cc")
    return Stub(folder, layer.library)
