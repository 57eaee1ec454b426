"""Distances between points, the rows of matrices, in norms of any kind, and their gradients."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def between_all(x: Array, y: Array, p: float, mode: int, out: Array, precision: Precision) -> None:
    """The distance of each row of x from each row of y.

    - Shapes: x (..., n, m), y (..., r, m), the axes in front broadcasting; out (..., n, r).
    - Precision: differences, powers and sums run in ``accumulate``, and are rounded to ``result``.
    - Extra memory: the differences of one row of x at a time.
    - Source: the formula of the operator's spec.
    """
    del mode
    arithmetic = Arithmetic.of(precision)
    left, right = arithmetic.read(x), arithmetic.read(y)
    found = np.empty(out.shape, arithmetic.accumulate)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        for row in range(found.shape[-2]):
            found[..., row, :] = _norm(left[..., row, None, :] - right, p)
        arithmetic.write(out, found)


def between_pairs(x: Array, p: float, out: Array, precision: Precision) -> None:
    """The distance of each row from each one behind it, row by row, as `between_all` has them."""
    first, second = np.triu_indices(len(x), 1)
    arithmetic = Arithmetic.of(precision)
    rows = arithmetic.read(x)
    with np.errstate(all="ignore"):
        arithmetic.write(out, _norm(rows[first] - rows[second], p))


def between_all_backward(
    gradient: Array, x: Array, y: Array, distances: Array, p: float, out: Array, precision: Precision
) -> None:
    """The gradient of `between_all` with respect to x, from its distances; one of a distance of 0 is 0.

    - Shapes: gradient and distances (..., n, r), x and out (..., n, m), y (..., r, m), broadcasting in front.
    - Precision and memory are those of `between_all`.
    """
    arithmetic = Arithmetic.of(precision)
    left, right, upstream, lengths = (arithmetic.read(array) for array in (x, y, gradient, distances))
    total = np.zeros(out.shape, arithmetic.accumulate)
    with np.errstate(all="ignore"):
        for row in range(out.shape[-2]) if p else ():
            steps, length = left[..., row, None, :] - right, lengths[..., row, :, None]
            powers = np.abs(steps) == length if np.isinf(p) else np.abs(steps) ** (p - 1) / length ** (p - 1)
            slopes = np.where((length == 0) | (steps == 0), 0, np.sign(steps) * powers)
            total[..., row, :] = (upstream[..., row, :, None] * slopes).sum(-2)
        arithmetic.write(out, total)


def _norm(steps: Array, p: float) -> Array:
    """The norm along the last axis; 0 of no numbers."""
    sizes = np.abs(steps)
    if p == 0:
        return np.asarray(np.where(np.isnan(sizes), sizes, sizes != 0).sum(-1))
    if np.isinf(p):
        largest: Array = sizes.max(-1, initial=0)
        return largest
    return np.asarray((sizes**p).sum(-1) ** (1 / p))
