"""Average pooling over windows of rows and columns, and gradients of pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import as_batch
from aclspec.runtime.torch_kernels.tensors import Numbers, as_tensor, by_tensors

Ints = Sequence[int]
Windows = tuple[list[int], list[int], list[int]]
aten: Any = torch.ops.aten


@by_tensors
def avg_pool2d(
    x: Array,
    kernel_size: Ints,
    strides: Ints | None,
    paddings: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    cube_math_type: int,
    out: Array,
    precision: Precision,
) -> bool:
    """As `aclspec.runtime.kernels.avg_pool.avg_pool2d`."""
    del cube_math_type
    x4, out4, numbers = as_batch(x), as_batch(out), Numbers(precision)
    windows = _windows(x4, out4, kernel_size, strides, paddings, ceil_mode)
    if windows is None:
        return False
    options = ceil_mode, count_include_pad, divisor_override or None
    numbers.write(out4, aten.avg_pool2d(numbers.read(x4), *windows, *options))
    return True


@by_tensors
def avg_pool2d_backward(
    grad_output: Array,
    x: Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    cube_math_type: int,
    grad_input: Array,
    precision: Precision,
) -> bool:
    """As `aclspec.runtime.kernels.avg_pool.avg_pool2d_backward`."""
    del x, cube_math_type
    g4, gx4, numbers = as_batch(grad_output), as_batch(grad_input), Numbers(precision)
    windows = _windows(gx4, g4, kernel_size, stride, padding, ceil_mode)
    if windows is None:
        return False
    options = ceil_mode, count_include_pad, divisor_override or None
    gradient = numbers.read(g4)
    cells = gradient.new_empty(1).expand(gx4.shape)  # the function reads only its shape
    numbers.write(gx4, aten.avg_pool2d_backward(gradient, cells, *windows, *options))
    return True


@by_tensors
def max_pool2d_with_indices_backward(
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
    """As `aclspec.runtime.kernels.max_pool.max_pool2d_with_indices_backward`."""
    del x, kernel_size, stride, padding, dilation, ceil_mode
    channels, numbers = cast("int", precision["channels"]), Numbers(precision)
    g4, at4, gx4 = (as_batch(np.moveaxis(array, channels, -3)) for array in (grad_output, indices, grad_input))
    places, size = as_tensor(at4).long().flatten(2), gx4.shape[2] * gx4.shape[3]
    if not ((places >= 0) & (places < size)).all():
        return False
    gradient = numbers.read(g4).flatten(2)
    cells = gradient.new_zeros(*gx4.shape[:2], size).scatter_add_(2, places, gradient)
    numbers.write(gx4, cells.reshape(gx4.shape))
    return True


def _windows(
    cells: Array, windows: Array, kernel: Ints, stride: Ints | None, padding: Ints, ceil_mode: bool
) -> Windows | None:
    """Kernel, stride and padding of both axes; None for windows that PyTorch does not make."""
    kernels, pads = _pair(kernel), _pair(padding)
    steps = _pair(stride) if stride else kernels
    axes = zip(cells.shape[2:], windows.shape[2:], kernels, steps, pads, strict=True)
    return (kernels, steps, pads) if all(_fits(*axis, ceil_mode) for axis in axes) else None


def _fits(cells: int, windows: int, kernel: int, stride: int, padding: int, ceil_mode: bool) -> bool:
    if not 0 <= 2 * padding <= kernel:
        return False
    count = (cells + 2 * padding - kernel + ceil_mode * (stride - 1)) // stride + 1
    if ceil_mode and (count - 1) * stride >= cells + padding:
        count -= 1
    return windows == count


def _pair(values: Ints) -> list[int]:
    return [values[0], values[:2][-1]]
