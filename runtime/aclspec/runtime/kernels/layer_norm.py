"""Layer normalization and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.rows import standardized, standardized_backward, total
from aclspec.runtime.tensors.rounding import round_into


def layer_norm(
    x: Array,
    normalized_shape: Sequence[int],
    weight: Array | None,
    bias: Array | None,
    eps: float,
    out: Array,
    mean_out: Array | None,
    rstd_out: Array | None,
    precision: Precision,
) -> None:
    """``(x - mean) * rstd * weight + bias`` over the last axes, and the mean and ``rstd`` of each row.

    - Shapes: weight and bias have normalized_shape, the end of the shape of x; the statistics have 1 in its place.
    - Precision: all inputs and eps are rounded to the role ``operand``; everything runs in ``accumulate``, but for
      sums and what is computed of them, which run in float64. Rows without elements have the mean 0 and the rstd NaN.
    - Extra memory: twice x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    size = prod(normalized_shape)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        rows = arithmetic.read(x).reshape(prod(x.shape[: x.ndim - len(normalized_shape)]), size)
        units, mean, rstd = standardized(rows, eps)
        for factor, combine in ((weight, np.multiply), (bias, np.add)):
            if factor is not None:
                combine(units, arithmetic.read(factor).reshape(1, size), out=units)
        for target, values in ((out, units), (mean_out, mean), (rstd_out, rstd)):
            if target is not None:
                round_into(target, values.reshape(target.shape))


def layer_norm_backward(
    grad_out: Array,
    x: Array,
    normalized_shape: Sequence[int],
    mean: Array,
    rstd: Array,
    weight: Array | None,
    bias: Array | None,
    output_mask: Sequence[bool],
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> None:
    """The gradients of `layer_norm` with respect to x, weight and bias, from the statistics that it computed.

    - Shapes: mean and rstd have one element for each row; grad_weight and grad_bias have the elements of
      normalized_shape. An output that is None is not wanted; the mask and the bias say no more.
    - Precision: that of `layer_norm`. Extra memory: up to six times x in float64.
    - Source: the formulas of the operator's spec.
    """
    del bias, output_mask
    arithmetic = Arithmetic.of(precision)
    size = prod(normalized_shape)
    with np.errstate(all="ignore"):
        gradient, rows = (arithmetic.read(one).reshape(-1, size) for one in (grad_out, x))
        centre, scale = (arithmetic.read(one).reshape(-1, 1) for one in (mean, rstd))
        units = (rows - centre) * scale
        if grad_weight is not None:
            round_into(grad_weight, total(gradient * units, (0,)).reshape(grad_weight.shape))
        if grad_bias is not None:
            round_into(grad_bias, total(gradient, (0,)).reshape(grad_bias.shape))
        if grad_input is not None:
            scaled = gradient if weight is None else gradient * arithmetic.read(weight).reshape(1, size)
            round_into(grad_input, standardized_backward(scaled, units, scale).reshape(x.shape))
