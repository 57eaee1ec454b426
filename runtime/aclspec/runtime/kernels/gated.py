"""Gated units: one half of a tensor times a function of the other."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def glu(x: Array, dim: int, out: Array, precision: Precision) -> None:
    """The first half of x along an axis times the sigmoid of the second.

    - Shapes: out is x with half its size on the axis; a negative axis counts from the end.
    - Precision: x is rounded to the role ``operand``; the product runs in ``accumulate`` and is rounded to ``result``,
      then to the output.
    - Extra memory: some copies of x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        values, gates = np.split(arithmetic.read(x), 2, dim)
        arithmetic.write(out, values / (1 + np.exp(-gates)))


def glu_backward(grad_out: Array, x: Array, dim: int, out: Array, precision: Precision) -> None:
    """The gradient of `glu` with respect to x: of the first half, and behind it that of the second.

    - Shapes: grad_out is x with half its size on the axis, and out has the shape of x.
    - Precision: grad_out and x are rounded to the role ``operand``; the rest is as in `glu`.
    - Extra memory: some copies of x in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        values, gates = np.split(arithmetic.read(x), 2, dim)
        front = arithmetic.read(grad_out) / (1 + np.exp(-gates))
        arithmetic.write(out, np.concatenate((front, front * values / (1 + np.exp(gates))), dim))
