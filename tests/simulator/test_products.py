"""Which product the simulator is, and in which conformance mode it checks."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from aclspec.runtime.abi.products import KEYS, product_of
from tests.support.simulators import Simulator

PRODUCTS = Path(__file__).parents[2] / "specs" / "common" / "products.yaml"
CORES = """
#include <cstdio>
#include "acl/acl.h"
extern "C" int aclspecSetSocName(const char* name);

int main(int count, char** names) {
  for (int at = 1; at < count; ++at) {
    int64_t found[5] = {-1, -1, -1, -1, -1};
    const int name = aclspecSetSocName(names[at]);
    const int device = aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &found[0]);
    aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &found[1]);
    aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &found[2]);
    const int capability = aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &found[3]);
    aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &found[4]);
    std::printf("%s %s %d %d %d", names[at], aclrtGetSocName(), name, device, capability);
    for (int64_t one : found) std::printf(" %ld", static_cast<long>(one));
    std::printf("\\n");
  }
  return 0;
}
"""
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
  setenv("ACLSPEC_CONFORMANCE", "document", 1);
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
    assert lines(simulator) == ["0", "Ascend910B2 0 0", "Ascend910B2 0 161002"]


@pytest.mark.parametrize("key", KEYS)
def test_products(simulator: Simulator, key: str) -> None:
    first = lines(simulator, ACLSPEC_PRODUCT=key)
    name = first[1].split()[0]
    assert product_of(name) == key
    assert lines(simulator, ACLSPEC_SOC=name) == first
    assert lines(simulator, ACLSPEC_SOC=name, ACLSPEC_PRODUCT=key) == first


def test_cores_are_those_of_the_products(simulator: Simulator) -> None:
    """Read from the file of products by itself; a SoC whose cores it does not tell has none to tell of."""
    products = yaml.safe_load(PRODUCTS.read_text(encoding="utf-8"))["products"]
    expected = []
    for product in products:
        told = {soc: (line["cube"], line["vector"]) for line in product["cores"] for soc in line["socs"]}
        for soc in product["socs"]:
            name = soc.replace("*", "7")
            cube, vector = told.get(soc, (-1, -1))
            codes = (0, 0, 0) if soc in told else (0, 207000, 200006)
            expected.append(" ".join(map(str, (name, name, *codes, cube, cube, vector, cube, vector))))
        standard = product["standard_soc"]
        found = simulator.run(simulator.compile(CORES), product["key"]).out.split()
        assert found[:3] == [product["key"], standard, "0"]
    names = [line.split()[0] for line in expected]
    assert simulator.run(simulator.compile(CORES), *names).out.splitlines() == expected
    assert "Ascend910B2 Ascend910B2 0 0 0 24 24 48 24 48" in expected
    assert "Ascend310P3vir01 Ascend310P3vir01 0 207000 200006 -1 -1 -1 -1 -1" in expected


def test_a_product_without_bfloat16(simulator: Simulator) -> None:
    assert lines(simulator, ACLSPEC_SOC="Ascend910A") == ["0", "Ascend910A 161002 0", "Ascend910A 161002 161002"]


def test_a_product_is_chosen_at_run_time(simulator: Simulator) -> None:
    found = lines(simulator, "Ascend910A", "Ascend999", "atlas_a3", "")
    assert found[:4] == ["0", "Ascend910B2 0 0", "0", "Ascend910A 161002 0"]
    assert found[4:6] == ["100000", "Ascend910A 161002 0"]  # an unknown name changes nothing
    assert product_of(found[7].split()[0]) == "atlas_a3"
    assert found[8:10] == ["0", "Ascend910B2 0 0"]  # no name: what the environment says


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
