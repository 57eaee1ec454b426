"""Operators of each level in the simulator: what the two phases answer a C++ program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aclspec.codegen.simulator.root import build_root
from tests.levels.conftest import PACKAGE, Leveled
from tests.support.simulators import Done, Simulator

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#include "acl/acl.h"
#include "aclnnop/aclnn_halved.h"
#include "aclnnop/aclnn_outline.h"
#include "aclnnop/aclnn_doubled.h"

static aclTensor *vector(int64_t size, void **memory) {
    const int64_t stride = 1;
    aclrtMalloc(memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    return aclCreateTensor(&size, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &size, 1, *memory);
}
static void say(const char *what, int status) {
    const char *message = aclGetRecentErrMsg();
    message = message != nullptr ? message : "-";
    std::printf("%s %d %.*s\n", what, status, (int)std::strcspn(message, "\n"), message);
}
int main() {
    void *memory[4];
    aclrtStream stream;
    aclInit(nullptr), aclrtSetDevice(0), aclrtCreateStream(&stream);
    aclTensor *self = vector(4, &memory[0]), *half = vector(2, &memory[1]);
    aclTensor *twice = vector(4, &memory[2]), *one = vector(1, &memory[3]);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    say("declared", aclnnOutlineGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, 1.5, nullptr, &size, &executor));
    say("declared", aclnnOutlineGetWorkspaceSize(self, half, nullptr, nullptr, 1.5, twice, &size, &executor));
    say("violation", aclnnHalvedGetWorkspaceSize(self, 2, one, &size, &executor));
    say("checked", aclnnHalvedGetWorkspaceSize(self, 1, half, &size, &executor));
    void *workspace = nullptr;
    if (size > 0) {
        aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    say("computed", aclnnHalved(workspace, size, executor, stream));
    say("other", aclnnDoubledGetWorkspaceSize(self, twice, &size, &executor));
    say("other", aclnnDoubled(workspace, size, executor, stream));
    aclTensor *none = vector(0, &memory[0]);
    say("shortcut", aclnnHalvedGetWorkspaceSize(none, 1, none, &size, &executor));
    say("shortcut", size == 0 ? aclnnHalved(nullptr, 0, executor, stream) : -1);
    say("stream", aclrtSynchronizeStream(stream));
}
"""


def test_a_program(leveled: Leveled, tmp_path: Path, program: Callable[[str], str], repository: Path) -> None:
    program("cc")
    compiler, home = program("g++"), tmp_path / "home"
    home.mkdir()
    (home / "leveled").symlink_to(leveled.out / "leveled")
    (home / "tests").symlink_to(repository / "tests")
    infos = [leveled.get(name).info for name in ("aclnnOutline", "aclnnHalved", "aclnnDoubled")]
    assert build_root(infos, tmp_path / "root", packages={PACKAGE: home}) == []
    (tmp_path / "work").mkdir()
    simulator = Simulator(tmp_path / "root" / "cann", compiler, tmp_path / "work")
    compiled = simulator.compile(PROGRAM)
    done = simulator.run(compiled, variables={"ACLSPEC_PRODUCT": "atlas_a2"})
    assert (done.status, done.err) == (0, "")
    declared = [("declared", 200001), ("declared", 200001)]
    given = [("violation", 161002), ("checked", 0), ("computed", 561003), ("other", 0), ("other", 0)]
    assert statuses(done) == [*declared, *given, ("shortcut", 0), ("shortcut", 0), ("stream", 0)]
    messages = [line.split(" ", 2)[2] for line in done.out.splitlines()]
    assert all("No rule of aclnnOutline is known" in one for one in messages[:2])
    assert "start is 2; it must be 0 or 1" in messages[2]
    assert "The call passes the checks of aclnnHalved, but" in messages[4]
    assert [messages[at] for at in (3, 5, 6, 7, 8, 9)] == ["-"] * 6
    for mode in ("document", "library"):  # what nothing computes is refused early where that is asked for
        variables = {"ACLSPEC_MISSING": "refuse", "ACLSPEC_CONFORMANCE": mode, "ACLSPEC_PRODUCT": "atlas_a2"}
        done = simulator.run(compiled, variables=variables)
        refused = [("declared", 561003), ("declared", 561003), ("violation", 161002), ("checked", 561003)]
        assert statuses(done)[:4] == refused
    dry = simulator.run(compiled, variables={"ACLSPEC_DRY": "1", "ACLSPEC_PRODUCT": "atlas_a2"})
    assert (dry.status, dry.err) == (0, "")
    assert dict(statuses(dry)) == {
        "declared": 0,  # nobody judges it
        "violation": 161002,
        "checked": 0,
        "computed": 0,  # nothing is
        "other": 0,
        "shortcut": 0,
        "stream": 0,
    }


def statuses(done: Done) -> list[tuple[str, int]]:
    return [(what, int(status)) for what, status, _ in (line.split(" ", 2) for line in done.out.splitlines())]
