from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType, unit_roundoff
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.status import Status

NUMBERS = {
    "FLOAT": (0, 4),
    "FLOAT16": (1, 2),
    "INT8": (2, 1),
    "INT32": (3, 4),
    "UINT8": (4, 1),
    "INT16": (6, 2),
    "UINT16": (7, 2),
    "UINT32": (8, 4),
    "INT64": (9, 8),
    "UINT64": (10, 8),
    "DOUBLE": (11, 8),
    "BOOL": (12, 1),
    "STRING": (13, 0),
    "COMPLEX64": (16, 8),
    "COMPLEX128": (17, 16),
    "BF16": (27, 2),
    "INT4": (29, 1),
    "UINT1": (30, 1),
    "COMPLEX32": (33, 4),
    "HIFLOAT8": (34, 1),
    "FLOAT8_E5M2": (35, 1),
    "FLOAT8_E4M3FN": (36, 1),
    "FLOAT8_E8M0": (37, 1),
    "FLOAT6_E3M2": (38, 1),
    "FLOAT6_E2M3": (39, 1),
    "FLOAT4_E2M1": (40, 1),
    "FLOAT4_E1M2": (41, 1),
    "DT_UNDEFINED": (-1, 0),
}


def test_every_dtype_has_the_number_and_the_size_of_the_c_header() -> None:
    assert {dtype.name: (int(dtype), dtype.itemsize) for dtype in DType if dtype is not DType.HFLOAT32} == NUMBERS


def test_a_dtype_to_compute_in_is_none_of_a_tensor() -> None:
    assert not DType.HFLOAT32.is_stored
    assert DType.of(np.dtype(np.float32)) is DType.FLOAT
    with pytest.raises(ValueError, match="is unknown"):
        DType.parse("HFLOAT32")


@pytest.mark.parametrize(
    "dtype", [dtype for dtype in DType if dtype is not DType.HFLOAT32], ids=lambda dtype: dtype.name
)
def test_names_of_a_dtype_come_back_to_it(dtype: DType) -> None:
    assert DType.parse(dtype.name) is dtype
    assert DType.parse(dtype.short) is dtype
    assert DType.parse(f"ACL_{dtype.name}") is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype


@pytest.mark.parametrize("kind", list(BY_NUMPY), ids=str)
def test_numpy_types_come_back_to_themselves(kind: np.dtype[np.generic]) -> None:
    assert DType.of(kind).numpy == kind


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("bfloat16", DType.BF16),
        ("float32", DType.FLOAT),
        ("Float64", DType.DOUBLE),
        ("bf16", DType.BF16),
        ("fp16", DType.FLOAT16),
        ("fp32", DType.FLOAT),
        ("half", DType.FLOAT16),
        ("torch.bfloat16", DType.BF16),
        ("torch.long", DType.INT64),
        ("f32", DType.FLOAT),
        ("F16", DType.FLOAT16),
        ("i64", DType.INT64),
        ("u8", DType.UINT8),
        ("DT_BF16", DType.BF16),
        ("np.float64", DType.DOUBLE),
        ("mindspore.float16", DType.FLOAT16),
        ("DT_UNDEFINED", DType.DT_UNDEFINED),
        ("ACL_DT_UNDEFINED", DType.DT_UNDEFINED),
    ],
)
def test_common_spellings(text: str, dtype: DType) -> None:
    assert DType.parse(text) is dtype


def test_an_unknown_dtype_is_named_with_the_one_that_was_meant() -> None:
    with pytest.raises(ValueError, match=r"The dtype \(flaot16\) is unknown \(did you mean float16\?\)\."):
        DType.parse("flaot16")


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (DType.FLOAT, np.float32),
        (DType.DOUBLE, np.float64),
        (DType.FLOAT16, np.float16),
        (DType.BF16, ml_dtypes.bfloat16),
        (DType.FLOAT8_E5M2, ml_dtypes.float8_e5m2),
        (DType.FLOAT8_E4M3FN, ml_dtypes.float8_e4m3fn),
    ],
)
def test_unit_roundoff_is_half_the_distance_to_the_number_after_one(dtype: DType, kind: type) -> None:
    after: Any = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    assert unit_roundoff(dtype) == float(after.eps) / 2


def test_integers_have_no_unit_roundoff() -> None:
    assert unit_roundoff(DType.INT32) == 0
    assert not DType.INT32.is_floating


def test_formats_have_the_numbers_of_the_c_header() -> None:
    numbers = {"UNDEFINED": -1, "NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "NC1HWC0_C04": 12}
    numbers |= {"HWCN": 16, "NDHWC": 27, "FRACTAL_NZ": 29, "NCDHW": 30, "NDC1HWC0": 32, "FRACTAL_Z_3D": 33, "NC": 35}
    numbers |= {"NCL": 47, "FRACTAL_NZ_C0_16": 50, "FRACTAL_NZ_C0_32": 51, "FRACTAL_NZ_C0_2": 52}
    numbers |= {"FRACTAL_NZ_C0_4": 53, "FRACTAL_NZ_C0_8": 54}
    assert {format.name: int(format) for format in Format} == numbers


def test_private_formats_are_those_of_the_hardware() -> None:
    public = {"UNDEFINED", "NCHW", "NHWC", "ND", "HWCN", "NDHWC", "NCDHW", "NC", "NCL"}
    assert {format.name for format in Format if not format.is_private} == public


def test_formats_parse_with_and_without_their_prefix() -> None:
    assert Format.parse("ACL_FORMAT_NCHW") is Format.parse("nchw") is Format.NCHW
    with pytest.raises(ValueError, match=r"The format \(NCWH\) is unknown \(did you mean NCHW\?\)"):
        Format.parse("NCWH")


def test_status_codes_are_those_of_the_c_header() -> None:
    first = {status.name: int(status) for status in list(Status)[:5]}
    assert first == {
        "ACLNN_SUCCESS": 0,
        "ACLNN_ERR_PARAM_NULLPTR": 161001,
        "ACLNN_ERR_PARAM_INVALID": 161002,
        "ACLNN_ERR_RUNTIME_ERROR": 361001,
        "ACLNN_ERR_INNER": 561000,
    }
    inner = [int(status) for status in Status if status.name.startswith("ACLNN_ERR_INNER_")]
    assert inner == [*range(561001, 561004), *range(561101, 561120)]
    assert Status["ACLNN_ERR_INNER_KEY_CONFILICT"] is Status["ACLNN_ERR_INNER_KEY_CONFLICT"]
