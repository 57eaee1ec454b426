"""Masks of max pooling, packed and unpacked."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.host_memory import ASK_FROM, available_bytes
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.mask_layouts import NOWHERE, Mask, block_words
from aclspec.runtime.kernels.windows import Pool, as_batch, pool_of
from aclspec.runtime.tensors.array_coercion import to_numpy

Ints = int | Sequence[int]


def pack_mask(
    argmax: Any,
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
        argmax: integers (N, C, Ho, Wo) or (C, Ho, Wo), in an array of any kind: the position i * W + j of each window's
            maximum in its plane. One that is no cell of its own window has no place in the layout "bits" and is left
            out of it; one beyond int32 has a place in neither.
        input_size: H and W, the rows and columns of the plane.
        kernel_size: one number, or one for the rows and one for the columns; so are the three that follow.
        stride: None for the kernel size.
        padding: cells before the first row and column.
        dilation: steps between the cells of a window.
        layout: "argmax" or "bits"; which one an operator uses depends on the product and on the kernel.

    Returns:
        The mask in its declared shape (N, C, kH * kW, (ceil(Ho * Wo / 16) + 1) * 32); its unused bytes are zero.
    """
    given = _integers("argmax", argmax)
    _check_range(given)
    positions = as_batch(given)
    pool = _pool(input_size, positions.shape[-2:], kernel_size, stride, padding, dilation)
    samples, channels = positions.shape[:2]
    mask = _zeros((samples, channels, *_declared(pool)))
    view = Mask(mask, layout, samples, channels, pool)
    for planes in view.planes():
        view.write(planes, positions[planes])
    return mask if given.ndim == 4 else mask[0]


def unpack_mask(
    mask: Any,
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
        mask: INT8 of the declared shape, or without its first axis, in an array of any kind.
        input_size: H and W, the rows and columns of the plane.
        output_size: Ho and Wo, the rows and columns of the windows.
        kernel_size: and the four that follow as in `pack_mask`.

    Returns:
        int32 (N, C, Ho, Wo), or (C, Ho, Wo) for a mask of three axes; -1 where the mask names no cell of the window,
        and the first cell where it names several.
    """
    given = _integers("mask", mask)
    planes4 = as_batch(given)
    if planes4.dtype != np.int8:
        raise ValueError(f"The dtype of mask ({planes4.dtype}) is not int8.")
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
    return positions if given.ndim == 4 else positions[0]


def _declared(pool: Pool) -> tuple[int, int]:
    return pool.rows.kernel * pool.cols.kernel, 2 * block_words(pool.rows.count * pool.cols.count)


def _integers(name: str, value: Any) -> Array:
    array: Array = value if isinstance(value, np.ndarray) else to_numpy(value, name)
    if array.dtype.kind not in "iu" or array.ndim not in (3, 4):
        raise ValueError(
            f"The array {name} ({array.dtype}, {array.ndim} axes) is not one of integers with 3 or 4 axes."
        )
    return array


def _check_range(positions: Array) -> None:
    """Refuse a position that int32, in which a mask holds it, would take for another one."""
    bounds = np.iinfo(np.int32)
    for extreme in (int(positions.min(initial=0)), int(positions.max(initial=0))):
        if not bounds.min <= extreme <= bounds.max:
            raise ValueError(f"A position in argmax ({extreme}) is beyond the range of int32.")


def _zeros(shape: tuple[int, ...]) -> NDArray[np.int8]:
    needed = prod(shape)
    if needed > ASK_FROM and needed > (available := available_bytes()):
        raise ValueError(
            f"The mask needs {needed} bytes of memory, more than the {available} bytes that are available."
        )
    return np.zeros(shape, np.int8)


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
    values: tuple[Any, ...] = tuple(value) if isinstance(value, Sequence | np.ndarray) else (value,)
    if len(values) not in (1, 2) or not all(isinstance(one, int | np.integer) and one >= least for one in values):
        raise ValueError(f"The value of {name} ({value}) is not one or two integers of at least {least}.")
    return tuple(map(int, values))
