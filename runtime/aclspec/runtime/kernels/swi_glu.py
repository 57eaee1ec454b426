"""Gated linear units."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def swi_glu(x: Array, dim: int, out: Array, precision: Precision) -> None:
    """``a / (1 + exp(-a)) * b`` of the halves of x along one axis.

    - Shapes: out is x with half the size on the axis, which counts from the end where it is negative.
    - Precision: x is rounded to the role ``operand``; everything runs in ``accumulate``, and the result is rounded to
      ``result``, then to the output.
    - Extra memory: twice x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    gate, value = np.split(arithmetic.read(x), 2, dim)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        arithmetic.write(out, gate / (1 + np.exp(-gate)) * value)


def swi_glu_grad(y_grad: Array, x: Array, dim: int, out: Array, precision: Precision) -> None:
    """``g * b * s(a) * (1 + a * s(-a))`` and ``g * a * s(a)`` of the halves a, b of x along one axis, s the sigmoid.

    - Shapes: out is x, and y_grad is x with half the size on the axis, which counts from the end where it is negative.
    - Precision: y_grad and x are rounded to the role ``operand``; everything runs in ``accumulate``, and the result is
      rounded to ``result``, then to the output. ``1 - s(a)`` is computed as ``s(-a)``, in which nothing cancels.
    - Extra memory: four times x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    gradient, (gate, value) = arithmetic.read(y_grad), np.split(arithmetic.read(x), 2, dim)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        weighted = gradient / (1 + np.exp(-gate))
        slope = weighted * value * (1 + gate / (1 + np.exp(gate)))
        arithmetic.write(out, np.concatenate((slope, weighted * gate), dim))
