"""Complex numbers made of parts and of polar coordinates, and their angles, against the standard library."""

from __future__ import annotations

import cmath
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import complex_numbers

ROLES: dict[str, Any] = {"operand": DType.FLOAT}


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_parts_stay_apart_in_every_layout(dtype: Any) -> None:
    real, imaginary = np.array([[1.5], [-np.inf], [np.nan]]), np.array([0.25, np.inf])
    out = np.zeros((2, 3), dtype).T
    complex_numbers.of_parts(real, imaginary, out, ROLES)
    np.testing.assert_array_equal(out.real, np.broadcast_to(real, (3, 2)))
    np.testing.assert_array_equal(out.imag, np.broadcast_to(imaginary, (3, 2)))


def test_polar_coordinates() -> None:
    radius, angle = np.array([[2.0], [0.5]], np.float32), np.array([0.0, 0.75, -3.0], np.float32)
    out = np.zeros((2, 3), np.complex64)
    complex_numbers.of_polar(radius, angle, out, ROLES)
    wanted = [[cmath.rect(float(r), float(phi)) for phi in angle] for r in radius[:, 0]]
    np.testing.assert_allclose(out, np.array(wanted), 1e-7)
    complex_numbers.of_polar(radius, np.full(3, np.inf, np.float32), out, ROLES)
    assert np.isnan(out.real).all()
    assert np.isnan(out.imag).all()


def test_coordinates_are_rounded_once() -> None:
    rng = np.random.default_rng(2)
    radius, angle = rng.standard_normal((2, 500)).astype(np.float32)
    out = np.zeros(500, np.complex64)
    complex_numbers.of_polar(radius, angle, out, ROLES)
    wanted = [cmath.rect(float(r), float(phi)) for r, phi in zip(radius, angle, strict=True)]
    np.testing.assert_array_equal(out, np.array(wanted).astype(np.complex64))
    turned = np.zeros(500, np.float32)
    complex_numbers.angle(out, turned, ROLES)
    np.testing.assert_array_equal(turned, np.array([cmath.phase(complex(one)) for one in out], np.float32))


def test_angles_of_complex_numbers() -> None:
    numbers = np.array([1 + 1j, -2j, -1, 3 - 4j, 0], np.complex64)
    out = np.zeros(5, np.float32)
    complex_numbers.angle(numbers, out, ROLES)
    np.testing.assert_allclose(out, [cmath.phase(complex(one)) for one in numbers], 1e-7)


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8, np.bool_])
def test_angles_of_real_numbers(dtype: Any) -> None:
    numbers = np.array([0, 1, -3 if dtype is not np.bool_ else 1], dtype)
    out = np.ones(3, np.float32)
    complex_numbers.angle(numbers, out, ROLES)
    assert out.tolist() == [0, 0, 0 if dtype is np.bool_ else np.float32(math.pi)]


def test_the_angle_of_nan_is_nan_and_of_minus_zero_zero() -> None:
    out = np.zeros(2, np.float64)
    complex_numbers.angle(np.array([np.nan, -0.0]), out, ROLES)
    assert np.isnan(out[0])
    assert out[1] == 0
