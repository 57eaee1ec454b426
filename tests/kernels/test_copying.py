"""Conversions, triangles, fills and clamps where references say too little: NaN, complex numbers, wide integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import copying, elementwise

NAN, INF = np.nan, np.inf
WIDE = 2**62 + 1
"""An integer that no float64 holds."""


def cast(source: str, target: str, values: list[Any], out: str | None = None) -> list[Any]:
    """The elements of an array of one dtype, converted to another one."""
    converted = np.zeros(len(values), DType[out or target].numpy)
    copying.cast(np.array(values, DType[source].numpy), DType[target], converted, {"result": DType[target]})
    found: list[Any] = converted.tolist()
    return found


@pytest.mark.parametrize(
    ("source", "target", "values", "expected"),
    [
        ("FLOAT", "INT32", [NAN, 2.75, -2.75], [0, 2, -2]),
        ("BF16", "UINT8", [NAN, 2.75, 200], [0, 2, 200]),
        ("DOUBLE", "INT64", [NAN, -0.5, 2.0**52 + 0.5], [0, 0, 2**52]),
        ("FLOAT8_E5M2", "FLOAT16", [NAN, INF, -1.5], [NAN, INF, -1.5]),
        ("FLOAT", "FLOAT16", [NAN, INF, 65519.996], [NAN, INF, 65504]),
        ("DOUBLE", "BF16", [1 + 2.0**-8 + 2.0**-40], [1 + 2.0**-7]),
        ("FLOAT16", "BOOL", [NAN, 0, -0.0, 0.5], [True, False, False, True]),
        ("INT64", "UINT64", [WIDE, 0], [WIDE, 0]),
        ("COMPLEX64", "BOOL", [1j, 0, 2], [True, False, True]),
        ("COMPLEX128", "INT8", [complex(NAN, 1), complex(3.5, NAN)], [0, 3]),
        ("COMPLEX64", "FLOAT", [1 + 2j, complex(NAN, 1)], [1, NAN]),
        ("INT32", "COMPLEX64", [3, -1], [3, -1]),
    ],
)
def test_cast(source: str, target: str, values: list[Any], expected: list[Any]) -> None:
    np.testing.assert_array_equal(cast(source, target, values), expected)


def test_cast_to_a_dtype_that_the_output_has_not() -> None:
    assert cast("FLOAT", "INT32", [2.75, NAN], out="FLOAT") == [2, 0]


@pytest.mark.parametrize(
    ("diagonal", "lower", "upper"),
    [
        (0, [[1, 0, 0], [4, 5, 0]], [[1, 2, 3], [0, 5, 6]]),
        (1, [[1, 2, 0], [4, 5, 6]], [[0, 2, 3], [0, 0, 6]]),
        (-1, [[0, 0, 0], [4, 0, 0]], [[1, 2, 3], [4, 5, 6]]),
        (2**63 - 1, [[1, 2, 3], [4, 5, 6]], [[0, 0, 0], [0, 0, 0]]),
        (-(2**63), [[0, 0, 0], [0, 0, 0]], [[1, 2, 3], [4, 5, 6]]),
    ],
)
@pytest.mark.parametrize("dtype", ["INT64", "BF16", "COMPLEX64"])
def test_triangles(dtype: str, diagonal: int, lower: list[Any], upper: list[Any]) -> None:
    matrix = np.array([[1, 2, 3], [4, 5, 6]], DType[dtype].numpy)
    for kernel, expected in ((copying.lower_triangle, lower), (copying.upper_triangle, upper)):
        out = np.full_like(matrix, 9)
        kernel(matrix, diagonal, out, {"operand": DType[dtype]})
        np.testing.assert_array_equal(out.astype(np.complex64), expected)


def test_a_triangle_drops_nan() -> None:
    out = np.ones((2, 2))
    copying.lower_triangle(np.full((2, 2), NAN), 0, out, {"operand": DType.DOUBLE})
    np.testing.assert_array_equal(out, [[NAN, 0], [NAN, NAN]])


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [("INT64", WIDE, WIDE), ("UINT64", 2**63 + 1, 2**63 + 1), ("FLOAT", 1 + 2j, 1), ("COMPLEX64", 1 + 2j, 1 + 2j)],
)
def test_fill(dtype: str, value: complex, expected: complex) -> None:
    target = np.zeros((2, 2), DType[dtype].numpy)
    copying.fill(target, value, {"result": DType[dtype]})
    assert target.tolist() == [[expected, expected], [expected, expected]]


@pytest.mark.parametrize(
    ("dtype", "lower", "upper", "values", "expected"),
    [
        ("FLOAT", 0, 1, [NAN, INF, -INF], [NAN, 1, 0]),
        ("FLOAT", 5, 2, [1, 3, 7, NAN], [5, 5, 5, NAN]),
        ("BF16", -INF, 0.1, [1, -INF, NAN], [0.10009765625, -INF, NAN]),
        ("UINT8", -1, 300, [0, 7, 255], [0, 7, 255]),
        ("INT8", -1.5, 2.5, [-128, 0, 127], [-1, 0, 2]),
        ("INT16", -INF, INF, [-(2**15), 2**15 - 1], [-(2**15), 2**15 - 1]),
        ("INT64", -WIDE, WIDE, [-WIDE - 1, WIDE + 1], [-WIDE, WIDE]),
        ("INT32", None, True, [-5, 5], [-5, 1]),
        ("INT32", 2 + 1j, None, [-5, 5], [2, 5]),
    ],
)
def test_clamp(dtype: str, lower: Any, upper: Any, values: list[Any], expected: list[Any]) -> None:
    array = np.array(values, DType[dtype].numpy)
    out = np.zeros_like(array)
    elementwise.clamp(array, lower, upper, out, {"operand": DType[dtype], "accumulate": DType[dtype]})
    np.testing.assert_array_equal(out.tolist(), expected)


@pytest.mark.parametrize("dim", [0, 1])
def test_an_array_without_elements_and_of_another_rank_adds_nothing(dim: int) -> None:
    out = np.zeros((2, 3), np.float32)
    copying.concatenate((np.zeros(0, np.float32), np.ones((2, 3), np.float32)), dim, out, {"operand": DType.FLOAT})
    assert (out == 1).all()


def test_what_is_concatenated_is_rounded_to_the_dtype_of_all() -> None:
    out = np.zeros(2, np.float32)
    copying.concatenate((np.array([2049]), np.array([1], np.float16)), 0, out, {"operand": DType.FLOAT16})
    assert out.tolist() == [2048, 1]
