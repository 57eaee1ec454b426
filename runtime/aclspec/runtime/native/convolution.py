"""Compiled kernels of `aclspec.runtime.kernels.convolution`, for one kernel a channel; others are left to BLAS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.conv_lanes import geometry_of
from aclspec.runtime.kernels.convolution import bias_of, channel_sums
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.windows import Axis, Pool
from aclspec.runtime.native.arguments import check, common_dtype, computes_in_float, floats, usable, window
from aclspec.runtime.native.dense_convolution import backward, forward
from aclspec.runtime.native.library import Library

Ints = Sequence[int]


def convolution_backward(
    grad_output: Array,
    x: Array,
    weight: Array,
    bias_sizes: Ints | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    output_padding: Ints,
    groups: int,
    output_mask: Sequence[bool],
    cube_math_type: int,
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> bool:
    """Within 2 * taps units of float32 of NumPy's, relative to the sum of the terms' absolute values."""
    made = _windows(x, weight, grad_output, stride, padding, dilation, transposed, groups, precision)
    if made is None:
        values = grad_output, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups
        return backward(*values, output_mask, cube_math_type, grad_input, grad_weight, grad_bias, precision)
    if common_dtype(x, weight, grad_output, grad_input, grad_weight) is None:
        return False
    c, of = made
    if usable(grad_input, grad_weight) is None:
        return False
    wants_input, wants_weight, wants_bias = output_mask
    wide = Arithmetic(DType.FLOAT, np.dtype(np.float32), None)
    address = c.ffi.from_buffer
    with np.errstate(all="ignore"):
        if wants_input and grad_input is not None:
            factors = floats(weight)
            of_input = address(grad_output), address("float[]", factors), address(grad_input)
            check(c.lib.aclspec_depthwise_input(of, *of_input))
        if wants_weight and grad_weight is not None:
            sums, totals = np.empty(weight.shape), np.empty(weight.shape[0] if wants_bias else 0)
            into = address("double[]", sums), address("double[]", totals) if wants_bias else c.ffi.NULL
            check(c.lib.aclspec_depthwise_weight(of, address(grad_output), address(x), *into))
            wide.write(grad_weight, sums.astype(np.float32))
            if wants_bias and grad_bias is not None:
                wide.write(grad_bias, totals)
        elif wants_bias and grad_bias is not None:
            wide.write(grad_bias, channel_sums(grad_output))
    return True


def convolution(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    output_padding: Ints,
    groups: int,
    output: Array,
    cube_math_type: int,
    precision: Precision,
) -> bool:
    """Within 2 * taps units of float32 of NumPy's, relative to the sum of the terms' absolute values."""
    made = _windows(x, weight, output, stride, padding, dilation, transposed, groups, precision)
    if made is None:
        values = x, weight, bias, stride, padding, dilation, transposed, output_padding, groups
        return forward(*values, output, cube_math_type, precision)
    c, of = made
    address = c.ffi.from_buffer
    with np.errstate(all="ignore"):
        shift = None if bias is None else floats(bias_of(bias, precision, Arithmetic.of(precision)))
        factors = floats(weight)
    pointers = address("float[]", factors), c.ffi.NULL if shift is None else address("float[]", shift)
    check(c.lib.aclspec_depthwise(of, address(x), *pointers, address(output)))
    return True


def _windows(
    x: Array,
    weight: Array,
    windows: Array,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    groups: int,
    precision: Precision,
) -> tuple[Library, Any] | None:
    """The library and the windows of a two-dimensional convolution with one kernel a channel."""
    if x.ndim != 4 or transposed or not groups == x.shape[1] == weight.shape[0] == windows.shape[1]:
        return None
    dtype = common_dtype(x, weight, windows)
    c = usable(x, weight, windows)
    if dtype is None or c is None or not computes_in_float(precision, dtype):
        return None
    geometry = geometry_of(2, stride, padding, dilation)
    steps = zip(x.shape[2:], windows.shape[2:], weight.shape[2:], *geometry, strict=True)
    of = window(c, dtype, (x.shape[0], x.shape[1]), Pool(*(Axis(*step) for step in steps)))
    return None if of is None else (c, of)
