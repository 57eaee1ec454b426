"""Layer normalization."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
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
      sums, which run in float64 and are rounded to it once. Rows without elements have the mean 0 and the rstd NaN.
    - Extra memory: twice x in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    size = prod(normalized_shape)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        rows = arithmetic.read(x).reshape(prod(x.shape[: x.ndim - len(normalized_shape)]), size)
        mean = (rows.sum(1, np.float64, keepdims=True) / max(size, 1)).astype(arithmetic.accumulate)
        centred = rows - mean
        variance = (np.square(centred).sum(1, np.float64, keepdims=True) / size).astype(arithmetic.accumulate)
        rstd = 1 / np.sqrt(variance + arithmetic.accumulate.type(eps))
        centred *= rstd
        for factor, combine in ((weight, np.multiply), (bias, np.add)):
            if factor is not None:
                combine(centred, arithmetic.read(factor).reshape(1, size), out=centred)
        for target, values in ((out, centred), (mean_out, mean), (rstd_out, rstd)):
            if target is not None:
                round_into(target, values.reshape(target.shape))
