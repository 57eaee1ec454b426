"""Patches of an image as columns, and sums of overlapping patches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def image_to_columns(
    x: Array,
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    out: Array,
    precision: Precision,
) -> None:
    """Write each patch of x, which is padded with zeros, as one column.

    - Shapes: out has the patches on its last axis and their elements, channel by channel, on the one before.
    - Source: the formula of the operator's spec.
    """
    del precision
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(p, p) for p in padding])
    spans = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
    windows = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=(-2, -1))
    patches = windows[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    np.copyto(out, np.moveaxis(patches, (-2, -1), (-4, -3)).reshape(out.shape))


def columns_to_image(
    gradient: Array,
    size: Sequence[int],
    kernel: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    out: Array,
    precision: Precision,
) -> None:
    """Add up the columns that `image_to_columns` wrote, each element at its place; sums run in ``accumulate``."""
    arithmetic = Arithmetic.of(precision)
    rows, columns = ((size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2))
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        patches = arithmetic.read(gradient).reshape(*out.shape[:-2], *kernel, rows, columns)
        padded = np.zeros((*out.shape[:-2], *(s + 2 * p for s, p in zip(size, padding, strict=True))), patches.dtype)
        for i, j in np.ndindex(*kernel):
            down, right = i * dilation[0], j * dilation[1]
            padded[
                ...,
                down : down + rows * stride[0] : stride[0],
                right : right + columns * stride[1] : stride[1],
            ] += patches[..., i, j, :, :]
        arithmetic.write(out, padded[..., padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]])


def unfold_backward(
    gradient: Array, sizes: Sequence[int], dim: int, size: int, step: int, out: Array, precision: Precision
) -> None:
    """Add up slices of one axis with this length and step; they overlap where the step is shorter than the slice."""
    del sizes
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        slices = np.moveaxis(arithmetic.read(gradient), (dim, -1), (0, 1))
        total = np.zeros((out.shape[dim], *slices.shape[2:]), slices.dtype)
        for begin, values in enumerate(slices):
            total[begin * step : begin * step + size] += values
        arithmetic.write(out, np.moveaxis(total, 0, dim))
