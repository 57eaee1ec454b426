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


def multilabel_margin(
    x: Array, target: Array, reduction: int, out: Array, is_label: Array, precision: Precision
) -> None:
    """The sum over labels j and other classes i of ``max(0, 1 - x[j] + x[i])``, over the number of classes.

    - Shapes: x, target and is_label (n, c) or (c) or one number; out has the losses where reduction is 0 and x has
      samples, else their mean or their sum. A row of target holds labels up to the first -1.
    - Precision: x is rounded to the role ``operand``; margins run in ``accumulate``, sums in float64. What comes out is
      rounded to ``result``, then to the output.
    - Extra memory: twice c numbers for each element of x.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    scores = arithmetic.read(x).reshape(-1, x.shape[-1] if x.ndim else 1)
    rows = target.reshape(scores.shape)
    named = np.logical_and.accumulate(rows >= 0, 1)
    chosen = np.zeros(scores.shape, np.bool_)
    sample, place = np.nonzero(named)
    chosen[sample, rows[sample, place]] = True
    labels = np.take_along_axis(scores, np.where(named, rows, 0), 1)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        margins = np.maximum(scores.dtype.type(0), 1 - labels[:, :, None] + scores[:, None, :])
        counted = named[:, :, None] & ~chosen[:, None, :]
        losses = np.where(counted, margins, 0).sum((1, 2), dtype=np.float64) / scores.shape[1]
        found = losses if reduction == 0 else losses.mean() if reduction == 1 else losses.sum()
        arithmetic.write(out, np.asarray(found).reshape(out.shape))
    is_label[...] = chosen.reshape(is_label.shape)


def mse_loss(x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """The square of the difference of x and y; shapes and precision are those of `smooth_l1_loss`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        difference = _difference(x, y, arithmetic)
        _write(out, difference * difference, reduction, arithmetic)


def mse_loss_backward(grad_output: Array, x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """Twice the difference of x and y, times grad_output; else as `smooth_l1_loss_backward`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient = arithmetic.read(grad_output) * _difference(x, y, arithmetic) * arithmetic.accumulate.type(2)
        if reduction == 1:
            gradient /= gradient.dtype.type(x.size)
        arithmetic.write(out, gradient.reshape(out.shape))


def l1_loss(x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """The absolute value of the difference of x and y; shapes and precision are those of `smooth_l1_loss`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        _write(out, np.abs(_difference(x, y, arithmetic)), reduction, arithmetic)


def l1_loss_backward(grad_output: Array, x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """The sign of the difference of x and y, times grad_output; else as `smooth_l1_loss_backward`.

    Where reduction is 1, the gradients are divided by their number.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        gradient = arithmetic.read(grad_output) * np.sign(_difference(x, y, arithmetic))
        if reduction == 1:
            gradient /= gradient.dtype.type(gradient.size)
        arithmetic.write(out, gradient.reshape(out.shape))


def soft_margin_loss(x: Array, y: Array, reduction: int, out: Array, precision: Precision) -> None:
    """``log(1 + exp(-y * x))``, without overflow; shapes and precision are those of `smooth_l1_loss`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        losses = np.logaddexp(arithmetic.accumulate.type(0), -arithmetic.read(y) * arithmetic.read(x))
        _write(out, np.asarray(losses), reduction, arithmetic)


def soft_margin_loss_backward(
    grad_output: Array, x: Array, y: Array, reduction: int, out: Array, precision: Precision
) -> None:
    """``-grad_output * y / (1 + exp(y * x))``; else as `l1_loss_backward`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        labels = arithmetic.read(y)
        gradient = -arithmetic.read(grad_output) * labels / (1 + np.exp(labels * arithmetic.read(x)))
        arithmetic.write(out, gradient / gradient.size if reduction == 1 else gradient)


def kl_div(x: Array, y: Array, reduction: int, log_target: bool, out: Array, precision: Precision) -> None:
    """``y * (log(y) - x)``, NaN where y is not positive, or ``exp(y) * (y - x)`` where log_target is set.

    Shapes and precision are those of `smooth_l1_loss`. Where reduction is 3, out is the sum divided by the size of the
    first axis of x, or by 1 where x is a scalar.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        p, t = arithmetic.read(x), arithmetic.read(y)
        losses = np.asarray(np.exp(t) * (t - p) if log_target else t * (np.log(t) - p))
        if reduction == 3:
            arithmetic.write(out, np.asarray(losses.sum(dtype=np.float64) / _batch(x)))
        else:
            _write(out, losses, reduction, arithmetic)


def kl_div_backward(
    grad_output: Array, x: Array, y: Array, reduction: int, log_target: bool, out: Array, precision: Precision
) -> None:
    """``-grad_output * y``, or ``-grad_output * exp(y)`` where log_target is set, added up to the shape of x.

    - Shapes: x and y broadcast to the shape of the losses, and grad_output to that. Where reduction is 1, the gradients
      are divided by the number of the losses, and where it is 3 by the size of the first axis of x, 1 for a scalar.
    - Precision: that of `smooth_l1_loss_backward`, with sums in float64.
    - Extra memory: twice the losses in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        t = arithmetic.read(y)
        gradients = _share(-arithmetic.read(grad_output) * (np.exp(t) if log_target else t), x, y, reduction)
        arithmetic.write(out, _added_up(gradients, out.shape))


def kl_div_target_backward(
    grad_output: Array, x: Array, y: Array, reduction: int, log_target: bool, out: Array, precision: Precision
) -> None:
    """``grad_output * (log(y) - x + 1)``, or ``grad_output * exp(y) * (y - x + 1)`` where log_target is set.

    Shapes and precision are those of `kl_div_backward`, with the shape of y.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        p, t = arithmetic.read(x), arithmetic.read(y)
        slopes = np.exp(t) * (t - p + 1) if log_target else np.log(t) - p + 1
        gradients = _share(arithmetic.read(grad_output) * slopes, x, y, reduction)
        arithmetic.write(out, _added_up(gradients, out.shape))


def binary_cross_entropy(
    x: Array, y: Array, weight: Array | None, reduction: int, out: Array, precision: Precision
) -> None:
    """``-weight * (y * log(x) + (1 - y) * log(1 - x))``, where a logarithm is never below -100.

    That of a negative number, which is no probability, is -100 too.

    Shapes and precision are those of `smooth_l1_loss`; weight is 1 where it is None.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        p, t = arithmetic.read(x), arithmetic.read(y)
        logs = [np.maximum(np.log(np.maximum(q, 0)), -100) for q in (p, 1 - p)]
        losses = -(t * logs[0] + (1 - t) * logs[1])
        _write(out, np.asarray(losses * _weight(weight, arithmetic)), reduction, arithmetic)


def binary_cross_entropy_backward(
    grad_output: Array, x: Array, y: Array, weight: Array | None, reduction: int, out: Array, precision: Precision
) -> None:
    """``grad_output * weight * (x - y) / (x * (1 - x))``, where the divisor is never below 1e-12.

    - Shapes: all broadcast to the shape of x. Where reduction is 1, the gradients are divided by the size of x.
    - Precision: that of `smooth_l1_loss_backward`; weight is 1 where it is None.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        p = arithmetic.read(x)
        slopes = (p - arithmetic.read(y)) / np.maximum((1 - p) * p, p.dtype.type(1e-12))
        gradient = arithmetic.read(grad_output) * _weight(weight, arithmetic) * slopes
        arithmetic.write(out, np.asarray(gradient / gradient.dtype.type(x.size) if reduction == 1 else gradient))


def binary_cross_entropy_with_logits(
    x: Array,
    y: Array,
    weight: Array | None,
    positive: Array | None,
    reduction: int,
    out: Array,
    precision: Precision,
) -> None:
    """The cross entropy of the sigmoid of x, by a form in which nothing overflows.

    Shapes and precision are those of `smooth_l1_loss`; both weights broadcast to the shape of x, and are 1 where they
    are None. They may have any shape where x is empty.
    """
    arithmetic = Arithmetic.of(precision)
    weight, positive = (None, None) if x.size == 0 else (weight, positive)
    with np.errstate(all="ignore"):
        logits, t = arithmetic.read(x), arithmetic.read(y)
        softplus = np.logaddexp(logits.dtype.type(0), -logits)
        losses = (1 - t) * logits + (1 + (_weight(positive, arithmetic) - 1) * t) * softplus
        _write(out, np.asarray(losses * _weight(weight, arithmetic)), reduction, arithmetic)


def binary_cross_entropy_with_logits_backward(
    grad_output: Array,
    x: Array,
    y: Array,
    weight: Array | None,
    positive: Array | None,
    reduction: int,
    out: Array,
    precision: Precision,
) -> None:
    """``grad_output * weight * ((positive * y + 1 - y) * s - positive * y)`` with s the sigmoid of x.

    Shapes and precision are those of `binary_cross_entropy_backward`; both weights are 1 where they are None.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        t, sigmoid = arithmetic.read(y), 1 / (1 + np.exp(-arithmetic.read(x)))
        share = _weight(positive, arithmetic) * t
        gradient = arithmetic.read(grad_output) * _weight(weight, arithmetic) * ((share + 1 - t) * sigmoid - share)
        arithmetic.write(out, gradient / x.size if reduction == 1 else gradient)


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


def nll_loss2d(
    x: Array,
    target: Array,
    weight: Array,
    reduction: int,
    ignore_index: int,
    out: Array,
    total_weight: Array,
    precision: Precision,
) -> None:
    """`nll_loss` of each pixel: x is (N, C, H, W), and target (N, H, W)."""
    rows = np.moveaxis(x, 1, -1).reshape(target.size, x.shape[1])
    losses = np.empty(target.size if reduction == 0 else 1, out.dtype)
    nll_loss(rows, target.reshape(-1), weight, reduction, ignore_index, losses, total_weight, precision)
    out[...] = losses.reshape(out.shape)


def nll_loss2d_backward(
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
    """`nll_loss_backward` of each pixel: x and out are (N, C, H, W), target and grad_output (N, H, W)."""
    whole = np.moveaxis(out, 1, -1)
    rows = np.empty((target.size, x.shape[1]), out.dtype)
    arguments = (target.reshape(-1), weight, reduction, ignore_index, total_weight, rows, precision)
    nll_loss_backward(grad_output, rows, *arguments)
    whole[...] = rows.reshape(whole.shape)


def _classes(target: Array, count: int, ignore_index: int) -> tuple[Array, Array]:
    """Which targets count, and the class of each; a target that is ignored need not be one, and is 0 here."""
    targets = target.reshape(-1).astype(np.int64)
    counts = (targets != ignore_index) & (targets >= 0) & (targets < count)
    return counts, np.where(counts, targets, 0)


def _share(gradients: Array, x: Array, y: Array, reduction: int) -> Array:
    """The gradients of all losses of x and y, whose shapes broadcast, divided as the reduction says."""
    whole = np.broadcast_to(gradients, np.broadcast_shapes(x.shape, y.shape))
    return whole / (whole.size if reduction == 1 else _batch(x)) if reduction in (1, 3) else whole


def _added_up(gradients: Array, shape: tuple[int, ...]) -> Array:
    """The gradients of a broadcast array, added up to its shape in float64."""
    sizes = (1,) * (gradients.ndim - len(shape)) + shape
    spread = tuple(axis for axis, size in enumerate(sizes) if size != gradients.shape[axis])
    return np.asarray(np.ascontiguousarray(gradients).sum(spread, np.float64)).reshape(shape)


def _batch(x: Array) -> int:
    """The number of samples: the size of the first axis, 1 for a scalar."""
    return x.shape[0] if x.ndim else 1


def _weight(weight: Array | None, arithmetic: Arithmetic) -> Array:
    """The weights, or 1 where there are none."""
    return np.ones((), arithmetic.accumulate) if weight is None else arithmetic.read(weight)


def _difference(x: Array, y: Array, arithmetic: Arithmetic) -> Array:
    difference: Array = arithmetic.read(x) - arithmetic.read(y)
    return difference


def _write(out: Array, losses: Array, reduction: int, arithmetic: Arithmetic) -> None:
    """Write all losses where reduction is 0, their mean where it is 1, and their sum where it is 2.

    Floating-point losses add in float64.
    """
    if reduction == 0:
        arithmetic.write(out, losses.reshape(out.shape))
    else:
        total = losses.sum(dtype=np.float64 if losses.dtype.kind == "f" else None)
        arithmetic.write(out, np.asarray(total / losses.size if reduction == 1 else total))
