"""Group normalization and its gradients; axis 1 is the channel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.rows import standardized, standardized_backward, total
from aclspec.runtime.tensors.rounding import round_into


def group_norm(
    x: Array,
    gamma: Array | None,
    beta: Array | None,
    samples: int,
    channels: int,
    cells: int,
    groups: int,
    eps: float,
    out: Array,
    mean_out: Array,
    rstd_out: Array,
    precision: Precision,
) -> None:
    """``(x - mean) * rstd * gamma + beta``, and the mean and ``rstd`` of each group of channels of a sample.

    - Shapes: x is (samples, channels, ...) with some cells a channel; gamma and beta (channels); the statistics
      (samples, groups).
    - Precision: all inputs and eps are rounded to the role ``operand``; everything runs in ``accumulate``, but for
      sums and what is computed of them, which run in float64. Groups without elements have the mean 0 and the rstd NaN.
    - Extra memory: twice x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        rows = arithmetic.read(x).reshape(samples * groups, channels // groups * cells)
        units, mean, rstd = standardized(rows, eps)
        by_channel = units.reshape(samples, channels, cells)
        for factor, combine in ((gamma, np.multiply), (beta, np.add)):
            if factor is not None:
                combine(by_channel, arithmetic.read(factor).reshape(1, channels, 1), out=by_channel)
        for target, values in ((out, by_channel), (mean_out, mean), (rstd_out, rstd)):
            round_into(target, values.reshape(target.shape))


def group_norm_backward(
    grad_out: Array,
    x: Array,
    mean: Array,
    rstd: Array,
    gamma: Array | None,
    samples: int,
    channels: int,
    cells: int,
    groups: int,
    output_mask: Sequence[bool],
    grad_input: Array | None,
    grad_gamma: Array | None,
    grad_beta: Array | None,
    precision: Precision,
) -> None:
    """The gradients of `group_norm` with respect to x, gamma and beta, from the statistics that it computed.

    - Shapes: of grad_out, x, mean, rstd and gamma only the number of elements counts. An output that is None is not
      wanted; the mask says no more.
    - Precision: that of `group_norm`. Extra memory: up to six times x in float64.
    - Source: the formulas of the operator's spec.
    """
    del output_mask
    arithmetic = Arithmetic.of(precision)
    rows = (samples * groups, channels // groups * cells)
    by_channel = (samples, channels, cells)
    with np.errstate(all="ignore"):
        gradient = arithmetic.read(grad_out).reshape(by_channel)
        centre, scale = (arithmetic.read(one).reshape(-1, 1) for one in (mean, rstd))
        units = (arithmetic.read(x).reshape(rows) - centre) * scale
        if grad_gamma is not None:
            round_into(grad_gamma, total(gradient * units.reshape(by_channel), (0, 2)).reshape(grad_gamma.shape))
        if grad_beta is not None:
            round_into(grad_beta, total(gradient, (0, 2)).reshape(grad_beta.shape))
        if grad_input is not None:
            scaled = gradient if gamma is None else gradient * arithmetic.read(gamma).reshape(1, channels, 1)
            round_into(grad_input, standardized_backward(scaled.reshape(rows), units, scale).reshape(x.shape))
