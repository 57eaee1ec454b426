"""Operators of each level in the simulator: what the two phases answer, in Python and in a C++ program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.simulator.root import build_root
from aclspec.runtime.rules.levels import NO_KERNEL_STATUS, UNKNOWN_STATUS
from aclspec.runtime.simulator import calls
from tests.levels.conftest import PACKAGE, Leveled
from tests.support.simulators import Simulator

NOWHERE = (1, 0)
"""A memory with a null address."""


def tensor(*shape: int) -> tuple[Any, ...]:
    """A float tensor as the C library hands it over."""
    return 0, 2, shape, (1,) * len(shape), 0, shape, NOWHERE


@pytest.fixture
def registered(leveled: Leveled, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package as the simulator's, and nothing left of it."""
    monkeypatch.setattr(calls, "OPERATORS", PACKAGE)
    monkeypatch.setattr(calls, "_operators", {})


@pytest.mark.usefixtures("registered")
def test_phase_one_of_a_declared_operator_knows_nothing() -> None:
    for values in ((tensor(2), tensor(2)), (None, None)):
        status, size, checked, message = calls.phase_one("aclnnNamed", "atlas_a2", "document", values)
        assert (status, size, checked) == (UNKNOWN_STATUS, 0, None)
        assert message is not None
        assert message.startswith("No rule of aclnnNamed is known: neither that the call works nor that it fails.")
        assert message.endswith(" - while calling aclnnNamedGetWorkspaceSize")


@pytest.mark.usefixtures("registered")
def test_phase_one_of_a_checked_operator_answers_and_phase_two_has_no_kernel() -> None:
    status, _, checked, message = calls.phase_one("aclnnHalved", "atlas_a2", "document", (tensor(4), 2, tensor(1)))
    assert (status, checked) == (161002, None)
    assert "start is 2; it must be 0 or 1" in str(message)
    status, size, checked, message = calls.phase_one("aclnnHalved", "atlas_a2", "document", (tensor(4), 1, tensor(2)))
    assert (status, message) == (0, None)
    assert size > 0
    for later in (False, True):
        status, _, _, message = calls.phase_two(checked, (NOWHERE, NOWHERE, NOWHERE), later)
        assert status == NO_KERNEL_STATUS
        assert "The call passes the checks of aclnnHalved, but aclnnHalved has no kernel" in str(message)


@pytest.mark.usefixtures("registered")
def test_a_shortcut_needs_no_kernel() -> None:
    status, size, checked, _ = calls.phase_one("aclnnHalved", "atlas_a2", "document", (tensor(0), 1, tensor(0)))
    assert (status, size) == (0, 0)
    assert calls.phase_two(checked, (NOWHERE, NOWHERE, NOWHERE), False)[0] == 0


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
    done = simulator.run(simulator.compile(PROGRAM), variables={"ACLSPEC_PRODUCT": "atlas_a2"})
    assert (done.status, done.err) == (0, "")
    told = [line.split(" ", 2) for line in done.out.splitlines()]
    statuses = [("declared", 200001), ("violation", 161002), ("checked", 0), ("computed", 561003), ("other", 0)]
    assert [(what, int(status)) for what, status, _ in told] == [*statuses, ("other", 0), ("stream", 0)]
    messages = [message for _, _, message in told]
    assert "No rule of aclnnOutline is known" in messages[0]
    assert "start is 2; it must be 0 or 1" in messages[1]
    assert "The call passes the checks of aclnnHalved, but" in messages[3]
    assert [messages[at] for at in (2, 4, 5, 6)] == ["-"] * 4
