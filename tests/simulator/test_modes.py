"""What the simulator refuses, by the variables that say so: rules of documents, what is missing, shared memory."""

from __future__ import annotations

import re

import pytest

from tests.support.simulators import Done, Simulator

STATUS = 97
PROGRAM = """
#include <cstdio>
#include <string>
#include <vector>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_uniform.h"

static void* memory(uint64_t bytes = 256) {
  void* found = nullptr;
  aclrtMalloc(&found, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  return found;
}
static aclTensor* tensor(std::vector<int64_t> shape, void* data, aclFormat format = ACL_FORMAT_ND) {
  return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, format, shape.data(), shape.size(), data);
}

static uint64_t size = 0;
static aclOpExecutor* executor = nullptr;
static void told(const char* phase, int status) {
  const char* said = aclGetRecentErrMsg();
  std::printf("%s %d %s\\n", phase, status, said == nullptr ? "quiet" : said);
}
static void* workspace() { return size > 0 ? memory(size) : nullptr; }

int main(int, char** words) {
  const std::string chosen = words[1];
  aclInit(nullptr);
  aclrtSetDevice(0);
  if (chosen == "checked") {
    told("first", aclnnInplaceUniformGetWorkspaceSize(tensor({4}, memory()), 0, 1, 2, 3, &size, &executor));
    if (executor != nullptr) told("second", aclnnInplaceUniform(workspace(), size, executor, nullptr));
  }
  if (chosen == "shared") {
    void* both = memory();
    told("first", aclnnAddRmsNormGetWorkspaceSize(
                      tensor({2, 4}, memory()), tensor({2, 4}, memory()), tensor({4}, memory()), 1e-6,
                      tensor({2, 4}, both), tensor({2, 1}, memory()), tensor({2, 4}, both), &size, &executor));
    if (executor != nullptr) told("second", aclnnAddRmsNorm(workspace(), size, executor, nullptr));
    aclrtSynchronizeStream(nullptr);
  }
  if (chosen == "format") {
    told("first", aclnnPreluGetWorkspaceSize(tensor({1, 2, 1, 2}, memory(), ACL_FORMAT_NHWC), tensor({2}, memory()),
                                             tensor({1, 2, 1, 2}, memory(), ACL_FORMAT_NHWC), &size, &executor));
  }
  if (chosen == "both") {  // what neither takes
    told("first", aclnnPreluGetWorkspaceSize(tensor({1, 2}, memory()), tensor({7}, memory()), tensor({1, 2}, memory()),
                                             &size, &executor));
  }
  std::fflush(stdout);
  _Exit(0);
}
"""
HINT = " - set ACLSPEC_CONFORMANCE=library to let it pass, as the library does"


def run(simulator: Simulator, chosen: str, **variables: str) -> Done:
    return simulator.run(simulator.compile("#include <unistd.h>\n" + PROGRAM), chosen, variables=variables)


def statuses(done: Done) -> list[str]:
    return re.findall(r"^(?:first|second) \d+", done.out, re.MULTILINE)


def test_a_variable_of_another_value(simulator: Simulator) -> None:
    done = run(simulator, "checked", ACLSPEC_MISSING="nonsense")
    assert statuses(done) == ["first 561000"]
    assert "The value of the environment variable ACLSPEC_MISSING (nonsense) is not refuse." in done.out


def test_two_outputs_in_one_memory(simulator: Simulator) -> None:
    """The library does not look at it: strict mode tells it."""
    assert statuses(run(simulator, "shared")) == ["first 0", "second 0"]
    assert statuses(run(simulator, "shared", ACLSPEC_CONFORMANCE="document")) == ["first 161002"]
    told = run(simulator, "shared", ACLSPEC_STRICT="1").err
    assert "aclspec strict: The memory of the output xOut overlaps that of the output yOut." in told
    assert told.count("overlaps") == 1


def test_a_refusal_of_the_document_says_how_to_go_on(simulator: Simulator) -> None:
    assert statuses(run(simulator, "format")) == ["first 0"]
    done = run(simulator, "format", ACLSPEC_CONFORMANCE="document")
    assert statuses(done) == ["first 161002"]
    assert done.out.endswith(f"\n{HINT}\n")


@pytest.mark.parametrize("mode", ["document", "library"])
def test_what_the_library_refuses_too_is_told_as_it_is(simulator: Simulator, mode: str) -> None:
    done = run(simulator, "both", ACLSPEC_CONFORMANCE=mode)
    assert statuses(done) == ["first 161002"]
    assert "ACLSPEC_CONFORMANCE" not in done.out
