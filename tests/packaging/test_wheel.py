"""The wheels of `make wheel`: old systems load them, another architecture answers alike, and no compiler is needed."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.render.headers import c_prototype
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.testing.expected import arguments
from tests.support.once import once
from tests.support.simulated import shared_folder

pytestmark = [pytest.mark.whole, pytest.mark.timeout(1800)]
NAMES = ("aclnnPreluBackward", "aclnnReduceSum", "aclnnPermute")
PRODUCT = "atlas_a2"
MOST = 16 << 20
"""Bytes of a wheel."""
TRAP = "#!/bin/sh\necho \"$0 $*\" >> '{log}'\nexit 1\n"
SELF_CHECK = """
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "acl/acl.h"
typedef struct aclTensor aclTensor;
typedef struct aclIntArray aclIntArray;
typedef struct aclOpExecutor aclOpExecutor;
typedef int32_t aclnnStatus;
aclTensor *aclCreateTensor(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat, const int64_t *,
                           uint64_t, void *);
aclIntArray *aclCreateIntArray(const int64_t *, uint64_t);
{prototypes}
static char *memory;

static void tell(aclnnStatus status) {{
    static const char words[] = "while checking rule ";
    const char *message = aclGetRecentErrMsg(), *rule = status != 0 && message != NULL ? strstr(message, words) : NULL;
    rule = rule != NULL ? rule + strlen(words) : "-";
    printf("%d %.*s\\n", status, (int)strcspn(rule, " \\n"), rule);
}}

static aclTensor *tensor(aclDataType dtype, aclFormat form, uint64_t rank, const int64_t *shape, const int64_t *strides,
                         uint64_t ranks, const int64_t *storage) {{
    static uint64_t count; /* each has a memory of its own, which a dry device has */
    return aclCreateTensor(shape, rank, dtype, strides, 0, form, storage, ranks, memory + (count++ % 8 << 30));
}}

int main(void) {{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    const bool started = aclInit(NULL) == 0 && aclrtSetDevice(0) == 0;
    if (!started || aclrtMalloc((void **)&memory, 8ul << 30, ACL_MEM_MALLOC_HUGE_FIRST) != 0) {{
        return 1;
    }}
{calls}
    return aclFinalize();
}}
"""


@pytest.fixture(scope="module", params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def made(machine: str, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """The wheel, the CANN root that its libraries come from, and what auditwheel says, with tools of their own."""

    def make(folder: Path) -> None:
        given = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC", "PYTHON", "CC"))}
        choices = [f"PYTHON={sys.executable}", f"VENV={folder / 'tools'}", f"DIST={folder}"]
        words = ["make", "-C", str(repository), f"wheel-{machine}", *choices]
        done = subprocess.run(words, env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        (folder / "said.txt").write_text(done.stdout, encoding="utf-8")

    folder = once(shared_folder(tmp_path_factory) / machine, make)
    (wheel,) = folder.glob("*.whl")
    said = (folder / "said.txt").read_text(encoding="utf-8")
    return wheel, repository / "build" / "wheel" / machine / "simulator" / "cann", said


def test_old_systems_load_it(made: tuple[Path, Path, str], machine: str) -> None:
    wheel, _, shown = made
    said = re.search(rf'platform tag: *"manylinux_2_(\d+)_{machine}"', " ".join(shown.split()))
    assert said is not None, shown
    assert int(said[1]) <= 28
    assert wheel.name.endswith(f"-py3-none-manylinux_2_28_{machine}.whl")
    assert wheel.stat().st_size < MOST


def test_it_has_the_libraries_and_nothing_of_the_machine_that_built_it(
    made: tuple[Path, Path, str], machine: str, repository: Path
) -> None:
    wheel, root, _ = made
    built = {path.name: path.read_bytes() for path in (root / "lib64").iterdir()}
    with zipfile.ZipFile(wheel) as archive:
        found = {name: archive.read(name) for name in archive.namelist() if "/brought/" in name}
    brought = {name.rpartition("/")[2]: data for name, data in found.items() if "/simulator/" in name}
    assert brought.keys() == {*built, "aclspec_digest.txt"}
    assert all(brought[name] == data for name, data in built.items())
    libraries = {name: data for name, data in found.items() if name.endswith(".so")}
    assert sum("/layer/" in name for name in libraries) == 1
    for name, data in libraries.items():
        assert int.from_bytes(data[18:20], "little") == {"x86_64": 62, "aarch64": 183}[machine], name
        assert str(repository).encode() not in data, name


def literal(value: Any) -> str:
    """A value as C."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, tuple):
        return f"aclCreateIntArray({listed(value)}, {len(value)})"
    parts = (len(value.shape), listed(value.shape), listed(value.strides), len(value.storage_shape))
    numbers = ", ".join(map(str, (int(value.dtype), int(value.format), *parts)))
    return f"tensor({numbers}, {listed(value.storage_shape)})"


def listed(sizes: tuple[int, ...]) -> str:
    return f"(int64_t[]){{{', '.join(map(str, sizes)) or '0'}}}"


def called(info: OperatorInfo, call: Mapping[str, Any]) -> str:
    """A line of the program: phase one of a call, its status and the rule that refuses it."""
    values = ", ".join(literal(call[param.name]) for param in info.params)
    return f"    tell({info.name}GetWorkspaceSize({values}, &size, &executor));"


@pytest.fixture
def self_check(repository: Path) -> tuple[str, list[str]]:
    """A C program of derived calls, for which the headers are C++, and the status and rule that Python gives each."""
    suites, calls, expected = read_suites(repository, repository / "generated" / "tests"), list[str](), list[str]()
    for name in NAMES:
        operator = ops.get(name)
        for case in suites[name].suite.cases:
            call = arguments(operator.info, suites[name].suite.call(case))
            verdict = operator.check(PRODUCT, False, *call.values())
            calls.append(called(operator.info, call))
            expected.append("0 -" if verdict is None else f"{verdict.document} {verdict.rule}")
    prototypes = "\n".join(c_prototype(ops.get(name).info) for name in NAMES)
    return SELF_CHECK.format(prototypes=prototypes, calls="\n".join(calls)), expected


def test_it_answers_as_python_does(
    made: tuple[Path, Path, str],
    machine: str,
    self_check: tuple[str, list[str]],
    program: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """Phase one alone: no emulator starts the device process."""
    _, root, _ = made
    text, expected = self_check
    (tmp_path / "check.c").write_text(text, encoding="utf-8")
    compiler, emulator = program(f"{machine}-linux-gnu-gcc"), list[str]()
    variables = {"LD_LIBRARY_PATH": str(root / "lib64"), "ACLSPEC_PRODUCT": PRODUCT, "ACLSPEC_CONFORMANCE": "document"}
    variables["ACLSPEC_DRY"] = str(tmp_path / "dry")
    if machine != platform.machine():
        emulator = [program(f"qemu-{machine}"), "-L", f"/usr/{machine}-linux-gnu"]
        emulator += [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        variables = {}
    places = [f"-I{root / 'include'}", f"-L{root / 'lib64'}", "-lascendcl", "-lnnopbase", "-lopapi"]
    words = [compiler, "-w", str(tmp_path / "check.c"), "-o", str(tmp_path / "check"), *places]
    subprocess.run(words, check=True)
    done = subprocess.run([*emulator, str(tmp_path / "check")], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == expected
    assert expected.count("0 -") > 20
    assert len(set(expected)) > 20


@pytest.fixture
def bare(made: tuple[Path, Path, str], machine: str, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of an installed wheel, in which every compiler is a trap."""
    if machine != platform.machine():
        pytest.skip(f"the wheel of {machine} is installed on {machine} alone")
    for name in ("cc", "gcc", "clang", "g++", "ld", "as", "zig"):
        trap = tmp_path / "traps" / name
        trap.parent.mkdir(exist_ok=True)
        trap.write_text(TRAP.format(log=tmp_path / "called"), encoding="utf-8")
        trap.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    install = [str(tmp_path / "venv" / "bin" / "pip"), "install", "-q", f"{made[0]}[cli]"]
    subprocess.run(install, check=True, capture_output=True)
    yield {"PATH": str(tmp_path / "traps"), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert not (tmp_path / "called").exists(), (tmp_path / "called").read_text()


def test_a_program_runs_where_no_compiler_is(
    made: tuple[Path, Path, str], bare: dict[str, str], repository: Path, program: Callable[[str], str], tmp_path: Path
) -> None:
    _, root, _ = made
    places = [f"-I{root / 'include'}", f"-L{root / 'lib64'}", "-lascendcl", "-lnnopbase", "-lopapi"]
    source = repository / "generated" / "samples" / "prelu.cpp"
    words = [program("g++"), "-std=c++17", str(source), "-o", str(tmp_path / "prelu"), *places]
    subprocess.run(words, check=True)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(tmp_path / "venv" / "bin" / "aclspec"), *words]
        return subprocess.run(command, env=bare, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert run("simulator", "run", "--", "./prelu").stdout.startswith("out[0] = -0.25\n")
    dry = run("simulator", "run", "--dry", "--product", "A2", "--", "./prelu")
    assert "The program made 1 call on atlas_a2" in dry.stderr
    run("simulator", "build", "--out", "simulator")
    run("layer", "build", "--out", "layer")
    said = run("layer", "run", "--root", "layer", "--", sys.executable, "-c", "print(1)")
    assert said.stdout == "1\n"
