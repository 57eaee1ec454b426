"""LeakyReLU, a rectifier whose negative half has one slope, and its gradient."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.in_place import in_place
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def leaky_relu(x: Array, slope: float, out: Array, precision: Precision) -> None:
    """``x`` where it is greater than zero, ``slope * x`` elsewhere, a NaN included.

    - Shapes: x and out alike, of rank 0 to 8.
    - Precision: x is rounded to the role ``operand`` and slope to FLOAT; the product runs in ``accumulate`` and is
      rounded to ``result``, then to the output.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        values = arithmetic.read(x)
        arithmetic.write(out, np.where(values > 0, values, values * np.float32(slope)))


inplace_leaky_relu = in_place(leaky_relu)


def leaky_relu_backward(
    grad_output: Array, x: Array, slope: float, self_is_result: bool, out: Array, precision: Precision
) -> None:
    """``grad_output`` where x is greater than zero, ``slope * grad_output`` elsewhere, a NaN included.

    - Shapes: grad_output and x broadcast to the shape of out.
    - Precision: both are rounded to the role ``operand`` and slope to FLOAT; the product runs in ``accumulate`` and is
      rounded to ``result``, then to the output.
    - Source: the formula of the operator's spec. The output of LeakyReLU has the sign of its input, so that
      self_is_result does not matter here.
    """
    del self_is_result
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        gradient = arithmetic.read(grad_output)
        scaled = gradient * np.float32(slope)
        arithmetic.write(out, np.where(arithmetic.read(x) > 0, gradient, scaled))
