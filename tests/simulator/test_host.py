"""The libraries loaded by Python itself, whose interpreter is left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.simulators import Simulator

SCRIPT = """
import ctypes, gc, sys
import numpy as np
from aclspec.runtime import last_error

folder = sys.argv[1]
P, U, I = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int
acl = ctypes.CDLL(f"{folder}/libacl_rt.so")
base = ctypes.CDLL(f"{folder}/libnnopbase.so")
ops = ctypes.CDLL(f"{folder}/libopapi_nn.so")
acl.aclrtMalloc.argtypes = [P, U, I]
acl.aclrtMemcpy.argtypes = [P, U, P, U, I]
acl.aclrtFree.argtypes = [P]
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
base.aclCreateTensor.restype = P
base.aclCreateTensor.argtypes = [P, U, I, P, ctypes.c_int64, I, P, U, P]
base.aclDestroyTensor.argtypes = [P]
ops.aclnnPreluGetWorkspaceSize.argtypes = [P] * 5
ops.aclnnPrelu.argtypes = [P, U, P, P]
assert acl.aclInit(None) == 0 and acl.aclrtSetDevice(0) == 0


def tensor(array):
    memory, shape = P(), (ctypes.c_int64 * array.ndim)(*array.shape)
    assert acl.aclrtMalloc(ctypes.byref(memory), array.nbytes, 0) == 0
    assert acl.aclrtMemcpy(memory, array.nbytes, array.ctypes.data, array.nbytes, 1) == 0
    return base.aclCreateTensor(shape, array.ndim, 0, None, 0, 2, shape, array.ndim, memory), memory


def call():
    x, w = np.float32([[-1, 2], [3, -4]]), np.float32([0.5])
    made = [tensor(array) for array in (x, w, np.zeros_like(x), np.zeros(512, np.uint8).view(np.float32))]
    (self_, _), (weight, _), (out, target), (_, workspace) = made
    size, executor, result = U(), P(), np.empty_like(x)
    assert ops.aclnnPreluGetWorkspaceSize(self_, weight, out, ctypes.byref(size), ctypes.byref(executor)) == 0
    assert ops.aclnnPrelu(workspace, size, executor, None) == 0
    assert acl.aclrtMemcpy(result.ctypes.data, result.nbytes, target, result.nbytes, 2) == 0
    assert result.tolist() == [[-0.5, 2.0], [3.0, -2.0]]
    assert ops.aclnnPreluGetWorkspaceSize(self_, out, out, ctypes.byref(size), ctypes.byref(executor)) == 161002
    assert b"aclnnPrelu.weight-numel" in acl.aclGetRecentErrMsg()
    for handle, memory in made:
        assert base.aclDestroyTensor(handle) == 0 and acl.aclrtFree(memory) == 0


for _ in range(50):
    call()
assert not [name for name in sys.modules if name.startswith("aclspec.runtime.simulator")]
assert last_error() is None  # the messages of the libraries are theirs, not this interpreter's
gc.collect()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


for _ in range(2000):  # until as many dead handles are kept as ever
    call()
before = sys.getallocatedblocks(), resident()
for _ in range(3000):
    call()
gc.collect()
print(sys.getallocatedblocks() - before[0], resident() - before[1])
assert acl.aclFinalize() == 0
"""


def test_the_interpreter_of_the_process_is_not_used_and_nothing_leaks(simulator: Simulator, tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(SCRIPT)
    words = [sys.executable, str(script), str(simulator.root / "lib64")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    blocks, kept = map(int, done.stdout.split())
    assert blocks < 500  # one block for each call would be 3000
    assert kept < 2 << 20  # a message kept of each call would be 3 MB
