"""Compiled kernels of `aclspec.runtime.kernels.max_pool`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.mask_layouts import LANES, block_words
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import Pool, as_batch, pool_of
from aclspec.runtime.native.plans import Run, check, common_dtype, computes_in_float, usable, window

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
    dtype = common_dtype(grad_output, grad_input)
    c = usable(grad_output, grad_input, indices)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    shape = as_batch(grad_input).shape
    pool = pool_of(shape, grad_output.shape, kernel_size, stride, padding, dilation)
    plan = window(c, dtype, (shape[0], shape[1]), pool)
    if plan is None or indices.nbytes < _mask_bytes(shape, pool, precision):
        return None
    address, rest, kind = c.ffi.from_buffer, _pitch(pool, precision), _pointer(precision)
    compute = getattr(c.lib, f"aclspec_max_pool_backward_{precision['layout']}")

    def run(values: Sequence[Any]) -> None:
        mask = c.ffi.cast(kind, address(values[2]))
        check(compute(plan, address(values[0]), mask, *rest, address(values[-1])))

    return run


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
    dtype = common_dtype(x, out)
    c = usable(x, out, indices)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    shape = as_batch(x).shape
    pool = pool_of(shape, out.shape, kernel_size, stride, padding, dilation)
    plan = window(c, dtype, (shape[0], shape[1]), pool)
    if plan is None or indices.nbytes < _mask_bytes(shape, pool, precision):
        return None
    address, rest, kind = c.ffi.from_buffer, _pitch(pool, precision), _pointer(precision)
    compute = getattr(c.lib, f"aclspec_max_pool_{precision['layout']}")

    def run(values: Sequence[Any]) -> None:
        mask = c.ffi.cast(kind, address(values[-1]))
        check(compute(plan, address(values[0]), address(values[-2]), mask, *rest))

    return run


def _is_bits(precision: Precision) -> bool:
    return precision["layout"] == "bits"


def _pointer(precision: Precision) -> str:
    return "uint16_t *" if _is_bits(precision) else "int32_t *"


def _pitch(pool: Pool, precision: Precision) -> tuple[int, ...]:
    """What the layout of bits is told beside the mask: the words that a kernel cell has."""
    return (block_words(pool.rows.count * pool.cols.count),) if _is_bits(precision) else ()


def _mask_bytes(shape: Sequence[int], pool: Pool, precision: Precision) -> int:
    """The bytes of a mask that the layout uses."""
    windows = pool.rows.count * pool.cols.count
    if _is_bits(precision):
        words = pool.rows.kernel * pool.cols.kernel * block_words(windows)
        return 2 * shape[0] * -(-shape[1] // LANES) * words
    return 4 * shape[0] * shape[1] * windows
