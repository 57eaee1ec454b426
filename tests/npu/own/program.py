"""An operator with a tensor that is written in place and a list of tensors, through the bridge; run as a program.

The arguments are the simulator's root and the generated test file of the operator.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Status, last_error
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.npu import DeviceArray, Stream
from aclspec.runtime.testing.expected import scalar
from tests.npu.test_conformance import Library
from tests.support.simulated import Simulator

MIX: Operator = import_module("own_ops").get("aclnnInplaceMix")
MADE = {dtype for dtype in DType if dtype.numpy is not None} - {DType.INT4, DType.HFLOAT32}
X = np.arange(6, dtype=np.float32).reshape(2, 3)
PARTS = (np.full((2, 3), 2, np.float32), np.asfortranarray(X))
REST = (np.float32(0.5), (1.0, -2.0), 4.0, True)


def whole_suite(root: Path, suite: Path) -> None:
    """The generated suite, as those of our own operators."""
    with pytest.MonkeyPatch.context() as patch:
        library = Library(suite, Simulator(root), patch)
        assert sum(run_target(library, target) for target in library.runner.suite.targets) > 100
        for case, target in library.numbers.computing():
            with library.target(target):
                library.numbers.check_computing(case, target)
        library.simulator.become(None)


def run_target(library: Library, target: Any) -> int:
    """The statuses of one target, but for scalars that no C program can make either: aclCreateScalar answers null."""
    suite, checked = library.runner.suite, 0
    with library.target(target):
        for case in (case for cases in suite.groups.values() for case in cases):
            outcome, alpha = suite.outcomes(case).get(target), suite.call(case)["alpha"]
            if outcome is not None and (alpha is None or scalar(str(alpha)).dtype in MADE):
                library.runner.check_status(case, target, outcome)
                checked += 1
    return checked


def in_place() -> None:
    """Every place that the tensor can come from and go to gives the same."""
    expected = MIX(X, PARTS, *REST)
    assert np.array_equal(X, np.arange(6).reshape(2, 3)), "Nothing but out is written."

    def check(found: Any) -> None:
        for one, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.to_host() if isinstance(one, DeviceArray) else one, wanted)

    there = DeviceArray.from_host(X)
    parts = tuple(map(DeviceArray.from_host, PARTS))
    check(MIX(X, PARTS, *REST, backend="npu"))
    check(MIX(there, parts, *REST, backend="npu"))
    np.testing.assert_array_equal(there.to_host(), X)
    check(MIX(there, PARTS, *REST, backend="npu"))
    check(MIX(X, parts, *REST, backend="npu"))
    host = X.copy()
    check(MIX(host, PARTS, *REST, backend="npu", out={"selfRef": host}))
    np.testing.assert_array_equal(host, expected.self_ref)
    wide = DeviceArray.from_host(np.full((2, 6), 7, np.float32))
    view = wide.view((2, 3), strides=(6, 2))
    check(MIX(there, parts, *REST, backend="npu", out={"selfRef": view}))
    np.testing.assert_array_equal(wide.to_host()[:, 1::2], 7)
    old = DeviceArray(X.shape, "float32")
    check(MIX(there, parts, *REST, backend="npu", out=(there, old)))
    np.testing.assert_array_equal(there.to_host(), expected.self_ref)
    np.testing.assert_array_equal(old.to_host(), expected.out)
    with Stream():
        late = DeviceArray.from_host(X)
        check(MIX(late, (parts[1], parts[0]), REST[0], (-2.0, 1.0), *REST[2:], backend="npu"))


def in_two_phases() -> None:
    """The C-shaped call writes the tensor itself."""
    expected = MIX(X, PARTS, *REST)
    for _ in range(2):
        given = DeviceArray.from_host(X)
        parts = tuple(map(DeviceArray.from_host, PARTS))
        out = np.empty_like(X)
        status, size, executor = MIX.get_workspace_size(given, parts, *REST, out, backend="npu")
        assert status is Status.ACLNN_SUCCESS, last_error()
        assert MIX.execute(np.empty(size, np.uint8), size, executor) is Status.ACLNN_SUCCESS
        np.testing.assert_array_equal(given.to_host(), expected.self_ref)
        np.testing.assert_array_equal(out, expected.out)


def faults() -> None:
    """A list or a scalar that cannot be made leaves nothing behind."""
    for function in ("aclCreateTensorList", "aclCreateFloatArray", "aclCreateScalar"):
        os.environ["ACLSPEC_FAULT"] = f"{function}:1"
        with pytest.raises(AclnnError, match=function):
            MIX(DeviceArray.from_host(X), tuple(map(DeviceArray.from_host, PARTS)), *REST, backend="npu")
        os.environ["ACLSPEC_FAULT"] = ""


if __name__ == "__main__":
    in_place()
    in_two_phases()
    whole_suite(Path(sys.argv[1]), Path(sys.argv[2]))
    faults()
    print("passed")
