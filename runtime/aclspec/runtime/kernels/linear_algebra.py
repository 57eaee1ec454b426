"""Decompositions of matrices, and systems of equations with triangular ones."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def solve_triangular(
    right: Array,
    matrix: Array,
    upper: bool,
    transposed: bool,
    unit: bool,
    solution: Array,
    copy: Array | None,
    precision: Precision,
) -> None:
    """Solve ``T @ solution = right`` by substitution, and copy the matrix; T is a triangle of it.

    - Shapes: matrix (..., m, m), right (..., m, n), solution (..., m, n), the leading axes broadcasting; copy is the
      matrix with the leading axes of the solution.
    - Precision: sums run in ``accumulate`` and are rounded to the output. The other triangle is not read, nor the
      diagonal where it is taken to be 1. A zero on the diagonal divides.
    - Extra memory: the matrix and the solution in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    if copy is not None:
        copy[...] = matrix
    a, x = arithmetic.read(matrix), np.empty(solution.shape, arithmetic.accumulate)
    x[...] = arithmetic.read(right)
    a, downwards = (a.swapaxes(-1, -2), upper) if transposed else (a, not upper)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for row in range(x.shape[-2])[:: 1 if downwards else -1]:
            known = slice(0, row) if downwards else slice(row + 1, None)
            x[..., row, :] -= (a[..., row : row + 1, known] @ x[..., known, :])[..., 0, :]
            if not unit:
                x[..., row, :] /= a[..., row, row, None]
    arithmetic.write(solution, x)


def cholesky(matrix: Array, upper: bool, out: Array, precision: Precision) -> None:
    """Write the triangle whose product with its transpose is the matrix, and 0 in the other one.

    - Shapes: matrix and out (..., n, n). The other triangle of the matrix is not read.
    - Precision: sums run in ``accumulate`` and are rounded to ``result``. From the first pivot on that is not above 0
      rows are NaN.
    - Extra memory: the matrix and the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    a = arithmetic.read(matrix.swapaxes(-1, -2) if upper else matrix)
    lower = np.zeros_like(a)
    with np.errstate(all="ignore"):  # a pivot that is not above 0 gives NaN here, not by accident
        for k in range(a.shape[-1]):
            done = lower[..., k:, :k]
            rest = a[..., k:, k] - (done @ lower[..., k, :k, None])[..., 0]
            pivot = np.sqrt(np.where(rest[..., :1] > 0, rest[..., :1], np.nan))
            lower[..., k:, k] = rest / pivot
            lower[..., k, k] = pivot[..., 0]
        arithmetic.write(out, lower.swapaxes(-1, -2) if upper else lower)


def singular_values(
    matrix: Array,
    full: bool,
    with_vectors: bool,
    values: Array,
    left: Array,
    right: Array,
    precision: Precision,
) -> None:
    """Write the singular values in descending order, and where asked for the singular vectors in columns.

    - Shapes: matrix (..., m, n), values (..., k) with the smaller k of both; left (..., m, k) and right (..., n, k),
      or square ones where full.
    - Precision: the decomposition runs in ``accumulate`` and is rounded once. A matrix with a number that is not
      finite gives NaN throughout.
    - Extra memory: the matrix and all outputs in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    given, lost = _finite(arithmetic.read(matrix))
    if not with_vectors:
        arithmetic.write(values, np.where(lost[..., None], np.nan, np.linalg.svd(given, compute_uv=False)))
        return
    u, sigma, vh = np.linalg.svd(given, full_matrices=full)
    arithmetic.write(values, np.where(lost[..., None], np.nan, sigma))
    arithmetic.write(left, np.where(lost[..., None, None], np.nan, u))
    arithmetic.write(right, np.where(lost[..., None, None], np.nan, vh.conj().swapaxes(-1, -2)))


def orthogonal_triangular(matrix: Array, mode: int, columns: Array, triangle: Array, precision: Precision) -> None:
    """Write orthonormal columns and an upper triangle whose product is the matrix; with mode 2 the triangle alone.

    - Shapes: matrix (..., m, n), columns (..., m, k) and triangle (..., k, n) with the smaller k of both, or with
      mode 1 (..., m, m) and (..., m, n).
    - Precision: the decomposition runs in ``accumulate`` and is rounded to ``result``, then to the outputs. A matrix
      with a number that is not finite gives NaN throughout.
    - Extra memory: the matrix and both outputs in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec, with the signs of Householder reflections.
    """
    arithmetic = Arithmetic.of(precision)
    given, lost = _finite(arithmetic.read(matrix))
    q, r = np.linalg.qr(given, "complete" if mode == 1 else "reduced")
    if mode != 2:
        arithmetic.write(columns, np.where(lost[..., None, None], np.nan, q))
    arithmetic.write(triangle, np.where(lost[..., None, None], np.nan, r))


def _finite(matrices: Array) -> tuple[Array, Array]:
    """The matrices, zeros in place of each that has a number that is not finite, and which these are."""
    lost = np.asarray(~np.isfinite(matrices).all((-2, -1)))
    return np.where(lost[..., None, None], 0, matrices), lost
