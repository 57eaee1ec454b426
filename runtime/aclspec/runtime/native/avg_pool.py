"""Compiled kernels of `aclspec.runtime.kernels.avg_pool`."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.runtime.kernels.avg_pool import divisors_of
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import as_batch, pool_of
from aclspec.runtime.native.arguments import check, common_dtype, computes_in_float, floats, usable, window


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
) -> bool:
    """The same bits as NumPy's."""
    attributes = (kernel_size, stride, padding, count_include_pad, divisor_override)
    return _pool("avg_pool_backward", grad_output, grad_input, grad_input, grad_output, *attributes, precision)


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
) -> bool:
    """The same bits as NumPy's."""
    attributes = (kernel_size, strides, paddings, count_include_pad, divisor_override)
    return _pool("avg_pool", x, out, x, out, *attributes, precision)


def _pool(
    function: str,
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
) -> bool:
    dtype = common_dtype(source, target)
    c = usable(source, target)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return False
    shape = as_batch(cells).shape
    pool = pool_of(shape, windows.shape, kernel, stride, padding)
    windows_of = window(c, dtype, (shape[0], shape[1]), pool)
    if windows_of is None:
        return False
    divisors = floats(divisors_of(pool, count_include_pad, override, floats(0).dtype))
    compute, address = getattr(c.lib, f"aclspec_{function}"), c.ffi.from_buffer
    check(compute(windows_of, address(source), address("float[]", divisors), address(target)))
    return True
