"""Upsampling, and gradients of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def upsample_nearest2d(x: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """Copy to each element the one of x that it is nearest to.

    - Shapes: ``rows`` in precision is the axis of the rows, which the columns follow; all other axes agree.
    - Precision: the ratio of the sizes and its multiples are rounded to float32, as PyTorch does; elements stay as they
      are.
    - Extra memory: x with the height of out.
    - Source: the formula of the operator's spec.
    """
    del output_size
    rows = cast("int", precision["rows"])
    tall = x.take(_nearest(x.shape[rows], out.shape[rows]), rows)
    np.copyto(out, tall.take(_nearest(x.shape[rows + 1], out.shape[rows + 1]), rows + 1))


def upsample_bilinear2d(
    x: Array,
    output_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Interpolate between the two nearest rows and columns of x.

    - Shapes: ``rows`` in precision is the axis of the rows, which the columns follow; all other axes agree.
    - Precision: x is rounded to the role ``operand``. Places are computed in float64; weights are rounded to
      ``accumulate``, in which products and sums run, and the result is rounded to ``result``, then to the output.
    - Extra memory: x with the height of out, twice, and twice out, in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del output_size
    _interpolate(x, align_corners, out, precision, scale_h, scale_w)


def upsample_nearest2d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scale_h: float,
    scale_w: float,
    grad_input: Array,
    precision: Precision,
) -> None:
    """Add up what upsampling copied from each element.

    - Shapes: ``rows`` in precision is the axis of the rows, which the columns follow; all other axes agree.
    - Scale: the given one where it is positive and ``scale`` in precision says so, else the ratio of the sizes.
    - Precision: grad_out is rounded to the role ``operand``; sums run in float64 and are rounded to ``result``.
    - Extra memory: grad_out in the dtype of ``accumulate``, and grad_input twice in float64.
    - Source: the formula of the operator's spec.
    """
    del output_size, input_size
    given = precision["scale"] == "given"
    _fold(grad_out, grad_input, precision, *((scale_h, scale_w) if given else (0.0, 0.0)))


def upsample_bilinear2d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add what each element contributed to its neighbours by `upsample_bilinear2d`, with the same weights.

    - Shapes: ``rows`` in precision is the axis of the rows, which the columns follow; all other axes agree.
    - Precision: grad_out is rounded to the role ``operand``; weights, products and sums run in ``accumulate``, and the
      sums are rounded to ``result``, then to the output.
    - Extra memory: three times grad_out or out, whichever is larger, in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del output_size, input_size
    _share_out(grad_out, align_corners, out, precision, scale_h, scale_w)


def nearest1d(x: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """Copy to each element of the last axis the one of x that it is nearest to, as `upsample_nearest2d` does."""
    del output_size, precision
    np.copyto(out, x.take(_nearest(x.shape[2], out.shape[2]), 2))


def nearest1d_by_scale(x: Array, output_size: Sequence[int], scale: float, out: Array, precision: Precision) -> None:
    """Copy to each element of the last axis the one of x that the scale names; without one, as `nearest1d` does."""
    del output_size, precision
    np.copyto(out, x.take(_nearest(x.shape[2], out.shape[2], scale), 2))


def nearest_exact1d(x: Array, output_size: Sequence[int], scale: float, out: Array, precision: Precision) -> None:
    """Copy to each element of the last axis the one of x in which its centre lies."""
    del output_size, precision
    np.copyto(out, x.take(_nearest(x.shape[2], out.shape[2], scale, 0.5), 2))


def nearest3d(
    x: Array,
    output_size: Sequence[int],
    scale_d: float,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Copy to each element the one of x that the scales of three axes name, the first of them ``rows`` in precision."""
    del output_size
    for axis, scale in _axes(precision, scale_d, scale_h, scale_w):
        x = x.take(_nearest(x.shape[axis], out.shape[axis], scale), axis)
    np.copyto(out, x)


def nearest1d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scale: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add up what `nearest1d_by_scale` copied from each element, in float64, rounded to ``result``."""
    del output_size, input_size
    _fold(grad_out, out, precision, scale)


def nearest3d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scale_d: float,
    scale_h: float,
    scale_w: float,
    grad_input: Array,
    precision: Precision,
) -> None:
    """Add up what `nearest3d` copied from each element, in float64, rounded to ``result``."""
    del output_size, input_size
    _fold(grad_out, grad_input, precision, scale_d, scale_h, scale_w)


def linear1d(
    x: Array, output_size: Sequence[int], align_corners: bool, scale: float, out: Array, precision: Precision
) -> None:
    """Interpolate between two neighbours on the last axis, as `upsample_bilinear2d` does on two."""
    del output_size
    _interpolate(x, align_corners, out, precision, scale)


def linear1d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scale: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add what each element contributed to its neighbours by `linear1d`."""
    del output_size, input_size
    _share_out(grad_out, align_corners, out, precision, scale)


def trilinear3d(
    x: Array,
    output_size: Sequence[int],
    align_corners: bool,
    scale_d: float,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Interpolate between two neighbours on each of three axes, as `upsample_bilinear2d` does on two."""
    del output_size
    _interpolate(x, align_corners, out, precision, scale_d, scale_h, scale_w)


def trilinear3d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scale_d: float,
    scale_h: float,
    scale_w: float,
    grad_input: Array,
    precision: Precision,
) -> None:
    """Add what each element contributed to its neighbours by `trilinear3d`."""
    del output_size, input_size
    _share_out(grad_out, align_corners, grad_input, precision, scale_d, scale_h, scale_w)


def bicubic2d(
    x: Array,
    output_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add up four neighbours on each of two axes, weighted by a cubic of their distances.

    - Precision: x is rounded to the role ``operand``. Places are computed in float64; weights are rounded to
      ``accumulate``, in which products and sums run.
    - Source: the formula of the operator's spec.
    """
    del output_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        values = arithmetic.read(x)
        for axis, scale in _axes(precision, scale_h, scale_w):
            along, size = np.moveaxis(values, axis, -1), x.shape[axis]
            taps = _cubic(size, out.shape[axis], align_corners, scale)
            total = sum(along.take(places, -1) * weights.astype(along.dtype) for places, weights in taps)
            values = np.moveaxis(np.asarray(total), -1, axis)
        arithmetic.write(out, values)


def bicubic2d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    grad_input: Array,
    precision: Precision,
) -> None:
    """Add what each element contributed to its neighbours by `bicubic2d`, with the same weights."""
    del output_size, input_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(grad_out)
        for axis, scale in _axes(precision, scale_h, scale_w):
            along, size = np.moveaxis(total, axis, 0), grad_input.shape[axis]
            total = np.zeros((size, *along.shape[1:]), along.dtype)
            for places, weights in _cubic(size, along.shape[0], align_corners, scale):
                np.add.at(total, places, along * weights.astype(along.dtype).reshape(-1, *(1,) * (along.ndim - 1)))
            total = np.moveaxis(total, 0, axis)
        arithmetic.write(grad_input, total)


def nearest_exact1d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scale: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add up what `nearest_exact1d` copied from each element, in float64, rounded to ``result``."""
    del output_size, input_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        along = np.moveaxis(arithmetic.read(grad_out).astype(np.float64), 2, 0)
        total = np.zeros((out.shape[2], *along.shape[1:]))
        np.add.at(total, _nearest(out.shape[2], len(along), scale, 0.5), along)
        arithmetic.write(out, np.moveaxis(total, 0, 2))


def antialiased2d(
    x: Array,
    output_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Average the elements around each place with weights that fall off linearly, wider where there are fewer places.

    - Precision: x is rounded to the role ``operand``; weights and sums run in float64 and are rounded to ``result``.
    - Source: the formula of the operator's spec.
    """
    del output_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        rows = _tent(x.shape[-2], out.shape[-2], align_corners, scale_h)
        columns = _tent(x.shape[-1], out.shape[-1], align_corners, scale_w)
        arithmetic.write(out, rows @ arithmetic.read(x).astype(np.float64) @ columns.T)


def antialiased2d_backward(
    grad_out: Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool,
    scale_h: float,
    scale_w: float,
    out: Array,
    precision: Precision,
) -> None:
    """Add what each element contributed to the averages of `antialiased2d`, with the same weights."""
    del output_size, input_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        rows = _tent(out.shape[-2], grad_out.shape[-2], align_corners, scale_h)
        columns = _tent(out.shape[-1], grad_out.shape[-1], align_corners, scale_w)
        arithmetic.write(out, rows.T @ arithmetic.read(grad_out).astype(np.float64) @ columns)


def _tent(size: int, count: int, align_corners: bool, scale: float) -> Array:
    """The weight of each of ``size`` elements in each of ``count`` averages, a row for each average."""
    if align_corners:
        step = (size - 1) / (count - 1) if count > 1 else 0.0
    else:
        step = 1.0 / scale if scale > 0 else size / count
    reach = max(step, 1.0)
    centres = step * (np.arange(count, dtype=np.float64) + 0.5)
    elements, first = np.arange(size), np.maximum((centres - reach + 0.5).astype(np.int64), 0)
    last = np.minimum((centres + reach + 0.5).astype(np.int64), size)
    weights = np.maximum(0.0, 1 - np.abs(elements - centres[:, None] + 0.5) / reach)
    weights *= (elements >= first[:, None]) & (elements < last[:, None])
    total: Array = weights.sum(1, keepdims=True)
    return np.asarray(weights / np.where(total == 0, 1, total))


def _axes(precision: Precision, *scales: float) -> Iterator[tuple[int, float]]:
    """The axes from ``rows`` in precision on, each with its scale."""
    return enumerate(scales, cast("int", precision["rows"]))


def _fold(gradient: Array, target: Array, precision: Precision, *scales: float) -> None:
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(gradient)
        for axis, scale in _axes(precision, *scales):
            total = _folded(total, axis, target.shape[axis], scale)
        arithmetic.write(target, total)


def _interpolate(x: Array, align_corners: bool, out: Array, precision: Precision, *scales: float) -> None:
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        values = arithmetic.read(x)
        for axis, scale in _axes(precision, *scales):
            values = _interpolated(values, axis, out.shape[axis], align_corners, scale)
        arithmetic.write(out, values)


def _share_out(gradient: Array, align_corners: bool, target: Array, precision: Precision, *scales: float) -> None:
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(gradient)
        for axis, scale in _axes(precision, *scales):
            total = _shared_out(total, axis, target.shape[axis], align_corners, scale)
        arithmetic.write(target, total)


def _cubic(size: int, count: int, align_corners: bool, scale: float) -> Iterator[tuple[Array, Array]]:
    """The four neighbours of each of ``count`` places in a number of elements, with their weights."""
    steps = np.arange(count, dtype=np.float64)
    step = (size - 1) / max(count - 1, 1) if align_corners else 1.0 / scale if scale > 0 else size / count
    places = steps * step if align_corners else (steps + 0.5) * step - 0.5
    below = np.floor(places)
    for offset in (-1, 0, 1, 2):
        d = np.abs(places - below - offset)
        near, far = (1.25 * d - 2.25) * d * d + 1, ((-0.75 * d + 3.75) * d - 6) * d + 3
        yield np.clip(below + offset, 0, size - 1).astype(int), np.where(d <= 1, near, far)


def _folded(array: Array, axis: int, size: int, scale: float) -> Array:
    """The sums of the elements along an axis that were copied from one element each."""
    length = array.shape[axis]
    factor = np.float32(scale) if scale > 0 else np.float32(length) / np.float32(size)
    first = np.minimum(np.ceil(factor * np.arange(size + 1, dtype=np.float32)), length).astype(int)
    along = np.moveaxis(array, axis, 0)
    sums = [along[start:stop].sum(0, dtype=np.float64) for start, stop in pairwise(first)]
    return np.moveaxis(np.stack(sums), 0, axis)


def _nearest(size: int, count: int, scale: float = 0.0, centre: float = 0.0) -> Array:
    """Which element each of ``count`` is a copy of."""
    step = np.float32(1.0 / scale) if scale > 0 else np.float32(size) / np.float32(count)
    places = np.floor((np.arange(count, dtype=np.float32) + np.float32(centre)) * step)
    nearest: Array = np.minimum(places, size - 1).astype(int)
    return nearest


def _interpolated(array: Array, axis: int, count: int, align_corners: bool, scale: float) -> Array:
    """A number of elements along an axis, each between two neighbours of the array."""
    low, high, weights = _neighbours(array.shape[axis], count, align_corners, scale)
    weight = weights.astype(array.dtype).reshape(-1, *(1,) * (array.ndim - axis - 1))
    between: Array = array.take(low, axis) * (1 - weight) + array.take(high, axis) * weight
    return between


def _shared_out(array: Array, axis: int, size: int, align_corners: bool, scale: float) -> Array:
    """The sums along an axis of the shares that the elements had in the array by `_interpolated`."""
    low, high, weights = _neighbours(size, array.shape[axis], align_corners, scale)
    along = np.moveaxis(array, axis, 0)
    weight = weights.astype(array.dtype).reshape(-1, *(1,) * (array.ndim - 1))
    sums = np.zeros((size, *along.shape[1:]), array.dtype)
    np.add.at(sums, low, along * (1 - weight))
    np.add.at(sums, high, along * weight)
    return np.moveaxis(sums, 0, axis)


def _neighbours(size: int, count: int, align_corners: bool, scale: float) -> tuple[Array, Array, Array]:
    """Between which two of ``size`` elements each of ``count`` lies, and the weight of the second one."""
    last, steps = size - 1, np.arange(count, dtype=np.float64)
    if align_corners:
        places = steps * last / max(count - 1, 1)
    else:
        step = 1.0 / scale if scale > 0 else size / count
        places = np.maximum(0.0, (steps + 0.5) * step - 0.5)
    low = np.minimum(places.astype(np.int64), last)
    # Past the last element both neighbours are the last one; a weight of at most 1 keeps their sum finite.
    return low, np.minimum(low + 1, last), np.minimum(places - low, 1)
