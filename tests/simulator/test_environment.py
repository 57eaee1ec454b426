"""How the simulator finds its Python, from where it is run, and what it says when there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.simulators import Simulator

PROGRAM = """
#include "aclnnop/aclnn_prelu.h"
#include "acl/acl.h"
int main() {
  std::printf("init %d\\n", aclInit(nullptr));
  const char* said = aclGetRecentErrMsg();
  std::printf("%s\\n", said == nullptr ? "quiet" : said);
  std::printf("device %d\\n", aclrtSetDevice(0));
  const int64_t shape[1] = {1};
  void* memory = nullptr;
  aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  aclTensor* tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  std::printf("phase one %d\\n", aclnnPreluGetWorkspaceSize(tensor, tensor, tensor, &size, &executor));
  std::printf("executor %s\\n", executor == nullptr ? "null" : "made");
  void* workspace = nullptr;
  if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (executor != nullptr) std::printf("phase two %d\\n", aclnnPrelu(workspace, size, executor, nullptr));
  return 0;
}
"""
GOOD = ["init 0", "quiet", "device 0", "phase one 0", "executor made", "phase two 0"]


def started(simulator: Simulator) -> Path:
    return simulator.compile("#include <cstdio>\n" + PROGRAM)


def test_an_empty_environment(simulator: Simulator) -> None:
    assert simulator.run(started(simulator), clean=True).out.splitlines() == GOOD


def test_misleading_variables(simulator: Simulator) -> None:
    wrong = {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "VIRTUAL_ENV": "/nowhere", "PATH": ""}
    assert simulator.run(started(simulator), variables=wrong).out.splitlines() == GOOD


def test_another_directory_and_a_root_that_moved(simulator: Simulator, tmp_path: Path) -> None:
    moved = shutil.copytree(simulator.root, tmp_path / "moved root")
    done = subprocess.run(
        [str(started(simulator))],
        cwd=tmp_path,
        env={"LD_LIBRARY_PATH": str(moved / "lib64")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == GOOD


def test_the_backend_is_always_the_processor(simulator: Simulator) -> None:
    assert simulator.run(started(simulator), variables={"ACLSPEC_BACKEND": "npu"}).out.splitlines() == GOOD


def venv_with_simulator(folder: Path) -> Path:
    """A virtual environment that sees this one's packages, and a simulator that it builds."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    packages = next((folder / "venv" / "lib").glob("python3*")) / "site-packages"
    roots = [path for path in sys.path if path]
    (packages / "everything.pth").write_text("".join(f"{path}\n" for path in roots), encoding="utf-8")
    python = folder / "venv" / "bin" / "python"
    code = "import sys; from aclspec.cli.main import main; sys.exit(main(['simulator', 'build', '--out', sys.argv[1]]))"
    done = subprocess.run([str(python), "-c", code, str(folder / "root")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "root" / "cann"


@pytest.mark.all
def test_a_virtual_environment_that_moved(simulator: Simulator, tmp_path: Path) -> None:
    root = venv_with_simulator(tmp_path)
    good = simulator.run(started(simulator), clean=True, variables={"LD_LIBRARY_PATH": str(root / "lib64")})
    assert good.out.splitlines() == GOOD
    (tmp_path / "venv").rename(tmp_path / "elsewhere")
    bad = simulator.run(started(simulator), clean=True, variables={"LD_LIBRARY_PATH": str(root / "lib64")})
    lines = bad.out.splitlines()
    assert lines[0] == "init 500000"
    assert "Inner_Error" in lines[1]
    assert [line for line in lines if line.startswith(("phase", "executor"))] == ["phase one 561000", "executor null"]
    sentence = f"The Python that the simulator was built with ({tmp_path}/venv/bin/python) is not there."
    assert bad.err == f"aclspec simulator: {sentence} Build the simulator again with: aclspec simulator build.\n"
    (root / "aclspec_python.txt").unlink()
    bad = simulator.run(started(simulator), clean=True, variables={"LD_LIBRARY_PATH": str(root / "lib64")})
    assert bad.out.splitlines()[0] == "init 500000"
    assert "(none, for aclspec_python.txt cannot be read) is not there. Build the simulator again" in bad.err


@pytest.mark.all
def test_packages_that_are_gone(simulator: Simulator, tmp_path: Path) -> None:
    root = venv_with_simulator(tmp_path)
    next((tmp_path / "venv").rglob("everything.pth")).unlink()
    bad = simulator.run(started(simulator), clean=True, variables={"LD_LIBRARY_PATH": str(root / "lib64")})
    assert bad.out.splitlines() == [*GOOD[:-1], "phase two 561000"]
    assert bad.err.count("\n") == 1
    assert "ModuleNotFoundError" in bad.err
