"""The dry device: nothing is computed, no memory is taken, and a report says what each product refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.main import main
from tests.support.simulators import Simulator

PROGRAM = r"""
#include "programs/expect.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_nonzero.h"

static bool has_python() {
  char line[4096];
  bool found = false;
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  while (std::fgets(line, sizeof line, maps) != nullptr) found |= std::strstr(line, "python") != nullptr;
  std::fclose(maps);
  return found;
}

/* The most memory that this program had, in KiB; getrusage would count the process that started it, too. */
static long peak() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  char line[4096];
  long found = -1;
  while (std::fgets(line, sizeof line, status) != nullptr) std::sscanf(line, "VmHWM: %ld", &found);
  std::fclose(status);
  EXPECT(found > 0);
  return found;
}

static aclTensor* of(aclDataType type, const std::vector<int64_t>& shape, void* at) {
  return aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(), at);
}

int main() {
  start();
  const size_t much = size_t{140} << 30;
  size_t left = 0, total = 0;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && total == size_t{4} << 40);
  void* memory = nullptr;
  EXPECT(aclrtMalloc(&memory, much, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclrtMemset(memory, much, 7, much) == 0);
  void* middle = static_cast<char*>(memory) + much / 2;
  EXPECT(aclrtMemcpy(middle, much / 2, memory, much / 2, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
  aclTensor *self = of(ACL_BF16, {1 << 15, 1 << 15}, memory), *wrong = of(ACL_BF16, {3}, memory);
  float two = 2;
  aclScalar* alpha = aclCreateScalar(&two, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  for (int at = 0; at < 3; ++at) {
    EXPECT(aclnnAddGetWorkspaceSize(self, self, alpha, self, &size, &executor) == 0);  // line add
    EXPECT(aclnnAdd(memory, size, executor, nullptr) == 0);
  }
  EXPECT(aclnnAddGetWorkspaceSize(self, self, alpha, wrong, &size, &executor) == 161002);  // line refused
  EXPECT(std::strstr(aclGetRecentErrMsg(), "aclnnAdd.out-shape for atlas_a2") != nullptr);
  EXPECT(aclnnNonzeroGetWorkspaceSize(self, of(ACL_INT64, {1 << 30, 2}, memory), &size, &executor) == 0);
  EXPECT(aclnnNonzero(memory, size, executor, nullptr) == 0);
  std::vector<float> back(4, 5.0f);
  EXPECT(aclrtMemcpy(back.data(), 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST) == 0);  // line copy
  EXPECT(back == std::vector<float>(4, 0.0f));
  aclrtStream stream = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0);
  back.assign(4, 5.0f);
  EXPECT(aclrtMemcpyAsync(memory, 16, back.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0);
  EXPECT(aclrtMemcpyAsync(back.data(), 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0 && back == std::vector<float>(4, 0.0f));
  EXPECT(!has_python());
  EXPECT(peak() < 200 << 10);
  EXPECT(aclrtFree(memory) == 0);
  EXPECT(aclrtFree(memory) != 0);
  return finish();
}
"""


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("ACLSPEC_", "ASCEND_"))]:
        if name not in ("ACLSPEC_REQUIRE_PROGRAMS", "ACLSPEC_CACHE"):
            monkeypatch.delenv(name)


def line_of(program: Path, mark: str) -> str:
    """The place of a line of the program's source, as the report has it."""
    source = next(path for path in program.parent.glob("*.cpp") if path.stem == program.name[: len(path.stem)])
    lines = source.read_text(encoding="utf-8").splitlines()
    return f"{source}:{next(at for at, text in enumerate(lines, 1) if text.endswith(f'// line {mark}'))}"


def dry(simulator: Simulator, report: Path, *words: str) -> Any:
    """The report of a run, as JSON."""
    root = str(simulator.root.parent)
    assert main(["simulator", "run", "--root", root, "--dry", "--report", str(report), *words]) == 0
    return json.loads(report.read_text(encoding="utf-8"))


def test_a_program_whose_memory_no_machine_has(simulator: Simulator, tmp_path: Path) -> None:
    program = simulator.compile(PROGRAM, f"-I{Path(__file__).parent}")
    found = dry(simulator, tmp_path / "report.json", "--product", "A2,310P", "--", str(program))
    add, refused, copy = (line_of(program, mark) for mark in ("add", "refused", "copy"))
    own, other = found["ports"]
    assert (own["product"], own["calls"]["refused"], own["calls"]["works"]) == ("atlas_a2", 1, 4)
    assert [(one["rule"], one["places"]) for one in own["obstacles"]] == [("aclnnAdd.out-shape", {refused: 1})]
    assert other["product"] == "atlas_inference"
    obstacles = {one["rule"]: one["places"] for one in other["obstacles"]}
    assert obstacles["aclnnAdd.dtype-self"] == {add: 3, refused: 1}
    seen = found["dry"]
    assert seen["product"] == "atlas_a2"
    assert seen["memory"] == [{"device": 0, "peak": 140 << 30, "fits": False}]
    assert {one["place"]: (one["count"], one["bytes"]) for one in seen["copies"]}[copy] == (1, 16)
    assert sum(one["bytes"] for one in seen["copies"]) == 32
    assert [(one["operator"], one["output"], one["calls"]) for one in seen["longest"]] == [("aclnnNonzero", "out", 1)]


def test_a_run_for_each_product(simulator: Simulator, tmp_path: Path) -> None:
    """A program that asks for its chip makes other calls on another: each run is judged by its own product alone."""
    text = """
#include "programs/expect.h"
#include "aclnnop/aclnn_prelu.h"
int main() {
  start();
  const bool small = std::strstr(aclrtGetSocName(), "310P") != nullptr;
  void* memory = nullptr;
  EXPECT(aclrtMalloc(&memory, size_t{small ? 1u : 2u} << 30, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  aclTensor *self = floats({2, 2}, memory), *weight = floats({small ? 3 : 2}, memory);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  return aclnnPreluGetWorkspaceSize(self, weight, self, &size, &executor) == 0 ? 0 : 7;
}
"""
    program = simulator.compile(text, f"-I{Path(__file__).parent}")
    root, words = str(simulator.root.parent), ("--each", "--product", "A2,310P", "--report", str(tmp_path / "r.json"))
    assert main(["simulator", "run", "--root", root, "--dry", *words, "--", str(program)]) == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r-atlas_a2.json", "r-atlas_inference.json"]
    for product, refused in (("atlas_a2", 0), ("atlas_inference", 1)):
        found = json.loads((tmp_path / f"r-{product}.json").read_text(encoding="utf-8"))
        (port,) = found["ports"]
        assert (port["product"], found["dry"]["product"], port["calls"]["refused"]) == (product, product, refused)
        assert found["dry"]["memory"][0]["peak"] == 2 - refused << 30


CALLS = """
import ctypes, os, sys

folder, P, U = os.environ["ASCEND_HOME_PATH"] + "/lib64", ctypes.c_void_p, ctypes.c_uint64
names = ("ascendcl", "nnopbase", "opapi")
acl, base, ops = (ctypes.CDLL(f"{folder}/lib{name}.so", ctypes.RTLD_GLOBAL) for name in names)
if sys.argv[2] == "found by name":
    base = ops = ctypes.CDLL(None)
base.aclCreateTensor.restype = P
base.aclCreateTensor.argtypes = [P, U, ctypes.c_int, P, ctypes.c_int64, ctypes.c_int, P, U, P]
ops.aclnnPreluGetWorkspaceSize.argtypes = [P] * 5
ops.aclnnPrelu.argtypes = [P, U, P, P]
acl.aclrtMemcpy.argtypes = [P, U, P, U, ctypes.c_int]
acl.aclInit(None), acl.aclrtSetDevice(0)
memory, size, executor = P(), U(), P()
acl.aclrtMalloc(ctypes.byref(memory), U(1 << 40), 0)
shape, host = (ctypes.c_int64 * 2)(2, 2), (ctypes.c_float * 1)(5)
tensor = base.aclCreateTensor(shape, 2, 0, None, 0, 2, shape, 2, memory)
weight = base.aclCreateTensor(shape, 1, 0, None, 0, 2, shape, 1, memory)


exec(compile("def through(call, *given): return call(*given)", "/opt/site-packages/helper.py", "exec"))


def refused():
    given = tensor, tensor, tensor, ctypes.byref(size), ctypes.byref(executor)
    return through(ops.aclnnPreluGetWorkspaceSize, *given)  # refused


assert [refused(), refused()] == [161002, 161002]
assert ops.aclnnPreluGetWorkspaceSize(tensor, weight, tensor, ctypes.byref(size), ctypes.byref(executor)) == 0
assert ops.aclnnPrelu(memory, size, executor, None) == 0
assert acl.aclrtMemcpy(host, 4, memory, 4, 2) == 0 and host[0] == 0  # copy
assert "aclspec" not in sys.modules
os.kill(os.getpid(), int(sys.argv[1]))
"""


@pytest.mark.parametrize("way", ["found by name", "of a handle"])
def test_a_program_in_python_that_is_killed(
    simulator: Simulator, tmp_path: Path, capfd: pytest.CaptureFixture[str], way: str
) -> None:
    """What it did until then is told, with its lines; its status is the command's."""
    script = tmp_path / "calls.py"
    script.write_text(CALLS, encoding="utf-8")
    root = str(simulator.root.parent)
    words = ["simulator", "run", "--root", root, "--dry", "--product", "A2", "--", sys.executable, str(script)]
    assert main([*words, str(int(signal.SIGKILL)), way]) == 128 + signal.SIGKILL
    told = capfd.readouterr().err
    lines = {mark: at for at, line in enumerate(CALLS.splitlines(), 1) for mark in re.findall(r"# (\w+)$", line)}
    if way == "found by name":
        assert "The program made 3 calls on atlas_a2" in told
        assert f"{script}:{lines['refused']}: 2 times" in told
        assert "past the layer" not in told
    else:
        assert "Calls past the layer, which other products do not judge" in told
        assert "aclnnPreluGetWorkspaceSize: 3 times" in told
    assert f"{script}:{lines['copy']}: 1 time, aclrtMemcpy gave the host zeros (4 bytes in all)" in told
    assert "device 0: 1024.00 GiB at the peak; a simulated device has 64 GiB, which is too little" in told


def test_less_memory_than_there_could_be(simulator: Simulator) -> None:
    text = """
#include "programs/expect.h"
int main() {
  start();
  size_t left = 0, total = 0;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && total == size_t{3} << 30);
  void* memory = nullptr;
  EXPECT(aclrtMalloc(&memory, size_t{4} << 30, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
  EXPECT(aclrtMalloc(&memory, size_t{3} << 30, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  return finish();
}
"""
    program = simulator.compile(text, f"-I{Path(__file__).parent}")
    done = simulator.run(program, variables={"ACLSPEC_DRY": "1", "ACLSPEC_DEVICE_MEMORY": "3G"})
    assert (done.status, done.err) == (0, "")


def test_reports_of_other_kinds(simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = simulator.compile(PROGRAM, f"-I{Path(__file__).parent}")
    root = str(simulator.root.parent)
    told = {}
    for name in ("page.html", "text.txt"):
        monkeypatch.setenv("ACLSPEC_LANG", "zh" if name == "text.txt" else "en")
        words = ["simulator", "run", "--root", root, "--dry", "--report", str(tmp_path / name), "--", str(program)]
        assert main(words) == 0
        told[name] = (tmp_path / name).read_text(encoding="utf-8")
    assert "<h2>Where a real run may differ</h2>" in told["page.html"]
    assert f"<code>{line_of(program, 'add')}</code> (3)" in told["page.html"]
    assert "程序在 atlas_a2 上进行了 5 次调用；各产品均按这些调用判断。" in told["text.txt"]
    assert "aclnnNonzero 的 out 在 1 次调用中保持最大形状" in told["text.txt"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--dry", "--missing", "cpu"), "--missing has no meaning with --dry"),
        (("--report", "x.json"), "The option --report needs --dry."),
        (("--each",), "The option --each needs --dry"),
        (("--dry", "--each", "--record", "x"), "The option --each needs --dry, and has no meaning with --record."),
        (("--dry", "--report", "x.pdf"), "The report (x.pdf) is no file in a folder that exists, ending in .html"),
        (("--dry", "--product", "A2,A7"), "A7"),
    ],
)
def test_options_that_mean_nothing(
    simulator: Simulator, capfd: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert main(["simulator", "run", "--root", str(simulator.root.parent), *words, "--", "true"]) == 2
    assert sentence in capfd.readouterr().err
