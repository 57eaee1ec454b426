"""Operators without a kernel on an NPU: the library computes; of a declared one it alone knows the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Status, last_error
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator, Param
from aclspec.runtime.npu import DeviceArray, shutdown
from aclspec.runtime.rules.levels import NO_KERNEL_STATUS, UNKNOWN_STATUS
from aclspec.runtime.rules.verdict import Verdict
from tests.npu.echoing import make_root

PARAMS = (
    Param("self", "self"),
    Param("state", "state", direction="inout"),
    Param("parts", "parts", "tensor_list", "inout"),
    Param("factor", "factor", "double"),
    Param("out", "out", direction="out"),
)
X = np.array([1, 2], np.float32)
STATE = np.array([7], np.float32)
PARTS = (np.array([10, 20, 30], np.float32), np.array([40], np.float32))


class Result(NamedTuple):
    state: Any
    parts: Any
    out: Any


CHECKS: list[float] = []


def check(product: str, library: bool, self: Any, state: Any, parts: Any, factor: float, out: Any) -> Verdict | None:
    CHECKS.append(factor)
    return None


def infer(self: Any, state: Any, parts: Any, factor: float) -> Any:
    return (
        (state.shape, state.dtype, None),
        tuple((part.shape, part.dtype, None) for part in parts),
        (self.shape, DType.FLOAT, None),
    )


DECLARED = Operator("aclnnTold", "told", __name__, PARAMS, Result, level="declared")
CHECKED = Operator("aclnnTold", "told", __name__, PARAMS, Result, check, infer, level="checked")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Path:
    program("gcc")
    return make_root(tmp_path_factory.mktemp("echo"), "libopapi.so")


@pytest.fixture(autouse=True)
def device(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ASCEND_HOME_PATH", str(root))
    shutdown()
    last_error()
    yield
    shutdown()


def check_result(found: Result, out: Any = None) -> None:
    assert out is None or found.out is out
    np.testing.assert_array_equal(found.out, X * 2.5)
    np.testing.assert_array_equal(found.state, [8])
    assert [list(part) for part in found.parts] == [[11, 21, 31], [41]]
    assert (list(STATE), list(PARTS[0]), list(PARTS[1])) == ([7], [10, 20, 30], [40]), "Nothing but out is written."


def test_a_declared_operator_is_computed_into_what_the_caller_gives() -> None:
    out = np.zeros(2, np.float32)
    check_result(DECLARED(X, STATE, PARTS, 2.5, out={"out": out}, backend="npu"), out)


def test_what_may_be_written_is_written_where_the_caller_says() -> None:
    out, state, parts = np.zeros(2, np.float32), np.zeros(1, np.float32), [np.zeros(3, np.float32), np.zeros(1, "f4")]
    found = DECLARED(X, STATE, PARTS, 2.5, out=(state, parts, out), backend="npu")
    check_result(found, out)
    assert found.state is state
    assert [list(part) for part in parts] == [[11, 21, 31], [41]]


def test_on_the_device_too() -> None:
    out = DeviceArray((2,), "float32")
    given = [DeviceArray.from_host(one) for one in (X, STATE, *PARTS)]
    found = DECLARED(given[0], given[1], tuple(given[2:]), 2.5, out={"out": out}, backend="npu")
    np.testing.assert_array_equal(out.to_host(), X * 2.5)
    np.testing.assert_array_equal(found.state.to_host(), [8])
    assert [list(part.to_host()) for part in found.parts] == [[11, 21, 31], [41]]


def test_a_declared_operator_needs_its_outputs() -> None:
    with pytest.raises(AclnnError, match=r"No rule of aclnnTold says what its outputs are; give out \(out\)"):
        DECLARED(X, STATE, PARTS, 2.5, backend="npu")


def test_the_library_refuses_what_we_know_nothing_of() -> None:
    with pytest.raises(AclnnError) as caught:
        DECLARED(X, STATE, PARTS, 2.5, out={"out": None}, backend="npu")
    assert caught.value.status is Status.ACLNN_ERR_PARAM_NULLPTR
    assert caught.value.rule is None


def test_both_phases_of_a_declared_operator() -> None:
    out, state, parts = np.zeros(2, np.float32), STATE.copy(), [part.copy() for part in PARTS]
    status, size, executor = DECLARED.get_workspace_size(X, state, parts, 2.5, out, backend="npu")
    assert (status, size) == (Status.ACLNN_SUCCESS, 0), last_error()
    assert DECLARED.execute(None, 0, executor) is Status.ACLNN_SUCCESS
    np.testing.assert_array_equal(out, X * 2.5)
    np.testing.assert_array_equal(state, [8])
    np.testing.assert_array_equal(parts[1], [41])


def test_the_host_answers_nothing_for_a_declared_operator() -> None:
    assert DECLARED.get_workspace_size(X, STATE, PARTS, 2.5, X.copy(), backend="numpy") == (UNKNOWN_STATUS, 0, None)
    with pytest.raises(AclnnError, match="No rule of aclnnTold is known") as caught:
        DECLARED(X, STATE, PARTS, 2.5, backend="numpy")
    assert caught.value.status == UNKNOWN_STATUS


def test_a_checked_operator_is_checked_here_and_computed_there() -> None:
    CHECKS.clear()
    check_result(CHECKED(X, STATE, PARTS, 2.5, backend="npu"))
    assert CHECKS == [2.5]


def test_the_host_has_no_kernel_for_a_checked_operator() -> None:
    with pytest.raises(AclnnError, match=r"passes the checks of aclnnTold, but aclnnTold has no kernel") as caught:
        CHECKED(X, STATE, PARTS, 2.5, backend="numpy")
    assert (caught.value.status, caught.value.rule) == (NO_KERNEL_STATUS, None)
