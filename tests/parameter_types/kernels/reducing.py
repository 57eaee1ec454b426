"""Kernels that sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.rounding import round_to
from aclspec.runtime.tensors.rounding import round_into

Array = NDArray[Any]
Precision = Mapping[str, Any]


def mm(x: Array, mat2: Array, out: Array, cube_math_type: int, precision: Precision) -> None:
    """The matrix product of the operands, rounded to the dtype in which the product multiplies."""
    with np.errstate(all="ignore"):
        left, right = (round_to(value, precision["operand"]) for value in (x, mat2))
        round_into(out, (left[:, :, None] * right).sum(axis=1))


def embedding_dense_backward(
    grad: Array, indices: Array, rows: int, padding: int, by_frequency: bool, out: Array, precision: Precision
) -> None:
    """The rows of the gradient summed where they were looked up; an index outside the table counts for nothing."""
    flat = indices.reshape(-1).astype(np.int64)
    kept = (flat >= 0) & (flat < rows) & (flat != np.float64(padding))
    total = np.zeros(out.shape, np.float64)
    with np.errstate(all="ignore"):
        np.add.at(total, flat[kept], grad.reshape(flat.size, -1)[kept].astype(np.float64))
        if by_frequency:
            counts = np.bincount(flat[kept], minlength=rows)
            total /= np.maximum(counts, 1)[:, None]
        round_into(out, total)


def embedding(weight: Array, indices: Array, out: Array, precision: Precision) -> None:
    """The rows of a table."""
    np.copyto(out, weight[indices.astype(np.intp)])


def reduce_sum(x: Array, axes: tuple[int, ...], keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """The sum over these axes."""
    wrapped = tuple(axis % x.ndim for axis in axes)
    with np.errstate(all="ignore"):
        round_into(out, np.asarray(x.astype(np.float64).sum(axis=wrapped, keepdims=keep)))


def quantize(
    x: Array, scales: Array, zero_points: Array | None, dtype: DType, axis: int, out: Array, precision: Precision
) -> None:
    """Each value divided by its step, rounded to even, moved by its zero point and limited to the dtype."""
    limits = np.iinfo(out.dtype)
    sides = [-1 if place == axis % x.ndim else 1 for place in range(x.ndim)]
    with np.errstate(all="ignore"):
        steps = scales.astype(np.float64).reshape(sides)
        shift = 0.0 if zero_points is None else zero_points.astype(np.float64).reshape(sides)
        values = np.rint(x.astype(np.float64) / steps) + shift
        values = np.where(np.isnan(values), 0.0, values)
        np.copyto(out, np.clip(values, limits.min, limits.max), casting="unsafe")


def layer_norm(
    x: Array,
    normalized: tuple[int, ...],
    weight: Array | None,
    bias: Array | None,
    eps: float,
    out: Array,
    mean: Array | None,
    rstd: Array | None,
    precision: Precision,
) -> None:
    """The normalized rows, and their means and reciprocal deviations where these are wanted."""
    inner = tuple(range(x.ndim - len(normalized), x.ndim))
    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(x, np.float64)
        centre = values.mean(axis=inner, keepdims=True)
        scale = 1 / np.sqrt(values.var(axis=inner, keepdims=True) + eps)
        result = (values - centre) * scale
        if weight is not None:
            result = result * weight.astype(np.float64)
        if bias is not None:
            result = result + bias.astype(np.float64)
        for target, value in ((out, result), (mean, centre), (rstd, scale)):
            if target is not None:
                round_into(target, value)


def layer_norm_backward(
    grad: Array,
    x: Array,
    normalized: tuple[int, ...],
    mean: Array,
    rstd: Array,
    weight: Array | None,
    bias: Array | None,
    mask: tuple[bool, ...],
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> None:
    """The gradients that the mask asks for."""
    inner = tuple(range(x.ndim - len(normalized), x.ndim))
    outer = tuple(range(x.ndim - len(normalized)))
    with np.errstate(all="ignore"):
        slopes, values, centre, scale = (value.astype(np.float64) for value in (grad, x, mean, rstd))
        normal = (values - centre) * scale
        if grad_input is not None:
            weighted = slopes if weight is None else slopes * weight.astype(np.float64)
            first = weighted.mean(axis=inner, keepdims=True)
            second = (weighted * normal).mean(axis=inner, keepdims=True)
            round_into(grad_input, (weighted - first - normal * second) * scale)
        if grad_weight is not None:
            round_into(grad_weight, (slopes * normal).sum(axis=outer))
        if grad_bias is not None:
            round_into(grad_bias, slopes.sum(axis=outer))
