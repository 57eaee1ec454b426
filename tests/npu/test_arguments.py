"""Values of every C type arrive in C as they were given; a library of our own, made of plain C, tells what it got."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime import AclnnError, Status, Tensor, last_error
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.npu import shutdown
from aclspec.runtime.tensors.tensor import Scalar
from tests.npu.echoing import OPERATOR, alive, make_root

VALUES: dict[str, Any] = {
    "x": np.array([[1.5, 2], [3, 4]], np.float32),
    "parts": (np.zeros(2, np.int32), None, np.array([7], np.float32)),
    "alpha": 2.5,
    "betas": (np.float32(1.25), 3, True),
    "kernel": (2, -3, 2**40),
    "mask": (True, False, True),
    "ratios": (0.5, -1.0),
    "flag": True,
    "small": 0.1,
    "mode": -7,
    "eps": 1e-300,
    "groups": -(2**31),
    "plain": 2**31 - 1,
    "wide": -(2**62),
    "other": -2.5,
    "seed": 2**64 - 1,
    "name": "mean",
    "acc": "BF16",
    "last": 1 / 3,
    "out": np.zeros(2, np.float32),
}
PLAIN = (
    "tensor(0 [2,2] strides null offset 0 format 2 storage [2,2] first 0)",
    "{tensor(3 [2] strides null offset 0 format 2 storage [2]); null; "
    "tensor(0 [1] strides null offset 0 format 2 storage [1] first 0)}",
    "double(2.5)",
    "{float(1.25); int64(3); bool(1)}",
    "ints[2,-3,1099511627776]",
    "bools 1 0 1",
    "floats 0.5 -1",
    "1 0.100000001 -7 1e-300 -2147483648 2147483647 -4611686018427387904 -2.5 18446744073709551615 "
    "mean 27 0.33333333333333331",
    "tensor(0 [2] strides null offset 0 format 2 storage [2] first 0)",
)


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
    assert alive(root) == 0


def told(values: dict[str, Any]) -> list[str]:
    """What the library says that it got, parameter by parameter."""
    status, size, executor = OPERATOR.get_workspace_size(*(VALUES | values).values(), backend="npu")
    assert (status, size, executor) == (Status.ACLNN_ERR_PARAM_INVALID, 0, None)
    message = last_error()
    assert message is not None
    line = next(line for line in message.splitlines() if "the library says" in line)
    library, _, text = line.partition("says: ")[2].partition(" ")
    assert library == "libopapi.so"
    return [part.strip() for part in text.split("|")]


def zeroed(parts: list[str]) -> list[str]:
    """Without the first float of each buffer: the memory of a tensor is filled by phase two."""
    return [re.sub(r"first [^)]*", "first 0", part) for part in parts]


def test_every_type_arrives() -> None:
    assert tuple(zeroed(told({}))) == PLAIN


def test_nulls_arrive() -> None:
    names = ("x", "parts", "alpha", "betas", "kernel", "mask", "ratios", "name", "out")
    parts = told(dict.fromkeys(names))
    assert parts[:7] == ["null"] * 7
    assert parts[7].split()[9] == "null"
    assert parts[8] == "null"


def test_empty_lists_and_arrays_are_not_null() -> None:
    parts = told({"parts": (), "betas": (), "kernel": (), "mask": (), "ratios": ()})
    assert [parts[at] for at in (1, 3, 4, 5, 6)] == ["{}", "{}", "ints[]", "bools", "floats"]


@pytest.mark.parametrize(
    ("scalar", "text"),
    [
        (Scalar(1.5, DType.FLOAT16), "half(1 3e00)"),
        (ml_dtypes.bfloat16(1.5), "half(27 3fc0)"),
        (Scalar(-3, DType.INT8), "int8(-3)"),
        (1 + 2j, "complex(1 2)"),
        (0.1, "double(0.10000000000000001)"),
    ],
)
def test_scalars_arrive_in_their_dtype(scalar: Any, text: str) -> None:
    assert told({"alpha": scalar})[2] == text


def test_views_arrive_as_strides_over_their_storage() -> None:
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    parts = zeroed(told({"x": base[:, ::2], "out": base.T}))
    assert parts[0] == "tensor(0 [4,3] strides [6,2] offset 0 format 2 storage [23] first 0)"
    assert parts[-1] == "tensor(0 [6,4] strides [1,6] offset 0 format 2 storage [24] first 0)"
    described = Tensor(
        (2, 3), "float32", "NCHW", strides=(6, 2), offset=3, storage_shape=(2, 12), data=base.reshape(2, 12)
    )
    assert zeroed(told({"x": described}))[0] == (
        "tensor(0 [2,3] strides [6,2] offset 3 format 0 storage [2,12] first 0)"
    )


def test_a_tensor_without_data_is_only_described() -> None:
    huge = Tensor((2**40, 2**20), "float16", "ND")
    negative = Tensor((-1, 2), "string", "ND")
    parts = told({"x": huge, "out": negative})
    assert (
        parts[0]
        == "tensor(1 [1099511627776,1048576] strides null offset 0 format 2 storage [1099511627776,1048576] nowhere)"
    )
    assert parts[-1] == "tensor(13 [-1,2] strides null offset 0 format 2 storage [-1,2] nowhere)"


def test_a_value_that_no_c_type_holds_is_refused_before_the_library() -> None:
    with pytest.raises(TypeError, match="The value of name"):
        told({"name": 3})
    status, _, _ = OPERATOR.get_workspace_size(*(VALUES | {"mode": 128}).values(), backend="npu")
    assert status == Status.ACLNN_ERR_PARAM_INVALID
    assert "outside its range, -128 to 127" in str(last_error())
    status, _, _ = OPERATOR.get_workspace_size(*(VALUES | {"name": "a\0b"}).values(), backend="npu")
    assert status == Status.ACLNN_ERR_PARAM_INVALID
    assert "holds a NUL" in str(last_error())
    assert OPERATOR.get_workspace_size(*(VALUES | {"alpha": Scalar(1, DType.HIFLOAT8)}).values(), backend="npu")[0]
    assert "no NumPy type" in str(last_error())


def test_the_error_of_a_call_has_both_messages() -> None:
    inputs = [VALUES[param.name] for param in OPERATOR.inputs]
    with pytest.raises(AclnnError) as caught:
        OPERATOR.call(inputs, backend="npu")
    assert caught.value.status is Status.ACLNN_ERR_PARAM_INVALID
    sentence, library, context = str(caught.value).splitlines()
    assert sentence == "The function aclnnHandmadeGetWorkspaceSize fails with ACLNN_ERR_PARAM_INVALID (161002)."
    assert library.startswith(" - the library says: libopapi.so tensor(0 [2,2]")
    assert context == " - while calling aclnnHandmade"
