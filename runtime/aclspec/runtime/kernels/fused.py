"""Sums of a tensor and a multiple of what two others give, and points between two tensors, element by element.

Kernels round their operands to the role ``operand`` of their precision, compute in ``accumulate``, and round to
``result`` and to the output; integers wrap around. All operands broadcast to the shape of the output; a scalar is a
tensor of one element. The sources are the formulas of the operators' specs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.in_place import in_place
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

Operand = Array | complex


def add_scaled_quotient(x: Array, y: Array, z: Array, value: complex, out: Array, precision: Precision) -> None:
    """``x + value * (y / z)``; the quotient of integers is rounded towards zero."""
    _compute(lambda x, y, z, value: x + value * _quotient(y, z), (x, y, z, value), out, precision)


def add_scaled_product(x: Array, y: Array, z: Array, value: complex, out: Array, precision: Precision) -> None:
    """``x + value * y * z``."""
    _compute(lambda x, y, z, value: x + value * y * z, (x, y, z, value), out, precision)


def between(start: Array, end: Array, weight: Operand, out: Array, precision: Precision) -> None:
    """``start + weight * (end - start)``, the point between start (weight 0) and end (weight 1)."""
    _compute(lambda start, end, weight: start + weight * (end - start), (start, end, weight), out, precision)


def add_outer_product(
    x: Array, y: Array, z: Array, beta: complex | None, alpha: complex | None, out: Array, precision: Precision
) -> None:
    """``beta * x + alpha * outer(y, z)``; x is not read where beta is 0, and a factor that is None is 1.

    - Shapes: y (m), z (n), out (m, n); x broadcasts to it.
    - Precision: of BOOL a product is whether both are true, a sum whether one is.
    """
    beta, alpha = (1 if factor is None else factor for factor in (beta, alpha))
    product = (y[:, None], z, alpha)
    if beta == 0:
        _compute(lambda y, z, alpha: alpha * y * z, product, out, precision)
    else:
        _compute(lambda x, beta, y, z, alpha: beta * x + alpha * y * z, (x, beta, *product), out, precision)


def cross(x: Array, y: Array, dim: int, out: Array, precision: Precision) -> None:
    """The cross product of the vectors of three elements on an axis of x.

    - Shapes: x and y broadcast to the shape of out; dim counts the axes of x, which are the last ones of out.
    """
    axis = dim % x.ndim - x.ndim
    vectors = [np.moveaxis(np.broadcast_to(operand, out.shape), axis, 0) for operand in (x, y)]
    (x0, x1, x2), (y0, y1, y2) = vectors
    for place, (a, b, c, d) in enumerate(((x1, y2, x2, y1), (x2, y0, x0, y2), (x0, y1, x1, y0))):
        _compute(lambda a, b, c, d: a * b - c * d, (a, b, c, d), np.moveaxis(out, axis, 0)[place, ...], precision)


inplace_add_scaled_quotient = in_place(add_scaled_quotient)
inplace_add_scaled_product = in_place(add_scaled_product)
inplace_between = in_place(between)
inplace_add_outer_product = in_place(add_outer_product)


def _compute(function: Callable[..., Array], operands: tuple[Operand, ...], out: Array, precision: Precision) -> None:
    """Write a function of the operands, each rounded as the precision says."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        read = [arithmetic.read(np.asarray(operand)) for operand in operands]
        arithmetic.write(out, np.asarray(function(*read)))


def _quotient(x: Array, y: Array) -> Array:
    """The quotient, of integers without its fraction."""
    if x.dtype.kind not in "iu":
        exact: Array = x / y
        return exact
    down: Array = x // y
    down += (down < 0) & (down * y != x)
    return down
