"""Compiled kernels of `aclspec.runtime.kernels.max_pool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.mask_layouts import LANES, block_words
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import Pool, as_batch, pool_of
from aclspec.runtime.native.arguments import check, common_dtype, computes_in_float, usable, window
from aclspec.runtime.native.library import Library

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
) -> bool:
    """As NumPy's; float32 sums of overlapping windows are added in the same order."""
    attributes = (kernel_size, stride, padding, dilation)
    made = _windows(grad_output, grad_input, grad_input, grad_output, indices, *attributes, precision)
    if made is None:
        return False
    c, of, mask = made
    compute, address = getattr(c.lib, f"aclspec_max_pool_backward_{precision['layout']}"), c.ffi.from_buffer
    check(compute(of, address(grad_output), *mask, address(grad_input)))
    return True


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
) -> bool:
    """The same maxima and the same mask as NumPy's."""
    made = _windows(x, out, x, out, indices, kernel_size, stride, padding, dilation, precision)
    if made is None:
        return False
    c, of, mask = made
    compute, address = getattr(c.lib, f"aclspec_max_pool_{precision['layout']}"), c.ffi.from_buffer
    check(compute(of, address(x), address(out), *mask))
    return True


def _windows(
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
    """The library, the windows, and the mask as its layout takes it."""
    dtype = common_dtype(source, target)
    c = usable(source, target, indices)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    shape = as_batch(cells).shape
    pool = pool_of(shape, windows.shape, kernel, stride, padding, dilation)
    of = window(c, dtype, (shape[0], shape[1]), pool)
    if of is None or indices.nbytes < _mask_bytes(shape, pool, precision):
        return None
    return c, of, _mask(c, pool, indices, precision)


def _is_bits(precision: Precision) -> bool:
    return precision["layout"] == "bits"


def _mask(c: Library, pool: Pool, indices: Array, precision: Precision) -> tuple[Any, ...]:
    """The mask, and for the layout of bits the words that a kernel cell has."""
    start = c.ffi.from_buffer(indices)
    if not _is_bits(precision):
        return (c.ffi.cast("int32_t *", start),)
    return c.ffi.cast("uint16_t *", start), block_words(pool.rows.count * pool.cols.count)


def _mask_bytes(shape: Sequence[int], pool: Pool, precision: Precision) -> int:
    """The bytes of a mask that the layout uses."""
    windows = pool.rows.count * pool.cols.count
    if _is_bits(precision):
        words = pool.rows.kernel * pool.cols.kernel * block_words(windows)
        return 2 * shape[0] * -(-shape[1] // LANES) * words
    return 4 * shape[0] * shape[1] * windows
