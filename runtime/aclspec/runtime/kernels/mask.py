"""Masks of max pooling, packed and unpacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.mask_layouts import NOWHERE, Mask, block_words
from aclspec.runtime.kernels.windows import Pool, as_batch, pool_of

Ints = int | Sequence[int]


def pack_mask(
    argmax: Array,
    input_size: Sequence[int],
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    *,
    layout: str,
) -> NDArray[np.int8]:
    """The mask of max pooling, as an operator takes and gives it, from the positions of the maxima.

    Args:
        argmax: integers (N, C, Ho, Wo) or (C, Ho, Wo): the position i * W + j of each window's maximum in its plane.
            A position that is no cell of its own window has no place in the layout "bits" and is left out of it.
        input_size: H and W, the rows and columns of the plane.
        kernel_size: one number, or one for the rows and one for the columns; so are the three that follow.
        stride: None for the kernel size.
        padding: cells before the first row and column.
        dilation: steps between the cells of a window.
        layout: "argmax" or "bits"; which one an operator uses depends on the product and on the kernel.

    Returns:
        The mask in its declared shape (N, C, kH * kW, (ceil(Ho * Wo / 16) + 1) * 32); its unused bytes are zero.
    """
    positions = as_batch(_integers(argmax))
    pool = _pool(input_size, positions.shape[-2:], kernel_size, stride, padding, dilation)
    samples, channels = positions.shape[:2]
    mask = np.zeros((samples, channels, *_declared(pool)), np.int8)
    view = Mask(mask, layout, samples, channels, pool)
    for planes in view.planes():
        view.write(planes, positions[planes])
    return mask if argmax.ndim == 4 else mask[0]


def unpack_mask(
    mask: Array,
    input_size: Sequence[int],
    output_size: Sequence[int],
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    *,
    layout: str,
) -> NDArray[np.int32]:
    """The positions of the maxima that a mask holds.

    Args:
        mask: INT8 of the declared shape, or without its first axis.
        input_size: H and W, the rows and columns of the plane.
        output_size: Ho and Wo, the rows and columns of the windows.
        kernel_size: and the four that follow as in `pack_mask`.

    Returns:
        int32 (N, C, Ho, Wo), or (C, Ho, Wo) for a mask of three axes; -1 where the mask names no cell of the window,
        and the first cell where it names several.
    """
    planes4 = as_batch(_integers(mask))
    if planes4.dtype != np.int8:
        raise ValueError(f"The dtype of mask ({mask.dtype}) is not int8.")
    pool = _pool(input_size, output_size, kernel_size, stride, padding, dilation)
    if planes4.shape[2:] != _declared(pool):
        expected = ", ".join(map(str, _declared(pool)))
        raise ValueError(f"The last two axes of mask {planes4.shape[2:]} are not ({expected}), which the windows take.")
    samples, channels = planes4.shape[:2]
    positions = np.full((samples, channels, pool.rows.count, pool.cols.count), NOWHERE, np.int32)
    view = Mask(planes4, layout, samples, channels, pool)
    for planes in view.planes():
        part = np.full(positions[planes].shape, NOWHERE, np.int32)
        maxima = view.read(planes)
        part.reshape(-1)[maxima.windows[::-1]] = maxima.positions[::-1]  # the first cell is assigned last
        positions[planes] = part
    return positions if mask.ndim == 4 else positions[0]


def _declared(pool: Pool) -> tuple[int, int]:
    return pool.rows.kernel * pool.cols.kernel, 2 * block_words(pool.rows.count * pool.cols.count)


def _integers(array: Array) -> Array:
    if array.dtype.kind not in "iu" or array.ndim not in (3, 4):
        raise ValueError(f"The array ({array.dtype}, {array.ndim} axes) is not one of integers with 3 or 4 axes.")
    return array


def _pool(
    cells: Sequence[int],
    windows: Sequence[int],
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
) -> Pool:
    strides = None if stride is None else _tuple("stride", stride, 1)
    kernel, pads, steps = (
        _tuple("kernel_size", kernel_size, 1),
        _tuple("padding", padding, 0),
        _tuple("dilation", dilation, 1),
    )
    return pool_of(_tuple("input_size", cells, 1), _tuple("output_size", windows, 0), kernel, strides, pads, steps)


def _tuple(name: str, value: Ints, least: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    if len(values) not in (1, 2) or any(one < least for one in values):
        raise ValueError(f"The value of {name} ({value}) is not one or two integers of at least {least}.")
    return values
