"""Faults on demand: the call that is named fails with its code, tells so, and nothing else changes."""

from __future__ import annotations

import pytest

from tests.support.simulators import Simulator

PROGRAM = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_prelu.h"

static void tell(const char* what, int code) {
  const char* said = aclGetRecentErrMsg();
  std::printf("%s %d %s\\n", what, code, said == nullptr ? "-" : "told");
}

int main() {
  tell("init", aclInit(nullptr));
  tell("device", aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  tell("stream", aclrtCreateStream(&stream));
  float data[4] = {1, 2, 3, 4};
  void* memory[3] = {};
  for (void*& one : memory) tell("malloc", aclrtMalloc(&one, sizeof data, ACL_MEM_MALLOC_HUGE_FIRST));
  for (void* one : memory)
    if (one != nullptr) tell("copy", aclrtMemcpy(one, sizeof data, data, sizeof data, ACL_MEMCPY_HOST_TO_DEVICE));
  const int64_t shape[1] = {4};
  aclTensor* tensors[3];
  for (int at = 0; at < 3; ++at) {
    tensors[at] = aclCreateTensor(shape, at == 1 ? 0 : 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory[at]);
    tell("tensor", tensors[at] == nullptr);
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  int code = aclnnPreluGetWorkspaceSize(tensors[0], tensors[1], tensors[2], &size, &executor);
  tell("check", code);
  if (code == 0) {
    void* workspace = nullptr;
    if (aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0) {
      tell("launch", aclnnPrelu(workspace, size, executor, stream));
      tell("again", aclDestroyAclOpExecutor(executor));
      tell("synchronize", aclrtSynchronizeStream(stream));
    }
  }
  return 0;
}
"""
FAULTS = {
    "aclrtMalloc:3": ("malloc", 2, 207001),
    "aclrtMemcpy:2": ("copy", 1, 507899),
    "aclrtCreateStream:1": ("stream", 0, 207008),
    "aclnnPreluGetWorkspaceSize:1": ("check", 0, 561003),
    "aclnn*GetWorkspaceSize:1": ("check", 0, 561003),
    "aclnnPrelu:1": ("launch", 0, 361001),
    "aclnnPrelu:1=561000": ("launch", 0, 561000),
    "aclrtSynchronizeStream:1": ("synchronize", 0, 507015),
    "aclInit:1": ("init", 0, 500000),
    "aclrtSetDevice:1": ("device", 0, 107001),
    "aclCreateTensor:2": ("tensor", 1, 1),
}


def lines(simulator: Simulator, fault: str | None) -> list[tuple[str, int, str]]:
    variables = {} if fault is None else {"ACLSPEC_FAULT": fault}
    done = simulator.run(simulator.compile(PROGRAM), variables=variables)
    assert done.status == 0, done
    return [(word, int(code), told) for word, code, told in (line.split() for line in done.out.splitlines())]


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(simulator: Simulator, fault: str) -> None:
    word, place, code = FAULTS[fault]
    found = [line for line in lines(simulator, fault) if line[0] == word]
    assert found[place] == (word, code, "told")
    assert [line for at, line in enumerate(found) if at != place] == [(word, 0, "-")] * (len(found) - 1)


def test_a_failed_launch_spends_the_executor(simulator: Simulator) -> None:
    found = {line[0]: line for line in lines(simulator, "aclnnPrelu:1")}
    assert found["again"] == ("again", 561103, "told")


def test_several_faults(simulator: Simulator) -> None:
    found = lines(simulator, "aclrtMalloc:1,aclrtMalloc:3=207018")
    assert [line[1] for line in found if line[0] == "malloc"] == [207001, 0, 207018]


def test_no_fault(simulator: Simulator) -> None:
    assert {line[1:] for line in lines(simulator, None) if line[0] != "again"} == {(0, "-")}


@pytest.mark.parametrize("entry", ["aclrtMalloc", "aclrtMalloc:0", "aclrtMalloc:x", ":3", "aclrtMalloc:1=x"])
def test_an_entry_that_is_none(simulator: Simulator, entry: str) -> None:
    done = simulator.run(simulator.compile(PROGRAM), variables={"ACLSPEC_FAULT": entry})
    assert done.err == (
        f"aclspec simulator: The entry ({entry}) of ACLSPEC_FAULT is not a C function, a colon and the number of the "
        "call that fails.\n"
    )


def test_a_name_that_nothing_has(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(PROGRAM), variables={"ACLSPEC_FAULT": "aclrtMaloc:1,aclrtSetDevice:9"})
    assert done.status == 0
    assert done.err == "aclspec simulator: No function that was called has the name (aclrtMaloc) of ACLSPEC_FAULT.\n"
