"""The dry device: nothing is computed, no memory is taken, and a report says what each product refuses."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.main import main
from tests.support.simulators import Simulator

PROGRAM = r"""
#include <sys/resource.h>
#include "programs/expect.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_uniform.h"

static bool has_python() {
  char line[4096];
  bool found = false;
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  while (std::fgets(line, sizeof line, maps) != nullptr) found |= std::strstr(line, "python") != nullptr;
  std::fclose(maps);
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
  EXPECT(aclrtMemcpy(static_cast<char*>(memory) + much / 2, much / 2, memory, much / 2, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
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
  EXPECT(aclnnInplaceUniformGetWorkspaceSize(self, 0, 1, 2, 3, &size, &executor) == 0);  // it has no kernel
  EXPECT(aclnnInplaceUniform(memory, size, executor, nullptr) == 0);
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
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT(used.ru_maxrss < 200 << 10);  // KiB
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
    assert (own["product"], own["calls"]["refused"], own["calls"]["works"]) == ("atlas_a2", 1, 5)
    assert [(one["rule"], one["places"]) for one in own["obstacles"]] == [("aclnnAdd.out-shape", {refused: 1})]
    assert other["product"] == "atlas_inference"
    obstacles = {one["rule"]: one["places"] for one in other["obstacles"]}
    assert obstacles["aclnnAdd.dtype-self"] == {add: 3, refused: 1}
    seen = found["dry"]
    assert seen["product"] == "atlas_a2"
    assert seen["memory"] == [{"device": 0, "peak": 140 << 30, "fits": False}]
    assert [(one["place"], one["count"], one["bytes"]) for one in seen["copies"]][0] == (copy, 1, 16)
    assert sum(one["bytes"] for one in seen["copies"]) == 32
    assert [(one["operator"], one["output"], one["calls"]) for one in seen["longest"]] == [("aclnnNonzero", "out", 1)]
