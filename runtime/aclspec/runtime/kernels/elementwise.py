"""Functions of each element of one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

Kernel: TypeAlias = Callable[[Array, Array, Precision], None]


def _elementwise(function: Callable[..., Array]) -> Kernel:
    """The kernel that writes ``function(x)``.

    - Shapes: x and out alike, of rank 0 to 8; any strides.
    - Precision: x is rounded to the role ``operand``; the function runs in ``accumulate``, and what it gives is rounded
      to ``result``, where the table has that role, then to the output. Functions that are no plain arithmetic run in
      DOUBLE: NumPy's own in FLOAT depend on the processor, and those in DOUBLE are exact enough to be rounded once.
    - Extra memory: 3 buffers of a block (`blocks.BLOCK` elements).
    - Source: the formula of the operator's spec.
    """

    def kernel(x: Array, out: Array, precision: Precision) -> None:
        arithmetic = Arithmetic.of(precision)
        with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
            for at in blocks(x.shape):
                arithmetic.write(out[at], function(arithmetic.read(x[at])))

    return kernel


def _in_place(kernel: Kernel) -> Callable[[Array, Precision], None]:
    """The kernel that writes the result in the place of x."""
    return lambda x, precision: kernel(x, x, precision)


def _relu(x: Array) -> Array:
    zero: Any = x.dtype.type(0)
    rectified: Array = np.maximum(x, zero)
    return rectified


absolute = _elementwise(np.abs)
exp = _elementwise(np.exp)
relu = _elementwise(_relu)
inplace_relu = _in_place(relu)
