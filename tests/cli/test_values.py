"""What a person types for a parameter: every form, and a sentence for what is none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.cli.errors import UsageError
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import ParamTypeKey
from aclspec.runtime.rules.operator_info import ParamInfo, Text
from aclspec.runtime.tensors.tensor import Scalar, Tensor


def read(kind: str, text: str) -> Any:
    return values.parse(ParamInfo("theName", "the_name", kind, "in", Text("It.", "它。")), text)


@pytest.mark.parametrize("kind", ["tensor", "scalar", "int_array", "string", "tensor_list"])
def test_null_is_none_for_every_pointer(kind: str) -> None:
    assert read(kind, "null") is None


@pytest.mark.parametrize("kind", ["bool", "int64", "float"])
def test_null_is_refused_where_c_has_no_pointer(kind: str) -> None:
    with pytest.raises(UsageError, match=r"theName \(null\)"):
        read(kind, "null")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("bool", "true", True),
        ("bool", "False", False),
        ("int64", "-3", -3),
        ("int64", "0x10", 16),
        ("double", "0.5", 0.5),
        ("double", "inf", math.inf),
        ("int_array", "2,2", (2, 2)),
        ("int_array", "[2, -2]", (2, -2)),
        ("int_array", "[]", ()),
        ("bool_array", "true,false", (True, False)),
        ("float_array", "0.5, 1", (0.5, 1.0)),
        ("string", "SAME", "SAME"),
        ("string", '"SAME"', "SAME"),
        ("string", '"null"', "null"),
        ("string", r'"a \"b\""', 'a "b"'),
        ("dtype", "FLOAT16", DType.FLOAT16),
        ("scalar", "3", 3),
        ("scalar_list", "1;2.5", (1, 2.5)),
    ],
)
def test_attributes(kind: str, text: str, value: object) -> None:
    assert read(kind, text) == value


def test_a_text_whose_quotes_do_not_close_is_refused() -> None:
    with pytest.raises(UsageError, match=r'theName \("SAME\) is not a JSON string'):
        read("string", '"SAME')


def test_a_scalar_may_have_a_dtype() -> None:
    scalar = read("scalar", "1.5:float16")
    assert scalar == 1.5
    assert isinstance(scalar, np.float16)


def test_a_scalar_may_have_a_dtype_that_numpy_has_not() -> None:
    """A page of the site gives such a call, so that it can be explained."""
    scalar = read("scalar", "0.5:float4_e1m2")
    assert isinstance(scalar, Scalar)
    assert (scalar.value, scalar.dtype) == (0.5, DType.FLOAT4_E1M2)


def test_a_description_has_no_data() -> None:
    tensor = read("tensor", "float32[4,2]:NCHW")
    assert isinstance(tensor, Tensor)
    assert (tensor.shape, tensor.dtype, tensor.format, tensor.has_data) == ((4, 2), DType.FLOAT, Format.NCHW, False)


def test_a_view_is_described_by_strides_and_offset() -> None:
    tensor = read("tensor", "float16[4,2]:ND:strides=1,4:offset=2")
    assert (tensor.strides, tensor.offset) == ((1, 4), 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[0.5, -inf]", np.array([0.5, -np.inf], np.float32)),
        ("[[1, 2], [3, 4]]:int32", np.array([[1, 2], [3, 4]], np.int32)),
        ("[1, 2]:bfloat16", np.array([1, 2], ml_dtypes.bfloat16)),
        ("float32[2,3]=1", np.ones((2, 3), np.float32)),
        ("int8[2,2]=[1, 2, 3, 4]", np.array([[1, 2], [3, 4]], np.int8)),
        ("float32[]=7", np.array(7, np.float32)),
        ("float16[0,3]=[]", np.zeros((0, 3), np.float16)),
    ],
)
def test_values_of_a_tensor(text: str, expected: np.ndarray[Any, Any]) -> None:
    value = read("tensor", text)
    array = value.array if isinstance(value, Tensor) else value
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_values_may_have_a_format() -> None:
    assert read("tensor", "float32[1,2]:NHWC=3").format is Format.NHWC
    assert read("tensor", "[[1, 2]]:float16:NC").format is Format.NC


def test_a_list_of_tensors() -> None:
    first, second = read("tensor_list", "float32[2]; [1, 2]")
    assert str(first) == "float32[2]"
    assert second.tolist() == [1, 2]


def test_a_list_of_objects_may_hold_null_pointers() -> None:
    first, second, third = read("tensor_list", "null; float32[1,2]:ND;null")
    assert (first, str(second), third) == (None, "float32[1,2]:ND", None)
    assert read("scalar_list", "1; null") == (1, None)


def test_null_is_refused_among_numbers() -> None:
    with pytest.raises(UsageError, match="theName"):
        read("float_array", "1, null")


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("tensor_list", ["int8[1]", "int8[2]; int8[3]"], ["int8[1]", "int8[2]", "int8[3]"]),
        ("int_array", ["[1,2]", "3"], ["1", "2", "3"]),
        ("int_array", ["", ""], []),
    ],
)
def test_a_repeated_option_extends_a_list(kind: ParamTypeKey, texts: list[str], expected: list[str]) -> None:
    param = ParamInfo("theName", "the_name", kind, "in", Text("It.", "它。"))
    found = values.parse_all(param, texts)
    assert isinstance(found, tuple)
    assert [str(one) for one in found] == expected
    with pytest.raises(UsageError, match="null stands beside"):
        values.parse_all(param, ["null", "null"])


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("tensor", "nonsense", "is not a tensor; write a file"),
        ("tensor", "float32[4,x]", "not a list of integers"),
        ("tensor", "float33[4]", "did you mean float32"),
        ("tensor", "float32[4]=[1, 2]", r"number of values \(2\) is not the number of elements \(4\)"),
        ("tensor", "float32[2]=one", "is not a tensor"),
        ("tensor", "[[1], [1, 2]]", "is not a tensor"),
        ("tensor", "[1, 2", "is not a tensor"),
        ("tensor", "float8_e4m3fn[2]:STRANGE", "format"),
        ("int64", "1.5", "is not an integer"),
        ("bool", "yes", "is not true or false"),
        ("int_array", "1;2", "is not a list of integers"),
        ("scalar", "[1]", "is not a number"),
        ("dtype", "FLOAT17", "did you mean"),
    ],
)
def test_a_bad_value_gets_a_sentence_that_names_the_parameter(kind: str, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        read(kind, text)
    assert "theName" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arrays_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save("x.npy", x)
    np.savez("two.npz", the_name=x, other=x + 1)
    np.savez("one.npz", whatever=x)
    np.testing.assert_array_equal(read("tensor", "x.npy"), x)
    np.testing.assert_array_equal(read("tensor", "two.npz"), x)
    np.testing.assert_array_equal(read("tensor", "two.npz:other"), x + 1)
    np.testing.assert_array_equal(read("tensor", "one.npz"), x)


def test_bfloat16_survives_a_file(tmp_path: Path) -> None:
    x = np.array([1, -0.5, 3e38], ml_dtypes.bfloat16)
    values.save(tmp_path / "r.npz", {"x": x})
    back = values.load(f"{tmp_path}/r.npz:x", "x")
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, x)


def test_a_byte_of_no_type_needs_a_dtype(tmp_path: Path) -> None:
    x = np.array([1, 2], ml_dtypes.float8_e5m2)
    values.save(tmp_path / "r.npz", {"x": x})
    with pytest.raises(UsageError, match="name the dtype after the file"):
        values.load(f"{tmp_path}/r.npz:x", "x")
    np.testing.assert_array_equal(values.load(f"{tmp_path}/r.npz:x:float8_e5m2", "x"), x)


@pytest.mark.parametrize("name", ["text.npy", "text.npz", "pickle.npy", "cut.npz", "lacks.npz:key"])
def test_a_file_that_is_no_array_gets_a_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("not an array")
    (tmp_path / "text.npz").write_text("not an archive")
    np.save(tmp_path / "pickle.npy", np.array([{}], dtype=object))
    np.savez(tmp_path / "lacks.npz", a=np.zeros(1), b=np.zeros(1))
    whole = (tmp_path / "lacks.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match=r"The file .* (is not a readable array file|has no array)"):
        values.load(f"{tmp_path}/{name}", "x")


def test_saving_leaves_nothing_behind_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.npz"
    values.save(target, {"x": np.zeros(2)})
    before = target.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(np, "savez", refuse)
    with pytest.raises(OSError, match="full"):
        values.save(target, {"x": np.ones(2)})
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["r.npz"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1., -2.]", [1.0, -2.0]),
        ("[.5, -.25, 1.e1, 1.5e-1]", [0.5, -0.25, 10.0, 0.15]),
        ("int8[2]=[127, -128]", [127, -128]),
        ("float16[1]=inf", [math.inf]),
        ("int32[1]=2.0", [2]),
        ("uint64[1]=18446744073709551615", [18446744073709551615]),
    ],
)
def test_numbers(text: str, value: list[float]) -> None:
    array = np.asarray(getattr(read("tensor", text), "array", read("tensor", text)))
    np.testing.assert_array_equal(array, np.asarray(value, array.dtype))


@pytest.mark.parametrize(
    ("kind", "text", "number", "dtype"),
    [
        ("tensor", "int8[2]=300", "300", "INT8"),
        ("tensor", "int8[2]=[1, -129]", "-129", "INT8"),
        ("tensor", "[1.5]:int32", "1.5", "INT32"),
        ("tensor", "[nan]:int32", "nan", "INT32"),
        ("tensor", "uint8[1]=-1", "-1", "UINT8"),
        ("tensor", "bool[1]=2", "2", "BOOL"),
        ("tensor", "float16[2]=1e9", "1000000000.0", "FLOAT16"),
        ("tensor", "[1e39]", "1e\\+39", "FLOAT"),
        ("tensor", f"int64[1]={10**30}", str(10**30), "INT64"),
        ("scalar", "300:int8", "300", "INT8"),
        ("scalar", "1e9:float16", "1000000000.0", "FLOAT16"),
    ],
)
def test_a_number_that_the_dtype_does_not_have(kind: str, text: str, number: str, dtype: str) -> None:
    with pytest.raises(UsageError, match=rf"The value of theName is refused: the number \({number}\) .* {dtype} has"):
        read(kind, text)


def test_more_elements_than_there_is_memory() -> None:
    with pytest.raises(
        UsageError, match=r"refused: its elements would take 80000000000000000 bytes, and \d+ bytes are"
    ):
        read("tensor", "float32[100000000,200000000]=1")


def test_a_semicolon_at_the_end_makes_a_list_of_one() -> None:
    """So that a list of one null pointer can be told from a null list."""
    param = ops.get("foreach_add_list_v2").info.param("x1")
    assert values.parse(param, "null") is None
    assert values.parse(param, "null;") == (None,)


def test_a_scalar_of_a_complex_dtype_takes_a_real_number() -> None:
    assert values.parse(ops.get("ne_scalar").info.param("other"), "1:complex128") == 1 + 0j
