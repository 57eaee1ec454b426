"""Products of matrices, of stacks of matrices and of vectors, and sums with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.tensors.rounding import round_into

_WHOLE = (DType.BOOL, DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.UINT8)


def matmul(left: Array, right: Array, out: Array, cube_math_type: int, precision: Precision) -> None:
    """``left @ right``.

    - Shapes: left (..., m, k), right (..., k, n), out (..., m, n), the batches broadcasting; a left of rank 1 is one
      row, a right of rank 1 one column, and out has no axis for it.
    - Precision: the matrices are rounded to the role ``operand``, and their product runs in ``accumulate`` and is
      rounded to ``result``, then to the output. Both are contiguous, so that their layout does not show in the sums.
    - Extra memory: the matrices and the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec; cube_math_type has its say in the precision.
    """
    del cube_math_type
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        arithmetic.write(out, np.asarray(np.matmul(arithmetic.read(left), arithmetic.read(right))))


def addmm(
    added: Array,
    left: Array,
    right: Array,
    beta: float,
    alpha: float,
    out: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """``beta * added + alpha * (left @ right)``; added is not read where beta is 0.

    - Shapes: left (..., m, k), right (..., k, n), out (..., m, n); added broadcasts to it.
    - Precision: the matrices are rounded to the role ``operand``, their product runs in ``accumulate`` and is rounded
      to ``result``, or to ``wide`` where out is FLOAT; the factors and the sum are FLOAT, rounded to the output.
    - Extra memory: the matrices and twice the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec; cube_math_type has its say in the precision.
    """
    del cube_math_type
    arithmetic = Arithmetic.of(precision)
    rounded = precision["wide" if out.dtype == np.float32 else "result"]
    assert isinstance(rounded, DType)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        product = np.matmul(arithmetic.read(left), arithmetic.read(right))
        total = np.multiply(round_to(product, rounded), alpha, dtype=np.float32)
        if beta != 0:
            total += np.multiply(added, beta, dtype=np.float32)
        round_into(out, total)


def inplace_addmm(
    target: Array, left: Array, right: Array, beta: float, alpha: float, cube_math_type: int, precision: Precision
) -> None:
    """``beta * target + alpha * (left @ right)`` over target, like `addmm`."""
    addmm(target, left, right, beta, alpha, target, cube_math_type, precision)


def addbmm(
    added: Array,
    left: Array,
    right: Array,
    beta: float,
    alpha: float,
    out: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """``beta * added + alpha * sum(left @ right)`` like `addmm`; the matrices are not read where alpha is 0."""
    batches = max(left.shape[0], right.shape[0]) if left.shape[0] * right.shape[0] and alpha != 0 else 0
    (m, k), n = left.shape[1:], right.shape[2]
    rows = np.broadcast_to(left[:batches], (batches, m, k)).swapaxes(0, 1).reshape(m, batches * k)
    columns = np.broadcast_to(right[:batches], (batches, k, n)).reshape(batches * k, n)
    addmm(added, rows, columns, beta, alpha, out, cube_math_type, precision)


def addmv(
    added: Array,
    matrix: Array,
    vector: Array,
    alpha: float,
    beta: float,
    out: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """``beta * added + alpha * (matrix @ vector)``; added is not read where beta is 0.

    - Shapes: matrix (n, m), vector (m), out (n); added broadcasts to it.
    - Precision: the operands are rounded to the role ``operand``, their product runs in ``accumulate`` and is rounded
      to ``rounded``; the rest runs in the wider of that and of float64, and is rounded to ``result``. Of BOOL a product
      is whether both are true, and a sum whether one is.
    - Source: the formula of the operator's spec; cube_math_type has its say in the precision.
    """
    del cube_math_type
    arithmetic, rounded = Arithmetic.of(precision), precision["rounded"]
    assert isinstance(rounded, DType)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        product = round_to(np.matmul(arithmetic.read(matrix), arithmetic.read(vector)), rounded)
        wide = product.astype(np.int64 if precision["result"] in _WHOLE else np.float64)
        total = np.multiply(wide, np.asarray(alpha).astype(wide.dtype))
        if beta != 0:
            total += np.multiply(added.astype(wide.dtype), np.asarray(beta).astype(wide.dtype))
        arithmetic = replace(arithmetic, accumulate=wide.dtype)
        arithmetic.write(out, total)


def gemm(
    left: Array,
    right: Array,
    added: Array,
    alpha: float,
    beta: float,
    transpose_left: int,
    transpose_right: int,
    out: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """``alpha * (left @ right) + beta * added`` like `addmm`, of matrices that are transposed where that is not 0."""
    sides = (left.T if transpose_left else left, right.T if transpose_right else right)
    addmm(added, *sides, beta, alpha, out, cube_math_type, precision)


def dot(left: Array, right: Array, out: Array, precision: Precision) -> None:
    """The sum of the products of two vectors.

    - Precision: both are rounded to the role ``operand``; products run in ``accumulate``, where integers wrap around.
      FLOAT adds in float64 and is rounded once, then to the output.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        products = arithmetic.read(left) * arithmetic.read(right)
        total = products.sum(dtype=np.float64 if products.dtype.kind == "f" else products.dtype)
        arithmetic.write(out, np.asarray(total))
