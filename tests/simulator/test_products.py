"""Which product the simulator is, and in which conformance mode it checks."""

from __future__ import annotations

import pytest

from aclspec.runtime.products import KEYS, product_of
from tests.support.simulators import Simulator

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include "acl/acl.h"
#include "aclnnop/aclnn_prelu.h"
extern "C" int aclspecSetSocName(const char* name);

static int check(aclDataType type, aclFormat format) {
  const int64_t shape[2] = {2, 2}, one[1] = {1};
  aclTensor* self = aclCreateTensor(shape, 2, type, nullptr, 0, format, shape, 2, nullptr);
  aclTensor* weight = aclCreateTensor(one, 1, type, nullptr, 0, format, one, 1, nullptr);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int code = aclnnPreluGetWorkspaceSize(self, weight, self, &size, &executor);
  if (code == 0) aclDestroyAclOpExecutor(executor);
  aclDestroyTensor(self);
  aclDestroyTensor(weight);
  return code;
}

static void tell() {
  const char* name = aclrtGetSocName();
  const int brain = check(ACL_BF16, ACL_FORMAT_ND), planes = check(ACL_FLOAT, ACL_FORMAT_NCHW);
  std::printf("%s %d %d\\n", name == nullptr ? "none" : name, brain, planes);
}

int main(int count, char** names) {
  std::printf("%d\\n", aclInit(nullptr));
  tell();
  for (int at = 1; at < count; ++at) {
    std::printf("%d\\n", aclspecSetSocName(names[at]));
    tell();
  }
  setenv("ACLSPEC_CONFORMANCE", "library", 1);
  tell();
  return 0;
}
"""


def lines(simulator: Simulator, *names: str, **variables: str) -> list[str]:
    done = simulator.run(simulator.compile(PROGRAM), *names, variables=variables)
    assert done.status == 0, done
    return done.out.splitlines()


def test_the_default(simulator: Simulator) -> None:
    # bfloat16 is legal on it; a format that the document does not list is refused by it, not by the library
    assert lines(simulator) == ["0", "Ascend910B2 0 161002", "Ascend910B2 0 0"]


@pytest.mark.parametrize("key", KEYS)
def test_products(simulator: Simulator, key: str) -> None:
    first = lines(simulator, ACLSPEC_PRODUCT=key)
    name = first[1].split()[0]
    assert product_of(name) == key
    assert lines(simulator, ACLSPEC_SOC=name) == first
    assert lines(simulator, ACLSPEC_SOC=name, ACLSPEC_PRODUCT=key) == first


def test_a_product_without_bfloat16(simulator: Simulator) -> None:
    assert lines(simulator, ACLSPEC_SOC="Ascend910A") == ["0", "Ascend910A 161002 161002", "Ascend910A 161002 0"]


def test_a_product_is_chosen_at_run_time(simulator: Simulator) -> None:
    found = lines(simulator, "Ascend910A", "Ascend999", "atlas_a3", "")
    assert found[:4] == ["0", "Ascend910B2 0 161002", "0", "Ascend910A 161002 161002"]
    assert found[4:6] == ["100000", "Ascend910A 161002 161002"]  # an unknown name changes nothing
    assert product_of(found[7].split()[0]) == "atlas_a3"
    assert found[8:10] == ["0", "Ascend910B2 0 161002"]  # no name: what the environment says


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"ACLSPEC_SOC": "Ascend910A", "ACLSPEC_PRODUCT": "atlas_a2"},
            "The environment variables ACLSPEC_SOC (Ascend910A) and ACLSPEC_PRODUCT (atlas_a2) name two different "
            "products.",
        ),
        (
            {"ACLSPEC_SOC": "Ascend999"},
            "The value of the environment variable ACLSPEC_SOC (Ascend999) is not a SoC name.",
        ),
        (
            {"ACLSPEC_PRODUCT": "atlas"},
            "The value of the environment variable ACLSPEC_PRODUCT (atlas) is neither a product nor a SoC name.",
        ),
    ],
)
def test_names_that_are_none(simulator: Simulator, variables: dict[str, str], sentence: str) -> None:
    done = simulator.run(simulator.compile(PROGRAM), variables=variables)
    assert done.out.splitlines()[:2] == ["500000", "none 561000 561000"]
    assert f"aclspec simulator: {sentence}" in done.err


def test_a_mode_that_is_none(simulator: Simulator) -> None:
    assert lines(simulator, ACLSPEC_CONFORMANCE="lenient")[1] == "Ascend910B2 561000 561000"
