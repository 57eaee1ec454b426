"""Kernels with two operands where their formulas say too little: BOOL, integers that overflow, zero divisors, NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import binary

NAN, INF = np.nan, np.inf


def computed(kernel: Any, dtype: str, *operands: Any, wide: str | None = None, out: str | None = None) -> list[Any]:
    """What a kernel writes for operands of one dtype, which are lists, beside numbers."""
    kind = DType[dtype]
    precision = {"operand": kind, "accumulate": DType[wide or dtype], "result": DType[out or dtype]}
    arrays = [np.array(one, kind.numpy) if isinstance(one, list) else one for one in operands]
    shape = np.broadcast_shapes(*(one.shape for one in arrays if isinstance(one, np.ndarray)))
    target = np.zeros(shape, DType[out or dtype].numpy)
    kernel(*arrays, target, precision)
    found: list[Any] = target.tolist()
    return found


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (binary.multiply, [0, 0, 0, 1]),
        (binary.maximum, [0, 1, 1, 1]),
        (binary.minimum, [0, 0, 0, 1]),
        (binary.logical_and, [0, 0, 0, 1]),
        (binary.logical_or, [0, 1, 1, 1]),
        (binary.bitwise_and, [0, 0, 0, 1]),
        (binary.bitwise_or, [0, 1, 1, 1]),
        (binary.greater, [0, 0, 1, 0]),
    ],
)
def test_bool(kernel: Any, expected: list[int]) -> None:
    assert computed(kernel, "BOOL", [0, 0, 1, 1], [0, 1, 0, 1]) == expected


def test_sums_and_differences_of_bool() -> None:
    assert computed(binary.add, "BOOL", [0, 0, 1, 1], [0, 1, 0, 1], True) == [0, 1, 1, 1]
    assert computed(binary.add, "BOOL", [0, 0, 1, 1], [0, 1, 0, 1], False) == [0, 0, 1, 1]
    assert computed(binary.subtract, "BOOL", [0, 0, 1, 1], [0, 1, 0, 1], True) == [0, 1, 1, 0]


def test_integers_wrap_around() -> None:
    assert computed(binary.add, "INT8", [127, -128], [1, -1], 1) == [-128, 127]
    assert computed(binary.subtract, "UINT8", [0, 5], [1, 3], 2) == [254, 255]
    assert computed(binary.multiply, "INT32", [2**30], [4]) == [0]
    assert computed(binary.power, "INT8", [2, -2], [7, 7]) == [-128, -128]


def test_zero_divisors() -> None:
    quotients = computed(binary.divide, "INT32", [1, -1, 0], [0, 0, 0], wide="FLOAT", out="FLOAT")
    assert quotients[:2] == [INF, -INF]
    assert np.isnan(quotients[2])
    assert computed(binary.divide_rounded, "INT32", [7, -7], [0, 0], 1) == [0, 0]
    assert computed(binary.divide_rounded, "FLOAT", [INF, -1.0], [2.0, 0.0], 1) == [INF, -INF]
    assert computed(binary.remainder, "INT32", [7, -7], [0, 0]) == [7, -7]
    assert np.isnan(computed(binary.remainder, "FLOAT", [7.0], [0.0])).all()


@pytest.mark.parametrize("dtype", ["FLOAT", "INT64"])
def test_rounded_quotients(dtype: str) -> None:
    x, y = [7, -7, 7, -7, 6, -1], [2, 2, -2, -2, -3, 2]
    assert computed(binary.divide_rounded, dtype, x, y, 1) == [3, -3, -3, 3, -2, 0]
    assert computed(binary.divide_rounded, dtype, x, y, 2) == [3, -4, -4, 3, -2, -1]
    assert computed(binary.remainder, dtype, x, y) == [1, 1, -1, -1, 0, 1]


def test_negative_powers_of_integers() -> None:
    assert computed(binary.power, "INT32", [1, -1, -1, 2, -3], [-2, -2, -3, -1, -1]) == [1, 1, -1, 0, 0]


def test_nan() -> None:
    for kernel in (binary.maximum, binary.minimum):
        assert np.isnan(computed(kernel, "FLOAT", [NAN, 1.0], [1.0, NAN])).all()
    assert computed(binary.equal, "FLOAT", [NAN], [NAN], out="BOOL") == [False]
    assert computed(binary.not_equal, "FLOAT", [NAN], [NAN], out="BOOL") == [True]
    assert computed(binary.logical_and, "FLOAT", [NAN], [NAN], out="BOOL") == [True]


def test_sixteen_bits_are_computed_in_float_and_rounded_once() -> None:
    # 1 + 2**-8 is no number of BF16; its half is rounded away only at the end.
    assert computed(binary.add, "BF16", [1.0], [2.0**-8], 3, wide="FLOAT") == [1 + 2.0**-6]


def test_what_is_in_place() -> None:
    target = np.array([[1, 2], [3, 4]], np.float32)
    precision = {"operand": DType.FLOAT, "accumulate": DType.FLOAT, "result": DType.FLOAT}
    binary.inplace_subtract(target, target[:, :1].copy(), 2, precision)
    assert target.tolist() == [[-1, 0], [-3, -2]]


def test_a_complex_result_loses_its_imaginary_part_in_a_real_output() -> None:
    target = np.zeros(1, np.float32)
    precision = {"operand": DType.COMPLEX64, "accumulate": DType.COMPLEX64, "result": DType.COMPLEX64}
    binary.multiply(np.array([1 + 2j], np.complex64), np.array([3 + 1j], np.complex64), target, precision)
    assert target.tolist() == [1]


@pytest.mark.parametrize("dtype", ["INT8", "UINT8", "INT16", "INT64"])
@pytest.mark.parametrize("left", [True, False])
def test_integers_are_shifted_as_python_shifts_them(dtype: str, left: bool) -> None:
    kind = np.dtype(DType[dtype].numpy)
    bits, low = 8 * kind.itemsize, 0 if kind.kind == "u" else -5
    numbers = [one for one in (low, 0, 1, 7, 100) for _ in range(4)]
    shifts = [0, 3, bits - 1, bits] * 5
    found = computed(binary.shift_left if left else binary.shift_right, dtype, numbers, shifts)
    mask = 2**bits - 1
    wanted = [np.array((x << y) & mask if left else (x >> y) & mask) for x, y in zip(numbers, shifts, strict=True)]
    assert found == [int(one.astype(f"u{kind.itemsize}").view(kind)) for one in wanted]


def test_a_negative_shift_moves_nothing_right_and_everything_left() -> None:
    assert computed(binary.shift_right, "INT32", [5, -5], [-1, -40]) == [5, -5]
    assert computed(binary.shift_left, "INT32", [5, -5], [-1, -40]) == [0, 0]
