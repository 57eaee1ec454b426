"""Compiled kernels of `aclspec.runtime.kernels.max_pool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.mask_layouts import LANES, block_words
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import Pool, as_batch, pool_of
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.library import Library
from aclspec.runtime.native.plans import Run, common_dtype, computes_in_float, usable, window

Ints = Sequence[int]


def max_pool2d_with_mask_backward(
    grad_output: Array,
    x: Array,
    indices: Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    grad_input: Array,
    precision: Precision,
) -> Run | None:
    """As NumPy's; float32 sums of overlapping windows are added in the same order."""
    attributes = (kernel_size, stride, padding, dilation)
    made = _plan(grad_output, grad_input, grad_input, grad_output, indices, *attributes, precision)
    if made is None:
        return None
    c, plan, pitch = made
    return calling(c, f"max_pool_backward_{precision['layout']}", plan, 0, 2, *pitch, 8)


def max_pool2d_with_mask(
    x: Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    out: Array,
    indices: Array,
    precision: Precision,
) -> Run | None:
    """The same maxima and the same mask as NumPy's."""
    made = _plan(x, out, x, out, indices, kernel_size, stride, padding, dilation, precision)
    if made is None:
        return None
    c, plan, pitch = made
    return calling(c, f"max_pool_{precision['layout']}", plan, 0, 6, 7, *pitch)


def _plan(
    source: Array,
    target: Array,
    cells: Array,
    windows: Array,
    indices: Array,
    kernel: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    precision: Precision,
) -> tuple[Library, Any, tuple[Any, ...]] | None:
    """The library, the windows, and what the layout is told beside the mask."""
    dtype = common_dtype(source, target)
    c = usable(source, target, indices)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    shape = as_batch(cells).shape
    pool = pool_of(shape, windows.shape, kernel, stride, padding, dilation)
    plan = window(c, dtype, (shape[0], shape[1]), pool)
    if plan is None or indices.nbytes < _mask_bytes(shape, pool, precision):
        return None
    return c, plan, _pitch(c, pool, precision)


def _is_bits(precision: Precision) -> bool:
    return precision["layout"] == "bits"


def _pitch(c: Library, pool: Pool, precision: Precision) -> tuple[Any, ...]:
    """What the layout of bits is told beside the mask: the words that a kernel cell has."""
    words = block_words(pool.rows.count * pool.cols.count)
    return (c.ffi.new("int64_t *", words),) if _is_bits(precision) else ()


def _mask_bytes(shape: Sequence[int], pool: Pool, precision: Precision) -> int:
    """The bytes of a mask that the layout uses."""
    windows = pool.rows.count * pool.cols.count
    if _is_bits(precision):
        words = pool.rows.kernel * pool.cols.kernel * block_words(windows)
        return 2 * shape[0] * -(-shape[1] // LANES) * words
    return 4 * shape[0] * shape[1] * windows
