"""PReLU itself, the forward partner of `prelu.prelu_backward`."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def prelu(x: Array, weight: Array, out: Array, precision: Precision) -> None:
    """``x`` where it is greater than zero, ``weight * x`` elsewhere, a NaN included.

    - Shapes: x and out alike, of rank 0 to 8; weight has one element, or one for each index of x on axis 1.
    - Precision: x and weight are rounded to the role ``operand`` (the dtype that they are promoted to); the product
      runs in ``accumulate`` and is rounded to ``result``, where the table has that role, and to the output. Any
      strides; they do not matter.
    - Extra memory: 3 buffers of a block (`blocks.BLOCK` elements) and one value a channel.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        slopes = arithmetic.read(weight.reshape(-1))
        shared = weight.size == 1
        for at in blocks(x.shape):
            values = arithmetic.read(x[at])
            slope = slopes[0] if shared else slopes[at[1]].reshape(-1, *(1,) * (x.ndim - 2))
            arithmetic.write(out[at], np.where(values > 0, values, values * slope))
