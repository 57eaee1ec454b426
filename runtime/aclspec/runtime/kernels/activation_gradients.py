"""Gradients of activations: from the gradient of the output, and from the output or the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from aclspec.runtime.kernels import normal
from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.elementwise import SELU_ALPHA, SELU_SCALE
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


def _mish(gradient: Array, x: Array) -> Array:
    sigma, bent = 1 / (1 + np.exp(-x)), np.tanh(np.logaddexp(0, x))
    slopes: Array = bent + x * sigma * (1 - bent * bent)
    return gradient * slopes


def _selu(gradient: Array, y: Array) -> Array:
    return gradient * np.where(y > 0, SELU_SCALE, y + SELU_SCALE * SELU_ALPHA)


sigmoid = _gradient(lambda gradient, y: gradient * y * (1 - y))
tanh = _gradient(lambda gradient, y: gradient * (1 - y * y))
silu = _gradient(_silu)
gelu = _gradient(_gelu)
hardswish = _gradient(_hardswish)
hardswish_v2 = _gradient(lambda gradient, x: gradient * np.where(x <= -3, 0, np.where(x >= 3, 1, x / 3 + 0.5)))
hardsigmoid = _gradient(lambda gradient, x: np.where((x > -3) & (x < 3), gradient / 6, 0))
mish = _gradient(_mish)
selu = _gradient(_selu)
_log_sigmoid = _gradient(lambda gradient, x: gradient / (1 + np.exp(x)))
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


def hardtanh(grad_output: Array, x: Array, lower: float, upper: float, out: Array, precision: Precision) -> None:
    """0 where x is outside of two bounds, ``grad_output`` elsewhere and where x is NaN; else as `_gradient`.

    The bounds are rounded to FLOAT, and compared with the exact numbers of x.
    """
    least, most = np.float32(lower), np.float32(upper)
    _gradient(lambda gradient, values: np.where((values < least) | (values > most), gradient.dtype.type(0), gradient))(
        grad_output, x, out, precision
    )


def shrink(grad_output: Array, x: Array, bound: float, out: Array, precision: Precision) -> None:
    """``grad_output`` where x is farther from zero than a bound, 0 elsewhere; else as `_gradient`.

    The bound is rounded to FLOAT; a negative one counts as 0.
    """
    limit = np.float32(max(bound, 0))
    _gradient(lambda gradient, values: np.where(np.abs(values) > limit, gradient, gradient.dtype.type(0)))(
        grad_output, x, out, precision
    )


def softplus(grad_output: Array, x: Array, beta: float, limit: float, out: Array, precision: Precision) -> None:
    """The gradient of Softplus, 1 where ``beta * x`` is above a limit; else as `_gradient`.

    Both numbers are rounded to FLOAT.
    """
    slope, linear = float(np.float32(beta)), float(np.float32(limit))
    _gradient(lambda gradient, x: np.where(slope * x > linear, gradient, gradient / (1 + np.exp(-slope * x))))(
        grad_output, x, out, precision
    )


def log_sigmoid(grad_output: Array, x: Array, buffer: Array, out: Array, precision: Precision) -> None:
    """The gradient of the logarithm of the sigmoid; the buffer is not read; else as `_gradient`."""
    del buffer
    _log_sigmoid(grad_output, x, out, precision)


def logit(x: Array, grad_output: Array, eps: float, out: Array, precision: Precision) -> None:
    """The gradient of the logit, 0 where x is below eps or above ``1 - eps``; else as `_gradient`.

    Of a negative eps it is NaN where x is outside 0 to 1.
    """
    bound, outside = (eps, 0.0) if eps >= 0 else (0.0, np.nan)

    def slope(gradient: Array, x: Array) -> Array:
        slopes: Array = np.where((x < bound) | (x > 1 - bound), gradient.dtype.type(outside), gradient / (x * (1 - x)))
        return slopes

    _gradient(slope)(grad_output, x, out, precision)
