"""Adaptive average pooling: windows that follow from the sizes of input and output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.windows import COLS, ROWS


def adaptive_avg_pool2d(x: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """The average of each window, which are as alike as the sizes allow and cover the input.

    Of n windows over s cells, window i begins at ``i * s / n``, rounded down, and ends before ``(i + 1) * s / n``,
    rounded up.

    - Shapes: x (..., H, W), out (..., Ho, Wo).
    - Precision: x is rounded to the role ``operand``. Sums run in float64, which is as near to the exact sum as any
      order of additions in ``accumulate`` can come; the average is rounded to ``result``, then to the output.
    - Extra memory: x in the dtype of ``accumulate``, and its windows in float64.
    - Source: the formula of the operator's spec.
    """
    del output_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        averages = _averages(_averages(arithmetic.read(x), ROWS, out.shape[ROWS]), COLS, out.shape[COLS])
        arithmetic.write(out, averages)


def adaptive_avg_pool3d(x: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """The average of each window of planes, rows and columns, as `adaptive_avg_pool2d` has it of rows and columns."""
    del output_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        averages = arithmetic.read(x)
        for axis in (-3, ROWS, COLS):
            averages = _averages(averages, axis, out.shape[axis])
        arithmetic.write(out, averages)


def adaptive_avg_pool_backward(gradient: Array, x: Array, out: Array, precision: Precision) -> None:
    """Give each element its share of the gradients of the windows that cover it.

    - Shapes: ``axes`` in precision says how many of the last axes were pooled; x has the shape of out.
    - Precision: the gradient is rounded to the role ``operand``. Sums run in float64 and are rounded to ``result``.
    """
    del x
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(gradient).astype(np.float64)
        for axis in range(-cast("int", precision["axes"]), 0):
            along, size = np.moveaxis(total, axis, 0), out.shape[axis]
            total = np.zeros((size, *along.shape[1:]))
            for window, (start, stop) in enumerate(_bounds(size, along.shape[0])):
                total[start:stop] += along[window] / (stop - start)
            total = np.moveaxis(total, 0, axis)
        arithmetic.write(out, total)


def adaptive_max_pool2d(x: Array, output_size: Sequence[int], out: Array, places: Array, precision: Precision) -> None:
    """The maximum of each window, and its place in the plane, row by row; of equal elements the first, and NaN is one.

    - Shapes: ``rows`` in precision is the axis of the rows, which the columns follow.
    """
    del output_size
    rows = cast("int", precision["rows"])
    planes, most, at = (np.moveaxis(array, (rows, rows + 1), (-2, -1)) for array in (x, out, places))
    keys = planes.astype(np.float64)
    for i, (top, bottom) in enumerate(_bounds(planes.shape[-2], most.shape[-2])):
        for j, (left, right) in enumerate(_bounds(planes.shape[-1], most.shape[-1])):
            window = keys[..., top:bottom, left:right]
            first = window.reshape(*window.shape[:-2], -1).argmax(-1)
            row, column = first // (right - left) + top, first % (right - left) + left
            at[..., i, j] = row * planes.shape[-1] + column
    flat = planes.reshape(*planes.shape[:-2], -1)
    np.copyto(most, np.take_along_axis(flat, at.reshape(*at.shape[:-2], -1), -1).reshape(at.shape))


def adaptive_max_pool_backward(gradient: Array, x: Array, places: Array, out: Array, precision: Precision) -> None:
    """Add each gradient at the place of its maximum, counted row by row in the last axes.

    - Shapes: gradient and places alike, x the shape of out; ``axes`` in precision says how many axes were pooled.
    - Precision: the gradient is rounded to the role ``operand``. Sums run in float64 and are rounded to ``result``.
    - Source: the formula of the operator's spec.
    """
    del x
    arithmetic, axes = Arithmetic.of(precision), cast("int", precision["axes"])
    values, at = (_rows(array, axes) for array in (arithmetic.read(gradient).astype(np.float64), places))
    total = np.zeros((len(values), int(np.prod(out.shape[-axes:]))))
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        np.add.at(total, (np.arange(len(values))[:, None], at.astype(np.int64)), values)
        arithmetic.write(out, total.reshape(out.shape))


def adaptive_max_pool3d(x: Array, output_size: Sequence[int], out: Array, places: Array, precision: Precision) -> None:
    """The maximum of each window of planes, rows and columns, and its place in the volume, as `adaptive_max_pool2d`."""
    del output_size, precision
    volumes, keys = x.shape[-3:], x.astype(np.float64)
    bounds = [_bounds(size, count) for size, count in zip(volumes, out.shape[-3:], strict=True)]
    numbers = np.arange(int(np.prod(volumes))).reshape(volumes)
    for at in np.ndindex(*out.shape[-3:]):
        box: tuple[Any, ...] = tuple(slice(*bounds[axis][window]) for axis, window in enumerate(at))
        cells: tuple[Any, ...] = (..., *box)
        window = keys[cells].reshape(*x.shape[:-3], -1)
        to: tuple[Any, ...] = (..., *at)
        places[to] = numbers[box].reshape(-1)[window.argmax(-1)]
    flat, where = x.reshape(*x.shape[:-3], -1), places.reshape(*x.shape[:-3], -1).astype(np.int64)
    np.copyto(out, np.take_along_axis(flat, where, -1).reshape(out.shape))


def max_pool3d_backward(
    gradient: Array,
    x: Array,
    places: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    out: Array,
    precision: Precision,
) -> None:
    """Add each gradient at the place of its maximum in the volume; the windows that they are from change nothing."""
    del kernel_size, stride, padding, dilation, ceil_mode
    adaptive_max_pool_backward(gradient, x, places, out, precision)


def max_unpool(x: Array, places: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """Write each maximum to its place, counted row by row in the last axes, and 0 elsewhere.

    - Shapes: x and places alike; out has the axes of x, the last ones, ``axes`` in precision, of other sizes. Of maxima
      with one place the last stays.
    - Source: the formula of the operator's spec.
    """
    del output_size
    axes = cast("int", precision["axes"])
    values, at = _rows(x, axes), _rows(places, axes)
    filled = np.zeros((len(values), int(np.prod(out.shape[-axes:]))), out.dtype)
    filled[np.arange(len(values))[:, None], at.astype(np.int64)] = values
    np.copyto(out, filled.reshape(out.shape))


def max_unpool3d(
    x: Array,
    places: Array,
    output_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    out: Array,
    precision: Precision,
) -> None:
    """Write each maximum to its place in its volume; the windows that they are from change nothing."""
    del stride, padding
    max_unpool(x, places, output_size, out, precision)


def _rows(array: Array, axes: int) -> Array:
    """An array with its last axes in one, and those before it in another."""
    return array.reshape(int(np.prod(array.shape[:-axes])), int(np.prod(array.shape[-axes:])))


def _bounds(size: int, count: int) -> list[tuple[int, int]]:
    """Where each of ``count`` windows begins and ends."""
    return [(window * size // count, -(-(window + 1) * size // count)) for window in range(count)]


def _averages(cells: Array, axis: int, count: int) -> Array:
    """The averages of ``count`` windows along one axis."""
    along = np.moveaxis(cells, axis, 0)
    averages = [along[start:stop].mean(0, dtype=np.float64) for start, stop in _bounds(cells.shape[axis], count)]
    return np.moveaxis(np.stack(averages), 0, axis)
