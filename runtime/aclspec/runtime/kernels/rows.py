"""Rows that are brought to mean 0 and variance 1, and the gradient of that."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array


def standardized(rows: Array, eps: float) -> tuple[Array, Array, Array]:
    """The rows without their mean and over their standard deviation, the mean, and the reciprocal of the deviation.

    - Shapes: rows has two axes; the statistics of a row have size 1 on the second one.
    - Precision: everything runs in float64. Rows without elements have the mean 0 and the reciprocal NaN.
    """
    units, mean, variance = centred(rows)
    rstd = 1 / np.sqrt(variance + rows.dtype.type(eps))
    units *= rstd
    return units, mean, rstd


def centred(rows: Array) -> tuple[Array, Array, Array]:
    """The rows without their mean, the mean, and the variance, with shapes and precision as in `standardized`."""
    size = rows.shape[1]
    mean = rows.sum(1, np.float64, keepdims=True) / max(size, 1)
    units = rows - mean
    return units, mean, np.square(units).sum(1, keepdims=True) / size


def standardized_backward(gradient: Array, units: Array, rstd: Array) -> Array:
    """The gradient with respect to rows, from that of their standardized ``units``; shapes are those of `standardized`.

    ``rstd * (gradient - mean(gradient) - units * mean(gradient * units))``, in float64 from the means on.
    """
    shift = gradient.mean(1, np.float64, keepdims=True)
    slope = (gradient * units).mean(1, np.float64, keepdims=True)
    found: Array = (gradient - shift - units * slope) * rstd
    return found


def total(array: Array, axes: tuple[int, ...]) -> Array:
    """The sum over axes, in float64."""
    sums: Array = array.sum(axes, np.float64)
    return sums
