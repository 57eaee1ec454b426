"""PReLU: ``y = x`` where x > 0, ``w * x`` elsewhere, with one w for all channels or one a channel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import (
    Array,
    Scratch,
    blocks,
    channels_first,
    clear,
    replace,
    sum_rows,
    working_dtype,
)


def prelu_backward(
    grad_output: Array,
    x: Array,
    weight: Array,
    grad_input: Array,
    grad_weight: Array,
    precision: Mapping[str, DType],
) -> None:
    """The gradients of PReLU with respect to its input and its weight.

    With g = grad_output broadcast to x, and c(e) the index of element e on axis 1 (0 where weight has one element)::

        grad_input[e]  = g[e]  if x[e] > 0 else  weight[c(e)] * g[e]
        grad_weight[c] = sum over e with c(e) = c of  0  if x[e] > 0 else  g[e] * x[e]

    A zero and a NaN are not greater than zero and take the weight's branch.

    - Shapes: x any of rank 0 to 8; grad_output broadcasts to it; weight has 1 or x.shape[1] elements in any shape;
      grad_input as x; grad_weight as many elements as weight.
    - Precision: every product is rounded to the role ``product``; the sum of grad_weight is rounded to the role
      ``accumulate``, then to its own dtype. Any strides; the result does not depend on them.
    - Extra memory: up to 7 buffers of a block (`blocks.BLOCK` elements) and 2 values a channel.
    - Source: the formula and the rounding of the operator's spec (formula grad-input and grad-weight).
    """
    product, accumulate = precision["product"].numpy, precision["accumulate"].numpy
    assert product is not None
    assert accumulate is not None
    wide = working_dtype(product)
    g = np.broadcast_to(grad_output, x.shape)
    shared = weight.size == 1
    scratch = Scratch(x.size)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        slopes = weight.reshape(-1)
        totals = np.zeros(slopes.shape)
        for at in blocks(x.shape):
            channels, rows = (slice(None), _one_row) if shared else (at[1], channels_first)
            xs = scratch.load("x", rows(x[at]), wide)
            gs = scratch.load("g", rows(g[at]), wide)
            positive = scratch.mask(np.greater(xs, 0), xs)
            terms = np.multiply(gs, xs, out=scratch.take("terms", xs.shape, wide))
            scratch.round(terms, product)
            clear(terms, positive)
            totals[channels] += sum_rows(terms)
            slope = slopes[channels].reshape(-1, *(1,) * (xs.ndim - 1))
            np.multiply(gs, slope, out=terms)
            scratch.round(terms, product)
            replace(terms, gs, positive)
            np.copyto(rows(grad_input[at]), terms, casting="unsafe")
        sums = totals.astype(accumulate)
        np.copyto(grad_weight, sums.reshape(grad_weight.shape), casting="unsafe")


def _one_row(array: Array) -> Array:
    """All elements as one channel."""
    return array[np.newaxis]
