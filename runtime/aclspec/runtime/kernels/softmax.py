"""The gradient of softmax."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def softmax_backward(grad_output: Array, y: Array, dim: int, out: Array, precision: Precision) -> None:
    """``y * (grad_output - sum(grad_output * y))``, the sum along one axis.

    - Shapes: all alike, of rank 0 to 8; dim counts from the end where it is negative.
    - Precision: both are rounded to the role ``operand``; products run in ``accumulate``, the sum is rounded to it
      once, and the result to ``result``, then to the output.
    - Extra memory: three times the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        gradient, softmax = (arithmetic.read(np.atleast_1d(array)) for array in (grad_output, y))
        total = (gradient * softmax).sum(dim, np.float64, keepdims=True).astype(arithmetic.accumulate)
        arithmetic.write(out, (softmax * (gradient - total)).reshape(out.shape))
