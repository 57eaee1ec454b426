"""Batch normalization; the channel is axis 1, whatever the format says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array, Scratch, blocks, channels_first, sum_rows


def batch_norm_reduce_backward(
    grad_out: Array,
    x: Array,
    mean: Array,
    invstd: Array,
    weight: Array | None,
    input_g: bool,
    weight_g: bool,
    bias_g: bool,
    sum_dy: Array | None,
    sum_dy_xmu: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Mapping[str, DType],
) -> None:
    """The sums over each channel that the backward pass of batch normalization needs.

    With c(e) the index of element e on axis 1::

        sum_dy[c]     = sum over e with c(e) = c of  grad_out[e]
        sum_dy_xmu[c] = sum over e with c(e) = c of  grad_out[e] * (x[e] - mean[c])
        grad_weight[c] = invstd[c] * sum_dy_xmu[c]
        grad_bias[c]   = sum_dy[c]

    - Shapes: grad_out and x alike, rank 2 to 8; mean, invstd and every output (C). An output that is None is not
      wanted. No output depends on weight, and the flags say no more than which outputs are None.
    - Precision: the terms are computed in the role ``accumulate``; each sum, and its product with invstd, is rounded to
      it and then to its own dtype. Any strides; the result does not depend on them.
    - Extra memory: up to 3 buffers of a block (`blocks.BLOCK` elements) and 5 values a channel.
    - Source: the formula of the operator's spec (sum-dy, sum-dy-xmu, grad-weight, grad-bias).

    # Note: the library sums grad_out * x and subtracts mean * sum_dy afterwards, which loses bits where the mean is
    large against the deviation; here x is centred first.
    """
    accumulate = precision["accumulate"].numpy
    assert accumulate is not None
    scratch = Scratch(x.size)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        sums = np.zeros(x.shape[1])
        products = np.zeros(x.shape[1])
        for at in blocks(x.shape):
            channels = at[1]
            gs = scratch.load("g", channels_first(grad_out[at]), accumulate)
            sums[channels] += sum_rows(gs)
            xs = scratch.load("x", channels_first(x[at]), accumulate)
            mu = mean[channels].reshape(-1, *(1,) * (xs.ndim - 1))
            terms = np.subtract(xs, mu, out=scratch.take("terms", xs.shape, accumulate))
            np.multiply(terms, gs, out=terms)
            products[channels] += sum_rows(terms)
        write_sum(sum_dy, sums, accumulate)
        write_sum(grad_bias, sums, accumulate)
        write_sum(sum_dy_xmu, products, accumulate)
        write_sum(grad_weight, np.multiply(products, invstd, dtype=np.float64), accumulate)


def write_sum(output: Array | None, value: Array, dtype: np.dtype[Any]) -> None:
    """Write float64 sums, rounded to a dtype first and then to that of the output, if it is wanted."""
    if output is not None:
        np.copyto(output, value.astype(dtype), casting="unsafe")
