"""Gradients of activations: from the gradient of the output, and from the output or the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from aclspec.runtime.kernels import normal
from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

Function: TypeAlias = Callable[[Array, Array], Array]
Kernel: TypeAlias = Callable[[Array, Array, Array, Precision], None]


def _gradient(function: Function) -> Kernel:
    """The kernel that writes ``function(grad_output, x)``.

    - Shapes: both broadcast to the shape of out; any strides.
    - Precision: both are rounded to the role ``operand``; the function runs in ``accumulate``, and what it gives is
      rounded to ``result``, where the table has that role, then to the output.
    - Extra memory: some buffers of a block (`blocks.BLOCK` elements).
    - Source: the formula of the operator's spec.
    """

    def kernel(grad_output: Array, x: Array, out: Array, precision: Precision) -> None:
        arithmetic = Arithmetic.of(precision)
        gradient, values = (np.broadcast_to(array, out.shape) for array in (grad_output, x))
        with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
            for at in blocks(out.shape):
                arithmetic.write(out[at], function(arithmetic.read(gradient[at]), arithmetic.read(values[at])))

    return kernel


def _silu(gradient: Array, x: Array) -> Array:
    sigma = 1 / (1 + np.exp(-x))
    slopes: Array = sigma * (1 + x * (1 - sigma))
    return gradient * slopes


def _gelu(gradient: Array, x: Array) -> Array:
    slopes: Array = normal.distribution(x) + x * normal.density(x)
    return gradient * slopes


def _hardswish(gradient: Array, x: Array) -> Array:
    slopes: Array = np.where(x < -3, 0, np.where(x > 3, 1, x / 3 + 0.5))
    return gradient * slopes


sigmoid = _gradient(lambda gradient, y: gradient * y * (1 - y))
tanh = _gradient(lambda gradient, y: gradient * (1 - y * y))
silu = _gradient(_silu)
gelu = _gradient(_gelu)
hardswish = _gradient(_hardswish)
_gelu_by_tanh = _gradient(lambda gradient, x: gradient * normal.gelu_by_tanh_slopes(x))


def gelu_v2(grad_output: Array, x: Array, approximate: str, out: Array, precision: Precision) -> None:
    """The gradient of GELU, or of its approximation by a hyperbolic tangent; else as `_gradient`."""
    (_gelu_by_tanh if approximate == "tanh" else gelu)(grad_output, x, out, precision)


def elu(
    grad_output: Array,
    alpha: float,
    scale: float,
    input_scale: float,
    is_result: bool,
    x: Array,
    out: Array,
    precision: Precision,
) -> None:
    """The gradient of ELU from its input x, or from its output where is_result holds; else as `_gradient`.

    The coefficients are rounded to FLOAT.
    """
    limit, factor, slope = np.float32(alpha), np.float32(scale), np.float32(input_scale)

    def bent(gradient: Array, x: Array) -> Array:
        below = slope * (x + limit * factor) if is_result else slope * limit * factor * np.exp(slope * x)
        return gradient * np.where(x > 0, factor, below)

    _gradient(bent)(grad_output, x, out, precision)


def threshold(grad_output: Array, x: Array, limit: float, out: Array, precision: Precision) -> None:
    """``grad_output`` where x is above a limit, 0 elsewhere and where x is NaN; else as `_gradient`.

    The limit is rounded to FLOAT, and compared with the exact numbers of x.
    """
    bound = np.float32(limit)
    _gradient(lambda gradient, values: np.where(values > bound, gradient, gradient.dtype.type(0)))(
        grad_output, x, out, precision
    )
