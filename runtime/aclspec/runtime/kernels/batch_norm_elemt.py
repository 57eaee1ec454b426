"""The last step of a synchronized batch normalization's backward pass; the channel is axis 1."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def batch_norm_elemt_backward(
    grad_out: Array,
    x: Array,
    mean: Array,
    invstd: Array,
    weight: Array | None,
    sum_dy: Array,
    sum_dy_xmu: Array,
    counter: Array,
    grad_input: Array,
    precision: Precision,
) -> None:
    """The gradient with respect to the input, from the sums over all devices.

    With n the sum of all elements of counter, c the channel of element e (its index on axis 1)::

        grad_input[e] = invstd[c] * weight[c]
                        * (grad_out[e] - sum_dy[c] / n - (x[e] - mean[c]) * invstd[c] ** 2 * sum_dy_xmu[c] / n)

    - Shapes: grad_out, x and grad_input alike, rank 2 to 8; mean, invstd, weight, sum_dy and sum_dy_xmu (C), where no
      weight means ones; counter of any shape.
    - Precision: operands are rounded to the role ``operand``. What depends on the channel alone is computed in
      float32, or in ``accumulate`` where that is wider, and rounded to it once; the rest runs in ``accumulate``. The
      result is rounded to ``result``, where the table has that role, and to the output. Any strides; they do not
      matter.
    - Extra memory: 4 buffers of a block (`blocks.BLOCK` elements) and a few values a channel.
    - Source: the formula of the operator's spec.

    # Note: a count of zero divides by zero, and gives infinities and NaN as IEEE arithmetic does.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        of_channels = coefficients(arithmetic, mean, invstd, weight, sum_dy, sum_dy_xmu, counter)
        centre, slope, share, factor = (one.reshape(1, -1, *(1,) * (x.ndim - 2)) for one in of_channels)
        for at in blocks(x.shape):
            channel = (slice(None), at[1])
            terms = arithmetic.read(x[at]) - centre[channel]
            terms *= slope[channel]
            rest = arithmetic.read(grad_out[at]) - share[channel]
            rest -= terms
            rest *= factor[channel]
            arithmetic.write(grad_input[at], rest)


def coefficients(
    arithmetic: Arithmetic,
    mean: Array,
    invstd: Array,
    weight: Array | None,
    sum_dy: Array,
    sum_dy_xmu: Array,
    counter: Array,
) -> Array:
    """What depends on the channel alone, (4, C) in the dtype of the sums.

    With c, s, h and f its rows, the gradient of an element is ``(grad_out - h - (x - c) * s) * f``.
    """
    dtype = arithmetic.accumulate
    wide = np.promote_types(dtype, np.float32)
    mu, scale, dy, dy_xmu = (arithmetic.read(one).astype(wide) for one in (mean, invstd, sum_dy, sum_dy_xmu))
    count = wide.type(counter.sum(dtype=np.float64))
    factor = scale if weight is None else scale * arithmetic.read(weight)
    values: Array = np.stack([mu, scale * scale * dy_xmu / count, dy / count, factor]).astype(dtype)
    return values
