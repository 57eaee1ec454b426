"""Rounding of operands, by bits, against arithmetic in float64 and against every value of the narrow types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.kernels.rounding import Arithmetic, round_to
from tests.support.numerics import operands

NARROW = [DType.FLOAT16, DType.BF16, DType.HFLOAT32]


@pytest.mark.parametrize("dtype", NARROW)
def test_normal_numbers(dtype: DType) -> None:
    rng = np.random.default_rng(1)
    values = (rng.standard_normal(20_000) * np.exp2(rng.integers(-3, 12, 20_000))).astype(np.float32)
    rounded = round_to(values, dtype)
    assert rounded.dtype == dtype.numpy
    assert np.array_equal(rounded.astype(np.float64), operands(values, dtype))
    normal = np.abs(values) >= 2.0**-14  # below, float16 has fewer bits
    error = np.abs(rounded.astype(np.float64) - values)
    assert np.all((error <= unit_roundoff(dtype) * np.abs(values))[normal])


def test_hfloat32_goes_to_even() -> None:
    one, step = 1.0, 2.0**-11
    halves = np.array([one + step / 2, one + 3 * step / 2, one + step / 2 + 2.0**-23, -one - step / 2], np.float32)
    assert round_to(halves, DType.HFLOAT32).tolist() == [one, one + 2 * step, one + step, -one]


def test_hfloat32_keeps_what_is_no_normal_number() -> None:
    bits = np.array([0x7F800001, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, 0xFF800000, 0, 0x80000000], np.uint32)
    rounded = round_to(bits.view(np.float32), DType.HFLOAT32)
    assert np.array_equal(rounded.view(np.uint32)[3:], bits[3:])
    assert np.isnan(rounded[:3]).all()


def test_hfloat32_carries_into_infinity() -> None:
    largest = np.array([0x7F7FFFFF, 0x7F7FF000], np.uint32).view(np.float32)
    assert round_to(largest, DType.HFLOAT32).tolist() == [np.inf, largest[1]]


@pytest.mark.parametrize("dtype", NARROW)
def test_every_value_stays_itself(dtype: DType) -> None:
    kind = np.float16 if dtype is DType.FLOAT16 else ml_dtypes.bfloat16
    values = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float32)
    rounded = round_to(values, dtype)
    assert np.array_equal(rounded.astype(np.float32), values, equal_nan=True)


def test_float16_overflows_to_infinity() -> None:
    values = np.array([65504, 65519, 65520, -1e30, np.nan, np.inf], np.float32)
    rounded = round_to(values, DType.FLOAT16)
    assert rounded[[0, 1, 2, 3, 5]].tolist() == [65504, 65504, np.inf, -np.inf, np.inf]
    assert np.isnan(rounded[4])


def test_integers_and_any_strides() -> None:
    assert round_to(np.array([[4097, 4099]], np.int32).T, DType.HFLOAT32).tolist() == [[4096], [4100]]


def test_an_operand_that_is_one_already_is_not_copied() -> None:
    arithmetic = Arithmetic.of({"operand": DType.FLOAT, "accumulate": DType.FLOAT})
    values = np.ones((3, 4), np.float32)
    assert arithmetic.read(values) is values
    assert arithmetic.reads_as_is(values)
    assert not arithmetic.reads_as_is(values.astype(np.float16))
    assert arithmetic.read(values.T).flags.c_contiguous


def test_result_is_rounded_before_the_output() -> None:
    arithmetic = Arithmetic.of({"operand": DType.FLOAT16, "accumulate": DType.FLOAT, "result": DType.FLOAT16})
    out = np.empty(2, np.float32)
    arithmetic.write(out, np.array([24964, 70000], np.float32))
    assert out.tolist() == [24960, np.inf]


def test_a_role_is_a_dtype() -> None:
    with pytest.raises(AssertionError, match=r"The role operand \(FLOAT\) is not a dtype"):
        Arithmetic.of({"operand": "FLOAT", "accumulate": DType.FLOAT})


def test_a_sum_in_a_wider_type_is_rounded_to_that_of_sums_first() -> None:
    value, out = np.array([1 + 2.0**-8 + 2.0**-40]), np.zeros(1, ml_dtypes.bfloat16)
    Arithmetic(DType.FLOAT, np.dtype(np.float32), None).write(out, value)
    assert out == 1
    Arithmetic(DType.FLOAT, np.dtype(np.float64), None).write(out, value)
    assert out == 1 + 2.0**-7
