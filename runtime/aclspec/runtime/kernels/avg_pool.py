"""Average pooling over windows of rows and columns, and of planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from aclspec.runtime.kernels.blocks import BLOCK, Array, Place, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.windows import COLS, ROWS, Axis, as_batch, over_windows, pool_of


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
) -> None:
    """The gradient of average pooling with respect to its input.

    With D(o) the divisor of window o::

        grad_input[i] = sum over the windows o that cover cell i of  grad_output[o] / D(o)

    D is divisor_override where that is not zero; else the cells of the window inside the padded input if
    count_include_pad, inside the input otherwise. A cell that no window covers gets zero.

    - Shapes: grad_output (N, C, Ho, Wo), grad_input (N, C, H, W), or both without N. Neither x nor ceil_mode (which
      the size of grad_output has in it) nor cube_math_type (which the roles have in them) is read.
    - Precision: grad_output is rounded to the role ``operand``; divisions and sums run in ``accumulate``; the sum is
      rounded to ``result``, where the table has that role, and to the output. Any strides; they do not matter.
    - Extra memory: 3 buffers of a block (`blocks.BLOCK` elements, or one (H, W) plane where that is more).
    - Source: the formula of the operator's spec.

    # Note: the library multiplies by a reciprocal, rounded to float16 on some routes, and forgets count_include_pad,
    the hanging windows of ceil_mode or an override of 255 on others; here the formula holds throughout.
    """
    g4, gx4 = as_batch(grad_output), as_batch(grad_input)
    pool = pool_of(gx4.shape, g4.shape, kernel_size, stride, padding)
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        divisors = divisors_of(pool, count_include_pad, divisor_override, arithmetic.accumulate)
        for at in _plane_blocks(gx4, g4):
            shares = arithmetic.read(g4[at]) / divisors
            arithmetic.write(gx4[at], _spread(pool.cols, COLS, _spread(pool.rows, ROWS, shares)))


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
) -> None:
    """Average pooling: each output is the sum of the input over its window, divided by the window's divisor.

    The divisor, the precision and the extra memory are those of `avg_pool2d_backward`.

    - Shapes: x (N, C, H, W), out (N, C, Ho, Wo), or both without N.
    - Source: the formula of the operator's spec.
    """
    x4, out4 = as_batch(x), as_batch(out)
    pool = pool_of(x4.shape, out4.shape, kernel_size, strides, paddings)
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        divisors = divisors_of(pool, count_include_pad, divisor_override, arithmetic.accumulate)
        for at in _plane_blocks(x4, out4):
            sums = _sums(pool, arithmetic.read(x4[at]))
            arithmetic.write(out4[at], sums / divisors)


def avg_pool3d(
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    out: Array,
    precision: Precision,
) -> None:
    """Average pooling over three axes, as `avg_pool2d` does over two.

    - Shapes: x (N, C, D, H, W), out (N, C, Do, Ho, Wo), or both without N.
    - Precision: x is rounded to the role ``operand``; sums and divisions run in ``accumulate`` and are rounded to
      ``result``, then to the output.
    - Extra memory: twice x or out, whichever is larger, in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del ceil_mode
    axes = _axes(x.shape, out.shape, kernel_size, stride, padding)
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        divisors = divisors_of(axes, count_include_pad, divisor_override, arithmetic.accumulate)
        arithmetic.write(out, _sums(axes, arithmetic.read(x)) / divisors)


def avg_pool3d_backward(
    grad_output: Array,
    x: Array,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int,
    grad_input: Array,
    precision: Precision,
) -> None:
    """The gradient of `avg_pool3d` with respect to its input, as `avg_pool2d_backward` has it.

    - Shapes: grad_output (N, C, Do, Ho, Wo), grad_input (N, C, D, H, W), or both without N.
    - Precision: grad_output is rounded to the role ``operand``; divisions and sums run in ``accumulate`` and are
      rounded to ``result``, then to the output.
    - Extra memory: twice grad_output or grad_input, whichever is larger, in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    del x, ceil_mode
    axes = _axes(grad_input.shape, grad_output.shape, kernel_size, stride, padding)
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        shares = arithmetic.read(grad_output)
        shares = shares / divisors_of(axes, count_include_pad, divisor_override, arithmetic.accumulate)
        for along, axis in enumerate(axes, -len(axes)):
            shares = _spread(axis, along, shares)
        arithmetic.write(grad_input, shares)


def _plane_blocks(one: Array, other: Array) -> Iterator[Place]:
    """Places in (N, C) whose planes make up about a block in the larger of two arrays."""
    plane = max(1, *(array.shape[ROWS] * array.shape[COLS] for array in (one, other)))
    return blocks(one.shape[:2], max(1, BLOCK // plane))


def divisors_of(axes: Sequence[Axis], count_include_pad: bool, override: int, dtype: np.dtype[Any]) -> Array:
    """What the sum of each window is divided by, as (Ho, Wo) or for as many axes as there are."""
    if override:
        return np.full([axis.count for axis in axes], float(override), dtype)
    widths = (np.array(axis.widths(count_include_pad), np.float64) for axis in axes)
    # A window wholly outside the input touches no cell; its divisor only has to be a number.
    return np.maximum(reduce(np.multiply.outer, widths), 1).astype(dtype)


def _axes(
    shape: Sequence[int],
    pooled: Sequence[int],
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
) -> list[Axis]:
    """The windows of three axes, of the shapes of an input and of what it is pooled to."""
    kernel = _triple(kernel_size)
    steps = kernel if len(stride) == 0 else _triple(stride)
    sizes = zip(shape[-3:], pooled[-3:], kernel, steps, _triple(padding), strict=True)
    return [Axis(*values) for values in sizes]


def _triple(values: Sequence[int]) -> Sequence[int]:
    triple: list[int] = np.broadcast_to(values, 3).tolist()
    return triple


def _sums(axes: Sequence[Axis], cells: Array) -> Array:
    """Add up the cells of each window along the last axes."""
    for along, axis in enumerate(axes, -len(axes)):
        cells = over_windows(np.add, 0, axis, along, cells)
    return cells


def _spread(axis: Axis, along: int, shares: Array) -> Array:
    """Add the share of each window to every cell that it covers, along one axis."""
    shape = list(shares.shape)
    shape[along] = axis.size
    cells = np.zeros(shape, shares.dtype)
    to, share = cells.swapaxes(along, COLS), shares.swapaxes(along, COLS)
    if axis.goes_by_tap:
        for covered, windows in axis.taps():
            to[..., covered] += share[..., windows]
    else:
        for window in range(axis.count):
            to[..., axis.cells(window)] += share[..., window, None]
    return cells
