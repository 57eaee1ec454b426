"""Normalization by the root mean square, alone and behind a sum, and its gradients."""

from __future__ import annotations

from math import prod

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.rows import total
from aclspec.runtime.tensors.rounding import round_into


def rms_norm(x: Array, gamma: Array, epsilon: float, y_out: Array, rstd_out: Array, precision: Precision) -> None:
    """``x * rstd * gamma`` over the last axes, and ``rstd``, the reciprocal of the root mean square, of each row.

    - Shapes: gamma has the end of the shape of x; rstd_out has 1 in its place.
    - Precision: all inputs and epsilon are rounded to the role ``operand``; everything runs in ``accumulate``, but for
      sums and what is computed of them, which run in float64.
    - Extra memory: twice x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    _normalize(arithmetic.read(x), arithmetic.read(gamma), epsilon, gamma.ndim, y_out, rstd_out)


def add_rms_norm(
    x1: Array,
    x2: Array,
    gamma: Array,
    epsilon: float,
    y_out: Array,
    rstd_out: Array | None,
    x_out: Array | None,
    precision: Precision,
) -> None:
    """The sum of two tensors, normalized like `rms_norm`; over the last axis alone where rstd_out is not wanted."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(x1) + arithmetic.read(x2)
    if x_out is not None:
        round_into(x_out, total)
    _normalize(total, arithmetic.read(gamma), epsilon, 1 if rstd_out is None else gamma.ndim, y_out, rstd_out)


def rms_norm_grad(
    dy: Array, x: Array, rstd: Array, gamma: Array, dx_out: Array, dgamma_out: Array, precision: Precision
) -> None:
    """The gradients of `rms_norm` with respect to x and gamma, from the ``rstd`` that it computed.

    - Shapes: dy is like x; gamma has the end of the shape of x, and rstd one element for each row.
    - Precision: that of `rms_norm`. Extra memory: six times x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient, rows = (arithmetic.read(one).reshape(rstd.size, gamma.size) for one in (dy, x))
        scale = arithmetic.read(rstd).reshape(rstd.size, 1)
        units = rows * scale
        round_into(dgamma_out, total(gradient * units, (0,)).reshape(dgamma_out.shape))
        scaled = gradient * arithmetic.read(gamma).reshape(1, gamma.size)
        slope = (scaled * units).sum(1, np.float64, keepdims=True) / gamma.size
        round_into(dx_out, ((scaled - units * slope) * scale).reshape(dx_out.shape))


def _normalize(x: Array, gamma: Array, epsilon: float, axes: int, y_out: Array, rstd_out: Array | None) -> None:
    """Normalize the last axes of contiguous arrays of one dtype."""
    size = prod(x.shape[x.ndim - axes :])
    with np.errstate(all="ignore"):
        rows = x.reshape(-1, size)
        mean = np.square(rows).sum(1, np.float64, keepdims=True) / size
        rstd = 1 / np.sqrt(mean + x.dtype.type(epsilon))
        round_into(y_out, (rows * rstd * gamma.reshape(1, size)).reshape(y_out.shape))
    if rstd_out is not None:
        round_into(rstd_out, rstd.reshape(rstd_out.shape))
