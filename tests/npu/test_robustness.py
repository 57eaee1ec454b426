"""What a real device would not forgive: failures in the middle, many threads, forked processes, the end of a process.

Each runs in a process of its own, in which the simulator's strict mode reports every leak and misuse at the end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.testing.amount import amount
from tests.support.operators import computed, some
from tests.support.simulated import TOP, environment

CALLED = {
    *("aclrtCreateContext", "aclrtDestroyContext"),
    *("aclInit", "aclFinalize", "aclrtSetDevice", "aclrtResetDevice", "aclrtGetCurrentContext"),
    *("aclrtSetCurrentContext", "aclrtGetSocName", "aclrtCreateStream", "aclrtDestroyStream", "aclrtSynchronizeStream"),
    *("aclrtMalloc", "aclrtFree", "aclrtMemcpy", "aclCreateTensor", "aclDestroyTensor", "aclDestroyAclOpExecutor"),
    *("aclSetAclOpExecutorRepeatable", "<operator>", "<operator>GetWorkspaceSize"),
}


def run(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A Python process in strict mode."""
    extra = {"ACLSPEC_STRICT": "1", "PYTHONPATH": str(TOP), **variables}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=TOP, env=environment(root, **extra), capture_output=True, text=True, check=False, timeout=900
    )


def answer(done: subprocess.CompletedProcess[str]) -> Any:
    """What the process printed; it ended well and strict mode had nothing to report."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert "aclspec strict" not in done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", some(12, computed(), small=6))
def test_every_call_that_can_fail_fails_once_and_leaves_nothing(root: Path, name: str) -> None:
    scenarios = "in_one_step,on_arrays_of_the_device,in_two_phases,in_a_context"
    counts = answer(run(root, "-m", "tests.npu.faults", name, scenarios))
    alone = any(param.type == "tensor" for param in ops.get(name).info.params)  # a list destroys the tensors in it
    assert counts.keys() >= (CALLED if alone else CALLED - {"aclDestroyTensor"})


@pytest.mark.timeout(900)
def test_threads(root: Path) -> None:
    found = answer(run(root, "-m", "tests.npu.threads", amount("3", "3", "60")))
    assert found["threads"] == 8
    assert found["calls"] > 40


def test_a_process_that_says_no_goodbye_leaves_nothing(root: Path) -> None:
    code = """
import json, threading
import numpy as np
from aclspec import ops
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.npu import DeviceArray, Event, Stream
x = np.ones((2, 3), np.float32)
kept = [DeviceArray.from_host(x), Stream(), Event()]
def work():
    with kept[1]:
        kept.append(ops.prelu(kept[0], DeviceArray.from_host(x[0, :1]), backend="npu").out)
    kept.append(ops.get("prelu").get_workspace_size(x, x[0], x.copy(), backend="npu"))
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(json.dumps(len(kept)))
"""
    assert answer(run(root, "-c", code)) == 5


def test_a_forked_process_is_told_that_it_cannot_go_on(root: Path) -> None:
    code = """
import json, os, sys
import numpy as np
from aclspec import ops
from aclspec.runtime.testing.amount import amount
from aclspec.runtime import AclnnError
from aclspec.runtime.npu import DeviceArray
x = np.ones((2, 3), np.float32)
there = DeviceArray.from_host(x)
child = os.fork()
if child == 0:
    try:
        ops.prelu(x, x[0], backend="npu")
    except AclnnError as error:
        assert "a forked process cannot use it" in str(error)
        assert there.is_freed
        os._exit(5)
    os._exit(6)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), float(there.to_host().sum())]))
"""
    assert answer(run(root, "-c", code)) == [5, 6.0]


def test_a_runtime_that_the_program_has_initialised_stays_its_own(root: Path) -> None:
    code = f"""
import ctypes, json
import numpy as np
runtime = ctypes.CDLL("{root}/lib64/libacl_rt.so")
assert runtime.aclInit(None) == 0
from aclspec import ops
from aclspec.runtime.testing.amount import amount
from aclspec.runtime import last_error
from aclspec.runtime.npu import shutdown
from aclspec.runtime.testing.amount import amount
x = np.ones((2, 3), np.float32)
ops.prelu(x, x[0], backend="npu")
shutdown()
print(json.dumps([last_error(), runtime.aclFinalize()]))
"""
    assert answer(run(root, "-c", code)) == [None, 0]
