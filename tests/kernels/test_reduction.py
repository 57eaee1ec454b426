"""Reductions where random numbers say too little: integers, sums that are rounded twice, NaN, near numbers."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import reduction

NAN = np.nan
BF16 = ml_dtypes.bfloat16


def precision(operand: str, wide: str | None = None, result: str | None = None) -> dict[str, DType]:
    """The roles of a kernel."""
    return {"operand": DType[operand], "accumulate": DType[wide or operand], "result": DType[result or operand]}


@pytest.mark.parametrize(
    ("values", "wanted"), [([7, 4], 5), ([-7, -4], -5), ([1, -2], 0), ([], 0), ([2**62, 2**62 - 1], 2**62 - 1)]
)
def test_the_mean_of_integers_is_an_integer(values: list[int], wanted: int) -> None:
    out = np.full((), 3, np.int64)
    reduction.mean(np.array(values, np.int64), [], False, DType.INT64, out, precision("INT64"))
    assert out == wanted


def test_a_mean_is_rounded_to_the_result_first() -> None:
    # 1 + 2**-12 is no number of FLOAT16.
    out = np.zeros((), np.float32)
    values = np.array([1, 1 + 2.0**-11], np.float32)
    reduction.mean(values, [], False, DType.FLOAT, out, precision("FLOAT", result="FLOAT16"))
    assert out == 1


# In FLOAT it is halfway between two numbers of BF16, of which the lower is even; exactly, it is a little above.
_TERMS = np.array([1, 2.0**-8, 2.0**-40], np.float32)
_FACTORS = np.array([1 + 2.0**-8 + 2.0**-23, 1 - 2.0**-24, 1], np.float32)


def test_sums_and_products_are_rounded_to_float_first() -> None:
    roles, out = precision("FLOAT"), np.zeros((), BF16)
    assert _TERMS.sum(dtype=np.float64) > 1 + 2.0**-8
    reduction.reduce_sum(_TERMS, [], False, DType.BF16, out, roles)
    assert out == 1
    assert _FACTORS.prod(dtype=np.float64) > 1 + 2.0**-8
    reduction.product(_FACTORS, 0, False, DType.BF16, out, roles)
    assert out == 1
    reduction.norm(_TERMS, 1, [], False, out, roles)
    assert out == 1
    values = np.array([0, float.fromhex("0x1.82149p+0")], np.float32)
    assert np.std(values, dtype=np.float64, ddof=1) > 1.0625 + 2.0**-8
    reduction.deviation(values, [], 1, False, out, {**roles, "result": DType.BF16})
    assert out == 1.0625
    running = np.zeros(3, BF16)
    reduction.running_sum(_TERMS, 0, DType.BF16, running, roles)
    assert running[2] == 1
    reduction.running_product(_FACTORS, 0, DType.BF16, running, roles)
    assert running[2] == 1


def test_long_sums_run_in_double() -> None:
    values = np.array([2.0**24, 1, 1, 1, 1], np.float32)
    out = np.zeros((), np.float32)
    reduction.reduce_sum(values, [], False, DType.FLOAT, out, precision("FLOAT"))
    assert out == 2**24 + 4
    reduction.norm(np.array([2.0**70, 2.0**70], np.float32), 2, [], False, out, precision("FLOAT"))
    assert out == np.float32(2.0**70.5)


def test_extremes_of_nan_and_of_large_numbers() -> None:
    out, place = np.zeros((), BF16), np.zeros((), np.int64)
    reduction.largest(np.array([1, NAN, 2], BF16), [], False, out, {})
    assert np.isnan(out)
    reduction.place_of_largest(np.array([1e38, 2e38, 1e38], BF16), 0, False, place, {})
    assert place == 1


def test_the_largest_is_that_of_the_rounded_numbers() -> None:
    out, place = np.zeros((), np.int64), np.zeros((), np.int64)
    roles = {"operand": DType.FLOAT}
    reduction.largest_and_place(np.array([2**24, 2**24 + 1], np.int64), 0, False, out, place, roles)
    assert (int(out), int(place)) == (2**24, 0)


def test_a_complex_number_loses_its_imaginary_part_in_a_real_sum() -> None:
    out = np.zeros((), np.float32)
    reduction.reduce_sum(np.array([1 + 2j, 3 - 1j], np.complex64), [], False, DType.FLOAT, out, precision("FLOAT"))
    assert out == 4
