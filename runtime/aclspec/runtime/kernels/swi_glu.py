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
