"""Batch normalization, and the steps of a synchronized one, where the channel is axis 1 whatever the format says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from aclspec.runtime.kernels.blocks import Array, channels_first
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.rows import centred, standardized, standardized_backward, total
from aclspec.runtime.tensors.rounding import round_into


def batch_norm_stats(x: Array, eps: float, mean: Array, invstd: Array, precision: Precision) -> None:
    """The mean of each channel, and the reciprocal of its standard deviation.

    - Shapes: x has two axes or more; mean and invstd (C).
    - Precision: x and eps are rounded to the role ``operand``; everything runs in ``accumulate``, but for sums and
      what is computed of them, which run in float64. Channels without elements have the mean 0 and the invstd NaN.
    - Extra memory: three times x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        channels = arithmetic.read(channels_first(x))
        _, centre, rstd = standardized(channels.reshape(len(channels), x.size // len(channels)), eps)
        round_into(mean, centre.ravel())
        round_into(invstd, rstd.ravel())


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
      but for sums and what is computed of them, which run in float64. Without devices mean_all is 0,
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
        centre = (means * shares).sum(0, np.float64) / total
        spread = (1 / (scales * scales) - real(eps) + np.square(means - centre)) * shares
        variance = spread.sum(0) / total
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


def batch_norm(
    x: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
    output: Array,
    save_mean: Array | None,
    save_invstd: Array | None,
    precision: Precision,
) -> None:
    """``(x - mean) / sqrt(variance + eps) * weight + bias`` by the statistics of x, or by those that were tracked.

    - Shapes: x and output alike, with the channel on the axis ``channel`` in precision; all else (C). With training,
      save_mean and save_invstd are written: the variance, or its reciprocal root where ``saved`` is "invstd".
    - Precision: all inputs, momentum and eps are rounded to the role ``operand``; everything runs in ``accumulate``,
      but for sums and what is computed of them, which run in float64. Channels without elements have the mean 0 and the
      variance NaN, and nothing is tracked.
    - Extra memory: three times x in float64.
    - Source: the formulas of the operator's spec.
    """
    arithmetic, axis = Arithmetic.of(precision), cast("int", precision["channel"])
    with np.errstate(all="ignore"):
        rows = channel_rows(x, axis, arithmetic)
        size = rows.shape[1]
        if training:
            units, mean, variance = centred(rows)
        else:
            mean = column(running_mean, 0, rows, arithmetic)
            variance = column(running_var, 1, rows, arithmetic)
            units = rows - mean
        rstd = 1 / np.sqrt(variance + rows.dtype.type(eps))
        units = units * rstd * column(weight, 1, rows, arithmetic) + column(bias, 0, rows, arithmetic)
        write_rows(output, units, axis)
        if training:
            saved = rstd if precision["saved"] == "invstd" else variance
            for target, values in ((save_mean, mean), (save_invstd, saved)):
                if target is not None:
                    round_into(target, values.ravel())
            if size:
                unbiased = variance * size / max(size - 1, 1)
                track(running_mean, mean.ravel(), momentum, arithmetic)
                track(running_var, unbiased.ravel(), momentum, arithmetic)


def batch_norm_backward(
    grad_out: Array,
    x: Array,
    weight: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    save_mean: Array | None,
    save_invstd: Array | None,
    training: bool,
    eps: float,
    output_mask: Sequence[bool],
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> None:
    """The gradients of `batch_norm` with respect to x, weight and bias, from what it saved or from what was tracked.

    - Shapes: those of `batch_norm`. An output that is None is not wanted, and the mask says no more. Statistics that
      are None are a mean of 0, and a variance or ``invstd`` of 1; which of the two save_invstd is, ``saved`` says.
    - Precision: that of `batch_norm`. Extra memory: up to six times x in float64.
    - Source: the formulas of the operator's spec.
    """
    del output_mask
    arithmetic, axis = Arithmetic.of(precision), cast("int", precision["channel"])
    with np.errstate(all="ignore"):
        gradient, rows = channel_rows(grad_out, axis, arithmetic), channel_rows(x, axis, arithmetic)
        mean = column(save_mean if training else running_mean, 0, rows, arithmetic)
        rstd = column(save_invstd if training else running_var, 1, rows, arithmetic)
        if not training or precision["saved"] == "variance":
            rstd = 1 / np.sqrt(rstd + rows.dtype.type(eps))
        units = (rows - mean) * rstd
        if grad_weight is not None:
            round_into(grad_weight, total(gradient * units, (1,)))
        if grad_bias is not None:
            round_into(grad_bias, total(gradient, (1,)))
        if grad_input is not None:
            scaled = gradient * column(weight, 1, rows, arithmetic)
            write_rows(grad_input, standardized_backward(scaled, units, rstd) if training else scaled * rstd, axis)


def channel_rows(array: Array, axis: int, arithmetic: Arithmetic) -> Array:
    """The elements of each channel as a row, rounded as operands are."""
    channels = array.shape[axis]
    return arithmetic.read(np.moveaxis(array, axis, 0)).reshape(channels, array.size // max(channels, 1))


def write_rows(target: Array, rows: Array, axis: int) -> None:
    """Write such rows to an array whose channel is on an axis."""
    channels = np.moveaxis(target, axis, 0)
    round_into(channels, rows.reshape(channels.shape))


def column(values: Array | None, missing: int, rows: Array, arithmetic: Arithmetic) -> Array:
    """One value for each row, or the same one for all where there are none."""
    given = np.full(len(rows), missing, rows.dtype) if values is None else arithmetic.read(values)
    return given.reshape(-1, 1)
