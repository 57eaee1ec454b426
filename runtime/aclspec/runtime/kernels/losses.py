"""Losses, and their gradients."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def smooth_l1_loss(x: Array, y: Array, reduction: int, beta: float, out: Array, precision: Precision) -> None:
    """``d * d / (2 * beta)`` where the difference d of x and y is below beta, ``|d| - beta / 2`` elsewhere.

    - Shapes: x and y broadcast to the shape of the losses, which out has where reduction is 0. Where it is 1, out is
      their mean, and where it is 2 their sum.
    - Precision: x and y are rounded to the role ``operand``; losses run in ``accumulate``, their sum in float64. What
      comes out is rounded to ``result``, then to the output.
    - Extra memory: some times the losses in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        width = arithmetic.accumulate.type(beta)
        distance = np.abs(_difference(x, y, arithmetic))
        losses = np.where(distance < width, distance * distance / (2 * width), distance - width / 2)
        _write(out, losses, reduction, arithmetic)


def smooth_l1_loss_backward(
    grad_output: Array, x: Array, y: Array, reduction: int, beta: float, out: Array, precision: Precision
) -> None:
    """``d / beta`` where the difference d of x and y is below beta, its sign elsewhere, times grad_output.

    - Shapes: all broadcast to the shape of out. Where reduction is 1, the gradients are divided by the size of x.
    - Precision: grad_output, x and y are rounded to the role ``operand``; everything runs in ``accumulate`` and is
      rounded to ``result``, then to the output.
    - Extra memory: some times the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        width = arithmetic.accumulate.type(beta)
        difference = _difference(x, y, arithmetic)
        slopes = np.where(np.abs(difference) < width, difference / width, np.sign(difference))
        gradient = arithmetic.read(grad_output) * slopes
        if reduction == 1:
            gradient /= gradient.dtype.type(x.size)
        arithmetic.write(out, gradient.reshape(out.shape))


def mse_loss(x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """The square of the difference of x and y; shapes and precision are those of `smooth_l1_loss`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        difference = _difference(x, y, arithmetic)
        _write(out, difference * difference, reduction, arithmetic)


def mse_loss_backward(
    grad_output: Array, x: Array, y: Array, reduction: int, out: Array, precision: Precision
) -> None:
    """Twice the difference of x and y, times grad_output; else as `smooth_l1_loss_backward`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient = arithmetic.read(grad_output) * _difference(x, y, arithmetic) * arithmetic.accumulate.type(2)
        if reduction == 1:
            gradient /= gradient.dtype.type(x.size)
        arithmetic.write(out, gradient.reshape(out.shape))


def nll_loss(
    x: Array,
    target: Array,
    weight: Array,
    reduction: int,
    ignore_index: int,
    out: Array,
    total_weight: Array,
    precision: Precision,
) -> None:
    """``-weight[t] * x[n, t]`` with t the target of row n, and 0 where that is ignore_index.

    - Shapes: x (N, C) and target (N), or x (C) and target a scalar; weight (C). Where reduction is 0, out has the
      losses, and total_weight is not written. Where it is 1, out is their sum over that of the weights, and where it is
      2 their sum.
    - Precision: x and weight are rounded to the role ``operand``; products run in ``accumulate``, sums in float64. What
      comes out is rounded to ``result``, then to the output.
    - Extra memory: x in the dtype of ``accumulate``, and some times the target in it.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        counts, classes = _classes(target, len(weight), ignore_index)
        weights = np.where(counts, arithmetic.read(weight)[classes], 0)
        picked = arithmetic.read(x).reshape(classes.size, len(weight))[np.arange(classes.size), classes]
        losses = np.where(counts, -weights * picked, 0)
        if reduction == 0:
            arithmetic.write(out, losses.reshape(out.shape))
        else:
            loss, total = losses.sum(dtype=np.float64), weights.sum(dtype=np.float64)
            arithmetic.write(out, np.asarray(loss / total if reduction == 1 else loss))
            arithmetic.write(total_weight, np.asarray(total))


def nll_loss_backward(
    grad_output: Array,
    x: Array,
    target: Array,
    weight: Array,
    reduction: int,
    ignore_index: int,
    total_weight: Array,
    out: Array,
    precision: Precision,
) -> None:
    """``-weight[t] * grad_output[n]`` at the target t of row n, and 0 elsewhere and where that is ignore_index.

    - Shapes: those of `nll_loss`; grad_output has one element a row where reduction is 0, else one. Where reduction is
      1, the gradients are divided by total_weight, which has one element.
    - Precision: grad_output, weight and total_weight are rounded to the role ``operand``; everything runs in
      ``accumulate`` and is rounded to ``result``, then to the output.
    - Extra memory: the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del x
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        counts, classes = _classes(target, len(weight), ignore_index)
        gradients = -arithmetic.read(weight)[classes] * arithmetic.read(grad_output).reshape(-1)
        if reduction == 1:
            gradients /= arithmetic.read(total_weight).reshape(-1)
        whole = np.zeros((classes.size, len(weight)), arithmetic.accumulate)
        whole[np.arange(classes.size), classes] = np.where(counts, gradients, 0)
        arithmetic.write(out, whole.reshape(out.shape))


def _classes(target: Array, count: int, ignore_index: int) -> tuple[Array, Array]:
    """Which targets count, and the class of each; a target that is ignored need not be one, and is 0 here."""
    targets = target.reshape(-1).astype(np.int64)
    counts = (targets != ignore_index) & (targets >= 0) & (targets < count)
    return counts, np.where(counts, targets, 0)


def _difference(x: Array, y: Array, arithmetic: Arithmetic) -> Array:
    difference: Array = arithmetic.read(x) - arithmetic.read(y)
    return difference


def _write(out: Array, losses: Array, reduction: int, arithmetic: Arithmetic) -> None:
    """Write all losses where reduction is 0, their mean where it is 1, and their sum, in float64, where it is 2."""
    if reduction == 0:
        arithmetic.write(out, losses.reshape(out.shape))
    else:
        total = losses.sum(dtype=np.float64)
        arithmetic.write(out, np.asarray(total / losses.size if reduction == 1 else total))
