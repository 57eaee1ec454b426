"""The steps of a synchronized batch normalization; the channel is axis 1, whatever the format says."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array, channels_first
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.rows import standardized
from aclspec.runtime.tensors.rounding import round_into


def batch_norm_stats(x: Array, eps: float, mean: Array, invstd: Array, precision: Precision) -> None:
    """The mean of each channel, and the reciprocal of its standard deviation.

    - Shapes: x has two axes or more; mean and invstd (C).
    - Precision: x and eps are rounded to the role ``operand``; everything runs in ``accumulate``, but for sums, which
      run in float64 and are rounded to it once. Channels without elements have the mean 0 and the invstd NaN.
    - Extra memory: three times x in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        channels = arithmetic.read(channels_first(x))
        _, centre, rstd = standardized(channels.reshape(len(channels), x.size // len(channels)), eps)
        round_into(mean, centre[:, 0])
        round_into(invstd, rstd[:, 0])


def batch_norm_elemt(
    x: Array,
    weight: Array | None,
    bias: Array | None,
    mean: Array,
    invstd: Array,
    eps: float,
    output: Array,
    precision: Precision,
) -> None:
    """``(x - mean) * invstd * weight + bias``, with one value of each for a channel.

    - Shapes: x and output alike, of two axes or more; all else (C).
    - Precision: all inputs are rounded to the role ``operand``; everything runs in ``accumulate``.
    - Extra memory: twice x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del eps
    arithmetic = Arithmetic.of(precision)
    steps = ((mean, np.subtract), (invstd, np.multiply), (weight, np.multiply), (bias, np.add))
    with np.errstate(all="ignore"):
        values = arithmetic.read(x)
        for factor, combine in steps:
            if factor is not None:
                values = combine(values, arithmetic.read(factor).reshape(1, -1, *(1,) * (x.ndim - 2)))
        round_into(output, values)


def batch_norm_gather_stats_with_counts(
    x: Array,
    mean: Array,
    invstd: Array,
    running_mean: Array | None,
    running_var: Array | None,
    momentum: float,
    eps: float,
    counts: Array,
    mean_all: Array,
    invstd_all: Array,
    precision: Precision,
) -> None:
    """The mean and ``invstd`` of each channel over all devices, and a step of what is tracked towards them.

    - Shapes: mean and invstd (R, C), counts (R); all else (C). x is not read; what is tracked may be None.
    - Precision: all inputs, momentum and eps are rounded to the role ``operand``; everything runs in ``accumulate``,
      but for sums and their quotients, which run in float64 and are rounded to it once. Without devices mean_all is 0,
      invstd_all is NaN, and nothing is tracked.
    - Extra memory: some times mean in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    del x
    arithmetic = Arithmetic.of(precision)
    real = arithmetic.accumulate.type
    with np.errstate(all="ignore"):
        means, scales, shares = (arithmetic.read(one) for one in (mean, invstd, counts.reshape(-1, 1)))
        total = shares.sum(dtype=np.float64) if mean.size else 1.0
        centre = ((means * shares).sum(0, np.float64) / total).astype(real)
        spread = (1 / (scales * scales) - real(eps) + np.square(means - centre)) * shares
        variance = (spread.sum(0, np.float64) / total).astype(real)
        round_into(mean_all, centre)
        round_into(invstd_all, 1 / np.sqrt(variance + real(eps)) if mean.size else np.full_like(centre, np.nan))
        if mean.size:
            track(running_mean, centre, momentum, arithmetic)
            track(running_var, variance, momentum, arithmetic)


def track(running: Array | None, value: Array, momentum: float, arithmetic: Arithmetic) -> None:
    """Replace so much of a running mean, if there is one, by a new value."""
    if running is not None:
        step = arithmetic.accumulate.type(momentum)
        round_into(running, arithmetic.read(running) * (1 - step) + value * step)
