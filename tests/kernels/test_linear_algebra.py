"""Decompositions and triangular systems: the factors multiply back, in every layout and for stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import linear_algebra

Array = np.ndarray[Any, np.dtype[Any]]
DTYPES = {
    np.float32: {"operand": DType.FLOAT, "accumulate": DType.DOUBLE, "result": DType.FLOAT},
    np.float64: {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE, "result": DType.DOUBLE},
    np.complex64: {"operand": DType.COMPLEX64, "accumulate": DType.COMPLEX128, "result": DType.COMPLEX64},
    np.complex128: {"operand": DType.COMPLEX128, "accumulate": DType.COMPLEX128, "result": DType.COMPLEX128},
}
SHAPES = [(1, 1), (3, 3), (2, 4), (4, 2), (2, 3, 2), (2, 1, 3, 5), (0, 2, 2)]
every_dtype = pytest.mark.parametrize("dtype", list(DTYPES))


def random(shape: tuple[int, ...], dtype: Any, seed: int = 1) -> Array:
    """Random numbers, with imaginary parts where the dtype has them, in an array whose first axis varies fastest."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return np.asfortranarray(numbers.astype(dtype))


def adjoint(matrix: Array) -> Array:
    """The matrix transposed and conjugated."""
    return matrix.conj().swapaxes(-1, -2)


def close(found: Array, expected: Array, dtype: Any) -> None:
    """Assert that two arrays differ by some roundings of a dtype at most, as a part of the largest number."""
    scale = max(1.0, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=float(32 * np.finfo(dtype).eps * scale))


@every_dtype
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values_and_vectors_multiply_back(shape: tuple[int, ...], full: bool, dtype: Any) -> None:
    *batch, m, n = shape
    k = min(m, n)
    x, sigma = random(shape, dtype), np.empty((*batch, k), dtype)
    u = np.empty((*batch, m, m if full else k), dtype)
    v = np.empty((*batch, n, n if full else k), dtype)
    linear_algebra.singular_values(x, full, True, sigma, u, v, DTYPES[dtype])
    close((u[..., :k] * sigma[..., None, :]) @ adjoint(v[..., :k]), x, dtype)
    for one in (u, v):
        close(adjoint(one) @ one, np.broadcast_to(np.eye(one.shape[-1]), (*batch, *one.shape[-1:] * 2)), dtype)
    assert (sigma.real >= 0).all()
    assert (np.diff(sigma.real, axis=-1) <= 0).all()


@every_dtype
def test_singular_values_alone_are_the_same_and_leave_the_vectors(dtype: Any) -> None:
    x, sigma, alone = random((2, 3, 4), dtype), np.empty((2, 3), dtype), np.empty((2, 3), dtype)
    u, v, kept = np.empty((2, 3, 3), dtype), np.empty((2, 4, 3), dtype), np.full(1, 7, dtype)
    linear_algebra.singular_values(x, False, True, sigma, u, v, DTYPES[dtype])
    linear_algebra.singular_values(x, False, False, alone, kept, kept, DTYPES[dtype])
    close(alone, sigma, dtype)
    assert kept[0] == 7


@every_dtype
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_orthonormal_columns_and_a_triangle_multiply_back(shape: tuple[int, ...], mode: int, dtype: Any) -> None:
    *batch, m, n = shape
    rows = m if mode == 1 else min(m, n)
    x, r = random(shape, dtype), np.full((*batch, rows, n), 7, dtype)
    q = np.full(0 if mode == 2 else (*batch, m, rows), 7, dtype)
    linear_algebra.orthogonal_triangular(x, mode, q, r, DTYPES[dtype])
    assert (np.tril(r, -1) == 0).all()
    close(adjoint(r) @ r, adjoint(x) @ x, dtype)
    if mode != 2:
        close(q @ r, x, dtype)
        close(adjoint(q) @ q, np.broadcast_to(np.eye(rows), (*batch, rows, rows)), dtype)


@every_dtype
@pytest.mark.parametrize(("upper", "transposed"), [(True, False), (False, False), (True, True), (False, True)])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize(("left", "right"), [((), ()), ((2,), ()), ((), (3,)), ((2, 1), (1, 3))])
def test_solutions_of_triangular_systems_multiply_back(
    left: tuple[int, ...], right: tuple[int, ...], unit: bool, upper: bool, transposed: bool, dtype: Any
) -> None:
    a, b = random((*left, 4, 4), dtype), random((*right, 4, 2), dtype, 2)
    a[..., range(4), range(4)] += 4
    batch = np.broadcast_shapes(left, right)
    x, copy = np.full((*batch, 4, 2), 7, dtype), np.full((*batch, 4, 4), 7, dtype)
    linear_algebra.solve_triangular(b, a, upper, transposed, unit, x, copy, DTYPES[dtype])
    triangle = np.triu(a) if upper else np.tril(a)
    if unit:
        triangle[..., range(4), range(4)] = 1
    product = (triangle.swapaxes(-1, -2) if transposed else triangle) @ x
    bound = 64 * np.finfo(dtype).eps * max(1.0, float(np.abs(x).max()) * float(np.abs(a).max()))
    np.testing.assert_allclose(product, np.broadcast_to(b, product.shape), rtol=0, atol=float(bound))
    assert (copy == a).all()


def test_the_other_triangle_is_not_read_and_a_zero_divides() -> None:
    a, b = np.array([[2, np.nan], [4, 0]], np.float32), np.array([[2], [4]], np.float32)
    x = np.empty((2, 1), np.float32)
    linear_algebra.solve_triangular(b, a, False, False, True, x, None, DTYPES[np.float32])
    assert x.tolist() == [[2], [-4]]
    linear_algebra.solve_triangular(b + 4, a, False, False, False, x, None, DTYPES[np.float32])
    assert x.tolist() == [[3], [-np.inf]]


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_one_matrix_that_is_not_finite_spoils_no_other(number: float) -> None:
    x = random((2, 2, 2), np.float32)
    x[0, 1, 0] = number
    sigma, u, v = (np.empty(shape, np.float32) for shape in ((2, 2), (2, 2, 2), (2, 2, 2)))
    linear_algebra.singular_values(x, False, True, sigma, u, v, DTYPES[np.float32])
    for one in (sigma, u, v):
        assert np.isnan(one[0]).all()
        assert np.isfinite(one[1]).all()
    linear_algebra.singular_values(x, False, False, sigma, u, v, DTYPES[np.float32])
    assert np.isnan(sigma).tolist() == [[True, True], [False, False]]
    linear_algebra.orthogonal_triangular(x, 0, u, v, DTYPES[np.float32])
    for one in (u, v):
        assert np.isnan(one[0]).all()
        assert np.isfinite(one[1]).all()


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 3, 3)])
def test_cholesky_multiplies_back_and_reads_one_triangle(shape: tuple[int, ...], upper: bool) -> None:
    factor = random(shape, np.float64)
    matrix = factor @ factor.swapaxes(-1, -2) + np.eye(shape[-1])
    given = (
        np.triu(matrix) + np.tril(np.full(shape, np.nan), -1)
        if upper
        else np.tril(matrix) + np.triu(np.full(shape, np.nan), 1)
    )
    out = np.ones(shape)
    linear_algebra.cholesky(given, upper, out, DTYPES[np.float64])
    np.testing.assert_array_equal(out, np.triu(out) if upper else np.tril(out))
    close(out.swapaxes(-1, -2) @ out if upper else out @ out.swapaxes(-1, -2), matrix, np.float64)
    assert (np.diagonal(out, axis1=-2, axis2=-1) > 0).all()


def test_cholesky_of_an_indefinite_matrix_is_nan_from_its_pivot_on() -> None:
    out = np.zeros((3, 3))
    linear_algebra.cholesky(np.array([[4.0, 0, 0], [2, 1, 0], [6, 0, 9]]), False, out, DTYPES[np.float64])
    assert out[:, 0].tolist() == [2, 1, 3]
    assert np.isnan([out[1, 1], out[2, 1], out[2, 2]]).all()
