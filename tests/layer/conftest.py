"""One layer and one simulator for the tests of a run: programs run with and without the layer between them and CANN."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.layer.build import LIBRARY, build_layer
from aclspec.codegen.render.c.files import write_checks
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.c_checks import CHECKED, checks_once
from tests.support.simulated import build_once, shared_folder
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
    """The layer below a folder that the workers of a test run share; the guide's test builds one by the command."""
    root = shared / "layer"
    sources = checks_once(shared)

    def copied(folder: Path) -> list[str]:
        shutil.copytree(sources, folder, dirs_exist_ok=True)
        return [str(path.relative_to(sources)) for path in sorted(sources.rglob("*.c"))]

    with open(shared / "layer.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / LIBRARY).exists():
            chosen = [ops.get(name).info for name in CHECKED]
            assert build_layer(chosen, copied, root) == []  # the compiler warns of nothing
    return root


@pytest.fixture(scope="session")
def layer(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Layer:
    """The layer of the operators that are checked, in front of the simulator of all operators."""
    program("cc")
    shared = shared_folder(tmp_path_factory)
    root = build_once(shared)
    work = tmp_path_factory.mktemp("layer-programs")
    return Layer(built(shared), Simulator(root, program("g++"), work))


OPERATORS = ("aclnnPreluBackward", "aclnnConvolutionBackward", "aclnnFlip", "aclnnAbs", "aclnnSmoothL1Loss")
"""Those of the stub: a layer of these alone compiles soon."""
ANOTHER_SYSTEM = Path("/usr/aarch64-linux-gnu")
"""The C library of aarch64, where the package of its compiler puts it."""


@dataclass(frozen=True)
class Stub:
    """A stub of CANN in C, and programs in C that are linked with it, for this processor or one that is emulated."""

    folder: Path
    layer: Path
    compiler: str
    emulator: str | None = None

    def command(
        self, name: str, *arguments: str, variables: Mapping[str, str] = NOTHING, layered: bool = True
    ) -> tuple[list[str], dict[str, str]]:
        """A program's words and its environment; what is meant for an emulated program is not for its emulator."""
        given = {"LD_LIBRARY_PATH": f"{self.folder}:{self.layer.parent}"} | dict(variables)
        if layered:
            given["LD_PRELOAD"] = str(self.layer)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC")}
        words = [str(self.folder / name), *arguments]
        if self.emulator is None:
            return words, kept | given
        options = [word for name, value in given.items() for word in ("-E", f"{name}={value}")]
        return [self.emulator, "-L", str(ANOTHER_SYSTEM), *options, *words], kept

    def run(self, name: str, *arguments: str, variables: Mapping[str, str] = NOTHING, layered: bool = True) -> Done:
        words, environment = self.command(name, *arguments, variables=variables, layered=layered)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)


def compile_stub(folder: Path, compiler: str, *flags: str, before: tuple[str, ...] = ()) -> None:
    """The stub's library and its drivers in a folder; ``before`` stands in front of the stub when they are linked."""
    strict = [*compiler.split(), "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", *flags]
    commands = [[*strict, "-shared", str(PROGRAMS / "cann.c"), "-Wl,-soname,libopapi.so", "-o", "libopapi.so"]]
    for name in sorted({path.stem for path in PROGRAMS.glob("*.c")} - {"cann", "eager"}):
        libraries = ["-L.", "-Wl,--no-as-needed", *before, "-lopapi", "-ldl"]
        commands.append([*strict, "-O2", "-pthread", str(PROGRAMS / f"{name}.c"), "-o", name, *libraries])
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def infos() -> list[OperatorInfo]:
    return [ops.get(name).info for name in OPERATORS]


def layer_of_few(folder: Path, compiler: str) -> Path:
    """The library of a layer of the stub's operators, built by a compiler of one's own choice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", compiler)
        assert build_layer(infos(), partial(write_checks, infos()), folder / "layer") == []
    return folder / "layer" / LIBRARY


@pytest.fixture(scope="session")
def native_stub(layer: Layer, tmp_path_factory: pytest.TempPathFactory) -> Stub:
    """The stub of CANN, behind the layer."""
    folder, compiler = tmp_path_factory.mktemp("stub"), shutil.which("cc") or "cc"
    compile_stub(folder, compiler)
    return Stub(folder, layer.library, compiler)


@pytest.fixture(scope="session")
def emulated_stub(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Stub:
    """The same on aarch64, which stands beside most NPUs, as far as an emulator of it shows."""
    compiler, emulator = program("aarch64-linux-gnu-gcc"), program("qemu-aarch64")
    folder = tmp_path_factory.mktemp("aarch64")
    compile_stub(folder, compiler)
    return Stub(folder, layer_of_few(folder, compiler), compiler, emulator)


@pytest.fixture(scope="session", params=["native", pytest.param("emulated", marks=pytest.mark.all)])
def stub(request: pytest.FixtureRequest) -> Stub:
    """The stub on this processor, and on aarch64."""
    found: Stub = request.getfixturevalue(f"{request.param}_stub")
    return found
