"""Compiled kernels of `aclspec.runtime.kernels.avg_pool`."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.runtime.kernels.avg_pool import divisors_of
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import as_batch, pool_of
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.plans import Run, common_dtype, computes_in_float, floats, usable, window


def avg_pool2d_backward(
    grad_output: Array,
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    cube_math_type: int,
    grad_input: Array,
    precision: Precision,
) -> Run | None:
    """The same bits as NumPy's."""
    attributes = (kernel_size, stride, padding, count_include_pad, divisor_override)
    return _plan("avg_pool_backward", 0, 9, grad_output, grad_input, grad_input, grad_output, *attributes, precision)


def avg_pool2d(
    x: Array,
    kernel_size: Sequence[int],
    strides: Sequence[int] | None,
    paddings: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    cube_math_type: int,
    out: Array,
    precision: Precision,
) -> Run | None:
    """The same bits as NumPy's."""
    attributes = (kernel_size, strides, paddings, count_include_pad, divisor_override)
    return _plan("avg_pool", 0, 8, x, out, x, out, *attributes, precision)


def _plan(
    function: str,
    read: int,
    written: int,
    source: Array,
    target: Array,
    cells: Array,
    windows: Array,
    kernel: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    count_include_pad: bool,
    override: int,
    precision: Precision,
) -> Run | None:
    dtype = common_dtype(source, target)
    c = usable(source, target)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    shape = as_batch(cells).shape
    pool = pool_of(shape, windows.shape, kernel, stride, padding)
    plan = window(c, dtype, (shape[0], shape[1]), pool)
    if plan is None:
        return None
    divisors = floats(divisors_of(pool, count_include_pad, override, floats(0).dtype))
    return calling(c, function, plan, read, c.ffi.from_buffer("float[]", divisors), written)
