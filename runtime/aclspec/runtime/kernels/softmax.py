"""Softmax along one axis, its logarithm, and the gradients of both."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def softmax(x: Array, dim: int, out: Array, precision: Precision) -> None:
    """``exp(x - m) / sum(exp(x - m))``, the sum along one axis, and m the largest element there.

    - Shapes: x and out are alike, of rank 0 to 8; dim counts from the end where it is negative.
    - Precision: x is rounded to the role ``operand``; everything runs in ``accumulate``, but for the sum, which runs in
      float64, and what is computed of it. The result is rounded to ``result``, then to the output.
    - Extra memory: three times x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        shares = np.exp(_below_largest(arithmetic.read(np.atleast_1d(x)), dim))
        shares /= _sum(shares, dim)
        arithmetic.write(out, shares.reshape(out.shape))


def log_softmax(x: Array, dim: int, out: Array, precision: Precision) -> None:
    """``(x - m) - log(sum(exp(x - m)))``; shapes, precision and memory are those of `softmax`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        logarithms = _below_largest(arithmetic.read(np.atleast_1d(x)), dim)
        logarithms -= np.log(_sum(np.exp(logarithms), dim))
        arithmetic.write(out, logarithms.reshape(out.shape))


def softmax_backward(grad_output: Array, y: Array, dim: int, out: Array, precision: Precision) -> None:
    """``y * (grad_output - sum(grad_output * y))``, the sum along one axis.

    - Shapes: all alike, of rank 0 to 8; dim counts from the end where it is negative.
    - Precision: both are rounded to the role ``operand``; products run in ``accumulate``, the sum in float64; the
      result is rounded to ``accumulate`` and ``result``, then to the output.
    - Extra memory: twice the output in the dtype of ``accumulate``, and twice in float64.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient, shares = (arithmetic.read(np.atleast_1d(array)) for array in (grad_output, y))
        arithmetic.write(out, (shares * (gradient - _sum(gradient * shares, dim))).reshape(out.shape))


def log_softmax_backward(grad_output: Array, y: Array, dim: int, out: Array, precision: Precision) -> None:
    """``grad_output - exp(y) * sum(grad_output)``; shapes, precision and memory are those of `softmax_backward`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient, logarithms = (arithmetic.read(np.atleast_1d(array)) for array in (grad_output, y))
        arithmetic.write(out, (gradient - np.exp(logarithms) * _sum(gradient, dim)).reshape(out.shape))


def _below_largest(values: Array, dim: int) -> Array:
    """The distance of each element from the largest one along an axis, so that no exponential overflows."""
    distances: Array = values - values.max(dim, keepdims=True)
    return distances


def _sum(values: Array, dim: int) -> Array:
    """The sum along an axis in float64; the axis stays with size 1."""
    total: Array = values.sum(dim, np.float64, keepdims=True)
    return total
