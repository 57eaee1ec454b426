"""Building a simulator: what it needs, what it says when that is missing, and what is left behind."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.cli.main import main
from aclspec.codegen.simulator.interface import read_runtime
from tests.support.simulators import Simulator

RUNTIME = read_runtime()
NAMES = {f"lib{name}.so" for name in RUNTIME.libraries}
ALIKE = [f"libopapi{suffix}.so" for suffix in ("", "_nn", "_math", "_cv", "_transformer")]


def test_the_libraries(simulator: Simulator, program: Callable[[str], str]) -> None:
    """A program records the name under which it linked, so that it runs on CANN too."""
    folder = simulator.root / "lib64"
    assert {path.name for path in folder.iterdir()} == NAMES | {"libaclspec_simulator.so"}
    for name in NAMES:
        words = [program("readelf"), "-d", str(folder / name)]
        shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert f"soname: [{name}]" in shown
        assert "[$ORIGIN]" in shown
        assert "libpython" not in shown


def exported(program: Callable[[str], str], library: Path) -> set[str]:
    words = [program("nm"), "-D", "--defined-only", str(library)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


def test_each_library_exports_what_the_specs_say(simulator: Simulator, program: Callable[[str], str]) -> None:
    found = {name: exported(program, simulator.root / "lib64" / name) for name in NAMES}
    for name, library in RUNTIME.libraries.items():
        held = {function.name for one in library.holds for function in RUNTIME.interfaces[one].present}
        if not library.operators:
            assert found[f"lib{name}.so"] == held
    assert all(found[name] == found["libopapi.so"] for name in ALIKE)
    assert {"aclnnPrelu", "aclnnPreluGetWorkspaceSize"} <= found["libopapi_nn.so"]
    assert found["libnnopbase.so"] & found["libacl_rt.so"] == set()
    assert found["libnnopbase.so"] & found["libopapi.so"] == set()


def test_objects_are_found_through_the_operators(simulator: Simulator) -> None:
    """A program that opens libopapi alone looks its aclCreate* up in it."""
    for name in ALIKE:
        assert hasattr(ctypes.CDLL(str(simulator.root / "lib64" / name)), "aclCreateTensor")


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_script_of_the_environment(simulator: Simulator, program: Callable[[str], str], shell: str) -> None:
    text = f'cd {simulator.root}; . ./set_env.sh; echo "$ASCEND_HOME_PATH|$ASCEND_CUSTOM_PATH|$LD_LIBRARY_PATH"'
    done = subprocess.run([program(shell), "-c", text], capture_output=True, text=True, env={"LD_LIBRARY_PATH": "/x"})
    home = str(simulator.root)
    assert (done.stdout.strip(), done.stderr) == (f"{home}|{home}|{home}/lib64:/x", "")


def test_cmake(simulator: Simulator, program: Callable[[str], str], repository: Path, tmp_path: Path) -> None:
    """As the samples of CANN write it: ASCEND_CUSTOM_PATH before ASCEND_HOME_PATH."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.14)\n"
        "project(sample CXX)\n"
        "set(CMAKE_CXX_STANDARD 17)\n"
        "if(DEFINED ENV{ASCEND_CUSTOM_PATH})\n"
        "  set(ASCEND_PATH $ENV{ASCEND_CUSTOM_PATH})\n"
        "else()\n"
        "  set(ASCEND_PATH $ENV{ASCEND_HOME_PATH})\n"
        "endif()\n"
        f"add_executable(sample {repository / 'generated' / 'samples' / 'prelu.cpp'})\n"
        "target_include_directories(sample PRIVATE ${ASCEND_PATH}/include ${ASCEND_PATH}/include/aclnn)\n"
        "target_link_libraries(sample PRIVATE ${ASCEND_PATH}/lib64/libascendcl.so ${ASCEND_PATH}/lib64/libnnopbase.so\n"
        "  ${ASCEND_PATH}/lib64/libopapi_nn.so)\n",
        encoding="utf-8",
    )
    home = {"ASCEND_CUSTOM_PATH": str(simulator.root)}
    for words in (["-S", str(tmp_path), "-B", str(tmp_path / "build")], ["--build", str(tmp_path / "build")]):
        done = simulator.run(program("cmake"), *words, variables=home)
        assert done.status == 0, done
    assert simulator.run(tmp_path / "build" / "sample").out.startswith("out[0] = -0.25\n")


@pytest.mark.all
def test_the_commands(
    simulator: Simulator, tmp_path: Path, capfd: pytest.CaptureFixture[str], program: Callable[[str], str]
) -> None:
    root = str(tmp_path / "root")
    assert main(["simulator", "build", "--out", root, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["root"] == root
    assert set(told["libraries"]) == NAMES
    assert "aclnnPrelu" in told["operators"]
    assert told["warnings"] == []
    assert main(["simulator", "env", "--root", root]) == 0
    assert f"export ASCEND_HOME_PATH={root}/cann\n" in capfd.readouterr().out
    made = str(simulator.compile(Path(__file__).parents[2] / "generated" / "samples" / "prelu.cpp"))
    assert main(["simulator", "run", "--root", root, "--", made]) == 0
    assert capfd.readouterr().out.startswith("out[0] = -0.25\n")
    assert main(["simulator", "run", "--root", root, "--", program("sh"), "-c", "exit 7"]) == 7
    assert main(["simulator", "run", "--root", root, "--", program("sh"), "-c", "kill -9 $$"]) == 137
    assert main(["simulator", "run", "--root", root, "--", "/no/such/program"]) == 2
    assert main(["simulator", "build", "--out", root]) == 0  # over the old one


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["simulator", *words]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    return answer.err


def test_a_folder_that_is_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "precious").write_text("mine")
    assert "exists and is not a simulator" in said(capsys, "build", "--out", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
    assert "is not a simulator; build it with" in said(capsys, "env", "--root", str(tmp_path))
    assert "is not a simulator; build it with" in said(capsys, "run", "--root", str(tmp_path), "--", "true")


def test_no_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    wanted = (
        "aclspec: The simulator needs a C compiler, and none of cc, gcc, clang is installed; install the package gcc.\n"
    )
    assert said(capsys, "build", "--out", str(tmp_path / "root")) == wanted
    monkeypatch.setenv("CC", "no-such-cc")
    assert "CC (no-such-cc) is not installed." in said(capsys, "build", "--out", str(tmp_path / "root"))
    assert list(tmp_path.iterdir()) == []


def test_another_system(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    wanted = "aclspec: The simulator runs on Linux only, and this is darwin.\n"
    assert said(capsys, "build", "--out", str(tmp_path / "root")) == wanted
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str]
) -> None:
    monkeypatch.setenv("CC", f"{program('cc')} -DSIM_PHASES -Dint=error -Dnonsense")
    assert "error" in said(capsys, "build", "--out", str(tmp_path / "root"))
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
