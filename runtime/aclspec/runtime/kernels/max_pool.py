"""Max pooling that records where each maximum was found, in a mask or as an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.kernels.blocks import BLOCK, Array, blocks, replace
from aclspec.runtime.kernels.mask_layouts import NOWHERE, Mask
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.windows import COLS, ROWS, Axis, Pool, as_batch, over_windows, pool_of


def max_pool2d_with_mask_backward(
    grad_output: Array,
    x: Array,
    indices: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    grad_input: Array,
    precision: Precision,
) -> None:
    """The gradient of max pooling with respect to its input.

    With a(o) the cell that the mask ``indices`` has for window o::

        grad_input[i] = sum over the windows o with a(o) = i of  grad_output[o]

    - Shapes: grad_output (N, C, Ho, Wo), grad_input (N, C, H, W), or both without N; indices INT8. Neither x nor
      ceil_mode (which the size of grad_output has in it) is read.
    - Precision: grad_output is rounded to the role ``operand``; sums run in ``accumulate``, and are rounded to
      ``result``, where the table has that role, and to the output. The role ``layout`` is "argmax" or "bits".
    - Extra memory: 2 buffers of a block (`blocks.BLOCK` elements; one plane, or 16 with the layout "bits", where
      that is more), the bytes of the mask that belong to it, and about 100 bytes for each window of it, or for each
      bit of the mask that is set.
    - Source: the formula of the operator's spec; the layouts in `mask_layouts`.

    # Note: a mask from elsewhere may hold anything. What is not a cell of its own window inside the plane, and what
    would lie beyond the end of the buffer, gives no gradient. A window with several bits gives its gradient to each.
    """
    g4, gx4 = as_batch(grad_output), as_batch(grad_input)
    pool = pool_of(gx4.shape, g4.shape, kernel_size, stride, padding, dilation)
    arithmetic = Arithmetic.of(precision)
    mask = Mask(indices, str(precision["layout"]), gx4.shape[0], gx4.shape[1], pool)
    plane, windows = pool.rows.size * pool.cols.size, pool.rows.count * pool.cols.count
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for planes in mask.planes():
            maxima = mask.read(planes)
            gradients = arithmetic.read(g4[planes]).reshape(-1)[maxima.windows]
            cells = np.zeros(gx4[planes].shape, arithmetic.accumulate)
            np.add.at(cells.reshape(-1), maxima.windows // max(1, windows) * plane + maxima.positions, gradients)
            arithmetic.write(gx4[planes], cells)


def max_pool2d_with_mask(
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    out: Array,
    indices: Array,
    precision: Precision,
) -> None:
    """The largest cell of each window, and the mask of where it lies: the first one in row-major order.

    Padding is never chosen. A NaN counts as the largest, the first of several. Windows of -inf alone have the first.

    - Shapes: x (N, C, H, W), out (N, C, Ho, Wo), or both without N; indices INT8 of the declared shape.
    - Precision: x is rounded to the role ``operand`` before it is compared, in ``accumulate``. The role ``layout`` is
      "argmax" or "bits"; bytes of the mask that it does not use are not written.
    - Extra memory: 8 buffers of a block (`blocks.BLOCK` elements; one plane, or 16 with the layout "bits", where that
      is more), the bytes of the mask that belong to it, and about 100 bytes for each window of it.
    - Source: the formula of the operator's spec; the layouts in `mask_layouts`.
    """
    x4, out4 = as_batch(x), as_batch(out)
    pool = pool_of(x4.shape, out4.shape, kernel_size, stride, padding, dilation)
    arithmetic = Arithmetic.of(precision)
    mask = Mask(indices, str(precision["layout"]), x4.shape[0], x4.shape[1], pool)
    with np.errstate(all="ignore"):
        for planes in mask.planes():
            best, place = _largest(pool, arithmetic.read(x4[planes]))
            arithmetic.write(out4[planes], best)
            mask.write(planes, place)


def max_pool2d_with_indices(
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    out: Array,
    indices: Array,
    precision: Precision,
) -> None:
    """The largest cell of each window, and its index in the plane: the first one in row-major order.

    Padding is never chosen. A NaN counts as the largest, the first of several. A window without cells has -inf, and
    the index at which its first cell that is not before the input would lie.

    - Shapes: x (N, C, H, W), out and indices (N, C, Ho, Wo), or all without N; ``channels`` in precision is the axis
      that C is in place of the third from the end.
    - Precision: x is rounded to the role ``operand`` before it is compared, in ``accumulate``.
    - Extra memory: 8 buffers of a block (`blocks.BLOCK` elements, or one plane where that is more).
    - Source: the formula of the operator's spec.
    """
    channels = cast("int", precision["channels"])
    x4, out4, indices4 = (as_batch(np.moveaxis(array, channels, -3)) for array in (x, out, indices))
    pool = pool_of(x4.shape, out4.shape, kernel_size, stride, padding, dilation)
    arithmetic = Arithmetic.of(precision)
    entries = np.add.outer(pool.cols.size * _entries(pool.rows), _entries(pool.cols))
    plane = max(1, pool.rows.size * pool.cols.size, entries.size)
    with np.errstate(all="ignore"):
        for at in blocks(x4.shape[:2], max(1, BLOCK // plane)):
            best, place = _largest(pool, arithmetic.read(x4[at]))
            arithmetic.write(out4[at], best)
            np.copyto(indices4[at], np.where(place == NOWHERE, entries, place), casting="unsafe")


def max_pool(
    x: Array,
    kernel_shape: Sequence[int],
    strides: Sequence[int],
    auto_pad: int,
    pads: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: int,
    out: Array,
    precision: Precision,
) -> None:
    """The largest cell of each window; a NaN where there is one.

    - Shapes: x (..., H, W), out (..., Ho, Wo). No strides are strides of 1. The settings ``top`` and ``left`` are the
      padding before the rows and the columns; what is behind them shows in the shape of out.
    - Precision: none, as nothing is rounded. A window without cells has the least number of the dtype.
    - Extra memory: x with the height of out.
    - Source: the formula of the operator's spec.
    """
    del auto_pad, pads, dilations, ceil_mode
    pads_before = [cast("int", precision["top"]), cast("int", precision["left"])]
    pool = pool_of(x.shape, out.shape, kernel_shape, strides or [1], pads_before)
    cells = Arithmetic.of(precision).read(x)
    least = -np.inf if cells.dtype.kind not in "iu" else np.iinfo(cells.dtype).min
    with np.errstate(all="ignore"):
        rows = over_windows(np.maximum, least, pool.rows, ROWS, cells)
        np.copyto(out, over_windows(np.maximum, least, pool.cols, COLS, rows))


def max_pool3d_with_argmax(
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    out: Array,
    indices: Array,
    precision: Precision,
) -> None:
    """The largest cell of each window of planes, rows and columns, and its index in the volume: the first one.

    Padding is never chosen. A NaN counts as the largest, the first of several. A window without cells has -inf, and
    the index at which its first cell that is not before the input would lie.

    - Shapes: x (..., D, H, W), out and indices (..., Do, Ho, Wo); ``channels`` in precision is the axis that C is in
      place of the fourth from the end.
    - Precision: none, as nothing is rounded.
    - Extra memory: x in float64, and the cells of all windows of one volume.
    - Source: the formula of the operator's spec.
    """
    del ceil_mode
    channels = cast("int", precision["channels"])
    cells, best, where = (np.moveaxis(array, channels, -4) for array in (x, out, indices))
    kernel, pads, spread = (tuple(one) * (3 // len(one)) for one in (kernel_size, padding, dilation))
    steps = tuple(stride) * (3 // len(stride)) if stride else kernel
    taps = [
        np.add.outer(np.arange(count) * step - pad, np.arange(size) * wide)
        for count, step, pad, size, wide in zip(best.shape[-3:], steps, pads, kernel, spread, strict=True)
    ]
    inside = [(tap >= 0) & (tap < size) for tap, size in zip(taps, cells.shape[-3:], strict=True)]
    d, h, w = (np.clip(tap, 0, size - 1) for tap, size in zip(taps, cells.shape[-3:], strict=True))
    at = np.ix_(*map(np.ravel, (d, h, w)))
    grid = (d.shape[0], d.shape[1], h.shape[0], h.shape[1], w.shape[0], w.shape[1])
    valid = _by_window(np.logical_and.outer(np.logical_and.outer(inside[0], inside[1]), inside[2]))
    numbers = np.arange(int(np.prod(cells.shape[-3:]))).reshape(cells.shape[-3:])[at].reshape(grid)
    number = _by_window(numbers)
    starts = (np.where(tap[:, 0] < 0, tap[:, 0] % wide, tap[:, 0]) for tap, wide in zip(taps, spread, strict=True))
    planes, rows, columns = starts
    entries = (planes[:, None, None] * cells.shape[-2] + rows[:, None]) * cells.shape[-1] + columns
    for lead in np.ndindex(*cells.shape[:-3]):
        values = np.where(valid, _by_window(cells[lead].astype(np.float64)[at].reshape(grid)), -np.inf)
        first = values.argmax(-1)[..., None]
        largest = np.take_along_axis(values, first, -1)[..., 0]
        found = np.take_along_axis(number, first, -1)[..., 0]
        where[lead] = np.where(largest == -np.inf, entries, found)
        best[lead] = largest


def _by_window(cells: Array) -> Array:
    """Cells by window and tap on each of three axes, with the taps of a window on one last axis."""
    d, i, h, j, w, k = cells.shape
    return cells.transpose(0, 2, 4, 1, 3, 5).reshape(d, h, w, i * j * k)


def max_pool2d_with_indices_backward(
    grad_output: Array,
    x: Array,
    indices: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    grad_input: Array,
    precision: Precision,
) -> None:
    """Add the gradient of each window to the cell whose index in the plane it has.

    - Shapes: grad_output and indices (N, C, Ho, Wo), grad_input (N, C, H, W), or all without N; ``channels`` in
      precision is the axis that C is in place of the third from the end. x and the windows are not read.
    - Precision: grad_output is rounded to the role ``operand``; sums run in ``accumulate``, and are rounded to
      ``result``, then to the output.
    - Extra memory: grad_output and grad_input in the dtype of ``accumulate``, and indices as INT64.
    - Source: the formula of the operator's spec.
    """
    del x, kernel_size, stride, padding, dilation, ceil_mode
    channels = cast("int", precision["channels"])
    g4, at4, gx4 = (as_batch(np.moveaxis(array, channels, -3)) for array in (grad_output, indices, grad_input))
    arithmetic = Arithmetic.of(precision)
    planes, size = gx4.shape[0] * gx4.shape[1], gx4.shape[ROWS] * gx4.shape[COLS]
    with np.errstate(all="ignore"):
        cells = np.zeros(planes * size, arithmetic.accumulate)
        places = at4.reshape(planes, -1) + size * np.arange(planes)[:, None]
        np.add.at(cells, places, arithmetic.read(g4).reshape(planes, -1))
        arithmetic.write(gx4, cells.reshape(gx4.shape))


Compare = Callable[[Array, Array], NDArray[np.bool_]]


def _largest(pool: Pool, cells: Array) -> tuple[Array, Array]:
    """The first largest cell of each window, and its position in the plane."""
    col = np.arange(pool.cols.size, dtype=np.int32)
    row_start = pool.cols.size * np.arange(pool.rows.size, dtype=np.int32)[:, None]
    exceeds = _exceeds if np.isnan(cells).any() else np.greater
    best, place = _maxima(pool.cols, COLS, cells, np.broadcast_to(col, cells.shape), exceeds)
    place = np.where(place == NOWHERE, NOWHERE, place + row_start)
    return _maxima(pool.rows, ROWS, best, place, exceeds)


def _entries(axis: Axis) -> Array:
    """The first cell of each window that is not before the input, whether it is inside or behind."""
    starts = map(axis.start, range(axis.count))
    return np.array([max(start, start % axis.dilation) for start in starts], np.int64)


def _exceeds(one: Array, other: Array) -> NDArray[np.bool_]:
    """Greater, where a NaN is greater than every number."""
    return (one > other) | (np.isnan(one) & ~np.isnan(other))


def _maxima(axis: Axis, along: int, values: Array, places: Array, exceeds: Compare) -> tuple[Array, Array]:
    """The first largest value of each window along one axis, and its place."""
    shape = list(values.shape)
    shape[along] = axis.count
    best, where = np.full(shape, -np.inf, values.dtype), np.full(shape, NOWHERE, np.int32)
    value, place = values.swapaxes(along, COLS), places.swapaxes(along, COLS)
    to, at = best.swapaxes(along, COLS), where.swapaxes(along, COLS)
    if axis.goes_by_tap:
        _first_places(axis, place, at)
        for covered, windows in axis.taps():
            better = exceeds(value[..., covered], to[..., windows])
            _take(to[..., windows], value[..., covered], better)
            _take(at[..., windows], place[..., covered], better)
    else:
        for window in range(axis.count):
            inside = value[..., axis.cells(window)]
            if inside.shape[-1]:
                found = inside.argmax(axis=-1, keepdims=True)
                to[..., [window]] = np.take_along_axis(inside, found, -1)
                at[..., [window]] = np.take_along_axis(place[..., axis.cells(window)], found, -1)
    return best, where


def _first_places(axis: Axis, places: Array, at: Array) -> None:
    """Begin with the first cell of each window, which holds the maximum unless another exceeds it."""
    cells = [axis.cells(window) for window in range(axis.count)]
    full = [window for window, inside in enumerate(cells) if inside.start is not None]
    at[..., full] = places[..., [cells[window].start for window in full]]


def _take(target: Array, source: Array, chosen: NDArray[np.bool_]) -> None:
    replace(target, source, np.multiply(chosen, -1, dtype=np.dtype(f"i{target.itemsize}")))
