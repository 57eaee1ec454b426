"""Outputs as long as the data says, on an NPU: the library says how long they are once the stream is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Status, last_error
from aclspec.runtime.npu import DeviceArray, Stream
from tests.support.simulated import Simulator, as_device, build_once, shared_folder

X = np.array([[0.0, 1.5, 0.0], [-2.0, 0.0, 3.0]], np.float32)
PLACES = [[0, 1], [1, 0], [1, 2]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Path:
    """A CANN root with the simulator in it."""
    program("g++")
    return build_once(shared_folder(tmp_path_factory))


@pytest.fixture(autouse=True)
def simulator(root: Path) -> Iterator[Simulator]:
    """The simulator as the NPU that this process finds."""
    last_error()
    with as_device(root) as found:
        yield found
    last_error()


def test_arrays_of_the_host() -> None:
    assert ops.nonzero(X, backend="npu").out.tolist() == PLACES
    out = np.full((6, 2), -7, np.int64)
    found = ops.nonzero(X, backend="npu", out=out).out
    assert found.tolist() == PLACES
    assert np.shares_memory(found, out)


def test_arrays_on_the_device() -> None:
    given = DeviceArray.from_host(X)
    with Stream():  # the call waits, though everything is on the device
        found = ops.nonzero(given, backend="npu").out
        assert isinstance(found, DeviceArray)
        assert found.shape == (3, 2)
    assert found.to_host().tolist() == PLACES
    out = DeviceArray.from_host(np.full((6, 2), -7, np.int64))
    part = ops.nonzero(given, backend="npu", out=out).out
    assert part.memory is out.memory
    assert part.to_host().tolist() == PLACES


def test_two_phases() -> None:
    out = np.full((6, 2), -7, np.int64)
    status, size, executor = ops.aclnnNonzeroGetWorkspaceSize(X, out, backend="npu")
    assert status is Status.ACLNN_SUCCESS
    assert ops.aclnnNonzero(np.empty(size, np.uint8), size, executor, None) is Status.ACLNN_SUCCESS
    assert executor is not None
    assert executor.lengths == (3,)
    assert out[:3].tolist() == PLACES


def test_several_outputs() -> None:
    values = np.array([3, 1, 3, 2, 1], np.float32)
    found = ops.unique2(values, True, True, True, backend="npu")
    assert [found.value_out.tolist(), found.counts_out.tolist()] == [[1, 2, 3], [2, 1, 2]]
    assert ops.unique2(values, backend="npu").counts_out.shape == (0,)


PROGRAM = r"""
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_nonzero.h"

static void say(const char *when, const aclTensor *tensor) {
    int64_t *dims = nullptr;
    uint64_t rank = 0;
    aclGetViewShape(tensor, &dims, &rank);
    std::printf("%s %ld %ld\n", when, (long)dims[0], (long)dims[1]);
    delete[] dims;
}
int main() {
    const float values[] = {0, 1.5f, 0, -2, 0, 3};
    const int64_t shape[] = {2, 3}, bound[] = {6, 2};
    void *memory, *room, *workspace = nullptr;
    aclrtStream stream;
    aclInit(nullptr), aclrtSetDevice(0), aclrtCreateStream(&stream);
    aclrtMalloc(&memory, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&room, 96, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor *self = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclTensor *out = aclCreateTensor(bound, 2, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, bound, 2, room);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclnnNonzeroGetWorkspaceSize(self, out, &size, &executor);
    say("before", out);
    aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    aclnnNonzero(workspace, size, executor, stream);
    aclrtSynchronizeStream(stream);
    say("after", out);
    int64_t places[6];
    aclrtMemcpy(places, sizeof places, room, sizeof places, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int64_t place : places) std::printf("%ld\n", (long)place);
    aclDestroyTensor(self), aclDestroyTensor(out);
    aclrtFree(memory), aclrtFree(room), aclrtFree(workspace);
    aclrtDestroyStream(stream), aclrtResetDevice(0), aclFinalize();
}
"""


@pytest.mark.parametrize("strict", ["0", "1"])  # in strict mode the call runs when the stream is waited for
def test_a_program_asks_the_tensor(root: Path, tmp_path: Path, program: Callable[[str], str], strict: str) -> None:
    from tests.support.simulators import Simulator as Programs

    programs = Programs(root, program("g++"), tmp_path)
    done = programs.run(programs.compile(PROGRAM), variables={"ACLSPEC_STRICT": strict})
    assert (done.status, done.err) == (0, "")
    assert done.out.split() == ["before", "6", "2", "after", "3", "2", "0", "1", "1", "0", "1", "2"]
