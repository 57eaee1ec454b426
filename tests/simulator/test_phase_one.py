"""Phase one is C alone and keeps what it was given; phase two computes beside the program, which has no Python."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from itertools import product
from operator import mul
from pathlib import Path

from aclspec.codegen.render.c.files import write_checks
from aclspec.codegen.simulator.compile import SOURCES, render_wire
from tests.support.simulators import LIBRARIES, Simulator

PROGRAM = r"""
#include <cstring>
#include "programs/expect.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_permute.h"

static bool has_python() {
  char line[4096];
  bool found = false;
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  while (std::fgets(line, sizeof line, maps) != nullptr) found |= std::strstr(line, "python") != nullptr;
  std::fclose(maps);
  return found;
}

int main() {
  start();
  void *left = upload(std::vector<float>{1, 2}), *right = upload(std::vector<float>{10, 20});
  void* target = upload(std::vector<float>(2, 0.0f));
  aclTensor *self = floats({2}, left), *other = floats({2}, right), *out = floats({2}, target);
  aclTensor* wrong = floats({3}, target);
  float two = 2;
  aclScalar* alpha = aclCreateScalar(&two, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnAddGetWorkspaceSize(self, other, alpha, wrong, &size, &executor) == 161002);
  EXPECT(std::strstr(aclGetRecentErrMsg(), "while checking rule aclnnAdd.") != nullptr);
  EXPECT(aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &executor) == 0);
  EXPECT(size > 0 && !has_python());
  two = 7;
  aclDestroyScalar(alpha);  // phase one keeps it
  void* workspace = nullptr;
  EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnAdd(workspace, size, executor, nullptr) == 0);
  EXPECT(!has_python());
  float found[2];
  EXPECT(aclrtMemcpy(found, sizeof found, target, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  EXPECT(found[0] == 21 && found[1] == 42);
  int64_t axes[2] = {1, 0};
  aclTensor *square = floats({1, 2}, left), *turned = floats({2, 1}, target);
  aclIntArray* dims = aclCreateIntArray(axes, 2);
  EXPECT(aclnnPermuteGetWorkspaceSize(square, dims, turned, &size, &executor) == 0);
  axes[0] = axes[1] = 5;
  aclDestroyIntArray(dims);
  EXPECT(aclnnPermute(workspace, size, executor, nullptr) == 0);
  EXPECT(aclrtMemcpy(found, sizeof found, target, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  EXPECT(found[0] == 1 && found[1] == 2 && !has_python());
  return finish();
}
"""


def test_no_python_is_needed_and_values_are_kept(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(PROGRAM, f"-I{Path(__file__).parent}"))
    assert (done.status, done.err) == (0, "")


HARNESS = r"""
#include <stdio.h>
#include "core/judge.h"

int main(void) {
  aclTensor tensors[2] = {{0}};
  int64_t dims[2][3 * 8];
  sim_slot slots[2] = {{0}};
  static unsigned char memory[4096];
  size_t first[] = {0, 1, 2};
  aclOpExecutor call = {.slots = slots, .slot_count = 2, .first = first};
  long rank, offset, dtype;
  while (scanf("%ld %ld", &rank, &dtype) == 2) {
    for (int which = 0; which < 2; which++) {
      if (which == 1 && scanf("%ld %ld", &rank, &dtype) != 2) return 1;
      for (long at = 0; at < 2 * rank; at++) if (scanf("%ld", &dims[which][at]) != 1) return 1;
      if (scanf("%ld", &offset) != 1) return 1;
      const sim_view view = {(uint64_t)rank, 0, dims[which], offset, (aclDataType)dtype, ACL_FORMAT_ND, memory};
      slots[which] = (sim_slot){&tensors[which], .written = true, .span = {memory, 0, sizeof memory}, .view = view};
    }
    sim_overlap found;
    printf("%d\n", sim_find_overlap(&call, &found));
  }
  return 0;
}
"""
SIZES = {0: 4, 1: 2, 9: 8}
"""The bytes of an element by the number of its dtype."""


def view(rng: random.Random) -> tuple[str, set[int]]:
    """A view into 4 KiB, as the harness reads it, and its bytes; nearly half have gaps or walk backwards."""
    dtype = rng.choice(list(SIZES))
    sizes = [rng.randint(1, 5) for _ in range(rng.randint(0, 3))]
    strides, step = [], rng.choice((1, 1, 2, 3))
    for one in sizes:
        strides.append(step * rng.choice((1, 1, 1, -1)))
        step *= one + rng.choice((0, 0, 1))
    order = rng.sample(range(len(sizes)), len(sizes))
    sizes, strides = [sizes[at] for at in order], [strides[at] for at in order]
    offset = rng.randint(0, 40) - sum(min(0, step * (one - 1)) for one, step in zip(sizes, strides, strict=True))
    starts = [offset + sum(map(mul, strides, index)) for index in product(*map(range, sizes))]
    taken = {start * SIZES[dtype] + byte for start in starts for byte in range(SIZES[dtype])}
    return " ".join(map(str, [len(sizes), dtype, *sizes, *strides, offset])), taken


def test_overlap_is_what_the_bytes_say(simulator: Simulator, program: Callable[[str], str], tmp_path: Path) -> None:
    """Views whose axes lie inside of each other are decided exactly, whatever their order, gaps and directions."""
    write_checks([], tmp_path)
    (tmp_path / "harness.c").write_text(HARNESS)
    (tmp_path / "wire.h").write_text(render_wire())
    sources = [tmp_path / "harness.c", SOURCES / "core" / "overlap.c", SOURCES / "core" / "types.c"]
    folders = [f"-I{one}" for one in (SOURCES, SOURCES / "core", simulator.root / "include", tmp_path)]
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    harness = tmp_path / "harness"
    words = [program("cc"), *flags, *folders, *map(str, sources), "-o", str(harness), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    rng = random.Random(45)
    pairs = [(view(rng), view(rng)) for _ in range(1500)]
    given = "".join(f"{one}\n{other}\n" for (one, _), (other, _) in pairs)
    done = subprocess.run([str(harness)], input=given, capture_output=True, text=True, check=True)
    wanted = [bool(one & other) for (_, one), (_, other) in pairs]
    assert [line == "1" for line in done.stdout.splitlines()] == wanted
    assert 100 < sum(wanted) < 1400


ANOTHER = r"""
#include <cstring>
#include "programs/expect.h"

struct sim_site { const char* function; const void* caller; };
struct sim_operator { const char* name; const void* params; size_t count; };
extern "C" int sim_phase_one(const sim_site*, const sim_operator*, const void*, uint64_t*, aclOpExecutor**);

int main() {
  start();
  const sim_site site = {"aclnnOfAnotherRootGetWorkspaceSize", nullptr};
  const sim_operator other = {"aclnnOfAnotherRoot", nullptr, 0};
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(sim_phase_one(&site, &other, &size, &size, &executor) == 561000);
  EXPECT(std::strstr(aclGetRecentErrMsg(), "aclnnOfAnotherRoot is not one of this simulator") != nullptr);
  return finish();
}
"""


def test_an_operator_of_another_simulator(simulator: Simulator) -> None:
    """The loader gives a process one core, by its name, whatever roots its libraries of operators are from."""
    libraries = (*LIBRARIES, "-laclspec_simulator")
    done = simulator.run(simulator.compile(ANOTHER, f"-I{Path(__file__).parent}", libraries=libraries))
    assert (done.status, done.err) == (0, "")
