"""Functions of each element where their formulas say too little: infinities, NaN, wide integers, complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import activation_gradients, elementwise, leaky_relu, normal

NAN, INF = np.nan, np.inf


def computed(kernel: Any, dtype: str, *arrays: list[Any], wide: str | None = None, out: str | None = None) -> list[Any]:
    """What a kernel writes for arrays of one dtype."""
    precision = {"operand": DType[dtype], "accumulate": DType[wide or dtype]}
    inputs = [np.array(one, DType[dtype].numpy) for one in arrays]
    target = np.zeros(inputs[0].shape, DType[out or dtype].numpy)
    kernel(*inputs, target, precision)
    found: list[Any] = target.tolist()
    return found


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (elementwise.absolute, [NAN, INF, INF, 0]),
        (elementwise.relu, [NAN, INF, 0, 0]),
        (elementwise.sign, [0, 1, -1, 0]),
        (elementwise.exp, [NAN, INF, 0, 1]),
        (elementwise.log, [NAN, INF, NAN, -INF]),
        (elementwise.rsqrt, [NAN, 0, NAN, -INF]),
        (elementwise.reciprocal, [NAN, 0, 0, -INF]),
        (elementwise.sigmoid, [NAN, 1, 0, 0.5]),
        (elementwise.silu, [NAN, INF, NAN, 0]),
        (elementwise.hardswish, [NAN, INF, 0, 0]),
        (elementwise.erf, [NAN, 1, -1, 0]),
        (elementwise.floor, [NAN, INF, -INF, 0]),
        (elementwise.round_half_even, [NAN, INF, -INF, 0]),
    ],
)
def test_special_numbers(kernel: Any, expected: list[float]) -> None:
    found = computed(kernel, "FLOAT", [NAN, INF, -INF, -0.0], wide="DOUBLE")
    np.testing.assert_array_equal(found, expected)


def test_the_product_of_zero_and_an_infinite_slope_is_no_number() -> None:
    def kernel(x: Any, out: Any, precision: Any) -> None:
        leaky_relu.leaky_relu(x, INF, out, precision)

    assert np.isnan(computed(kernel, "FLOAT", [0.0, -0.0])).all()


def test_finite() -> None:
    assert computed(elementwise.is_finite, "FLOAT16", [NAN, INF, -INF, 65504], out="BOOL") == [
        False,
        False,
        False,
        True,
    ]
    assert computed(elementwise.is_finite, "INT32", [0, -1], out="BOOL") == [True, True]


def test_not() -> None:
    assert computed(elementwise.logical_not, "BF16", [NAN, 0.0, -0.0, 2], out="BOOL") == [False, True, True, False]
    assert computed(elementwise.bitwise_not, "BOOL", [True, False]) == [False, True]
    assert computed(elementwise.bitwise_not, "UINT8", [0, 200]) == [255, 55]


def test_integers_are_exact() -> None:
    wide = 2**62 + 1
    assert computed(elementwise.absolute, "INT64", [-wide, -(2**63)]) == [wide, -(2**63)]
    assert computed(elementwise.negative, "INT64", [wide, -(2**63)]) == [-wide, -(2**63)]
    assert computed(elementwise.floor, "UINT64", [2**63 + 1]) == [2**63 + 1]
    assert computed(elementwise.round_half_even, "INT64", [wide]) == [wide]


def test_complex_numbers() -> None:
    assert computed(elementwise.absolute, "COMPLEX64", [3 - 4j], wide="COMPLEX128", out="FLOAT") == [5]
    assert computed(elementwise.sign, "COMPLEX128", [0, 4j]) == [0, 1j]
    assert computed(elementwise.reciprocal, "COMPLEX64", [2j, 2], wide="COMPLEX128", out="FLOAT") == [0, 0.5]


def test_tails_of_gelu_do_not_cancel() -> None:
    x = np.array([-6.0, -10.0])
    np.testing.assert_allclose(normal.gelu(x), [-6 * 9.865876450376981e-10, -10 * 7.61985302416053e-24], rtol=1e-9)
    np.testing.assert_allclose(
        normal.gelu_by_tanh(x), x * np.exp(1.5957691216057308 * (x + 0.044715 * x**3)), rtol=1e-9
    )


def test_gradients_of_nan() -> None:
    gradient = [1.0, 1.0]
    for kernel in (activation_gradients.silu, activation_gradients.gelu, activation_gradients.hardswish):
        assert np.isnan(computed(kernel, "FLOAT", gradient, [NAN, 0], wide="DOUBLE")[0])


def test_threshold_is_compared_exactly() -> None:
    def kernel(gradient: Any, x: Any, out: Any, precision: Any) -> None:
        activation_gradients.threshold(gradient, x, 2.0**24, out, precision)

    assert computed(kernel, "INT32", [7, 7], [2**24 + 1, 2**24]) == [7, 0]
