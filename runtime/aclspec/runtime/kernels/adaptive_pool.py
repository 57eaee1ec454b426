"""Adaptive average pooling: windows that follow from the sizes of input and output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.windows import COLS, ROWS


def adaptive_avg_pool2d(x: Array, output_size: Sequence[int], out: Array, precision: Precision) -> None:
    """The average of each window, which are as alike as the sizes allow and cover the input.

    Of n windows over s cells, window i begins at ``i * s / n``, rounded down, and ends before ``(i + 1) * s / n``,
    rounded up.

    - Shapes: x (..., H, W), out (..., Ho, Wo).
    - Precision: x is rounded to the role ``operand``. Sums run in float64, which is as near to the exact sum as any
      order of additions in ``accumulate`` can come; the average is rounded to ``result``, then to the output.
    - Extra memory: x in the dtype of ``accumulate``, and its windows in float64.
    - Source: the formula of the operator's spec.
    """
    del output_size
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        averages = _averages(_averages(arithmetic.read(x), ROWS, out.shape[ROWS]), COLS, out.shape[COLS])
        arithmetic.write(out, averages)


def _averages(cells: Array, axis: int, count: int) -> Array:
    """The averages of so many windows along one axis."""
    size = cells.shape[axis]
    bounds = [(window * size // count, -(-(window + 1) * size // count)) for window in range(count)]
    along = np.moveaxis(cells, axis, 0)
    averages = [along[start:stop].mean(0, dtype=np.float64) for start, stop in bounds]
    return np.moveaxis(np.stack(averages), 0, axis)
