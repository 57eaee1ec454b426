"""The error function and what is made of it, for arrays of float64.

NumPy has no error function. That of the C library, element by element, takes about 120 ns an element; the three
rational approximations by W. J. Cody, written with NumPy, take about 100 ns and some forty lines. Both are exact to
1 ulp or so, so that the shorter one is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from aclspec.runtime.kernels.blocks import Array

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715
"""The factor of the cube in the approximation of GELU."""

_WINITZKI = 0.147
"""The constant of the approximation of the inverse error function."""


def _mapped(function: Callable[[float], float], x: Array) -> Array:
    """A function of the C library of each element."""
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def erf(x: Array) -> Array:
    """The error function."""
    return _mapped(math.erf, x)


def erfc(x: Array) -> Array:
    """One minus the error function, exact where it is small."""
    return _mapped(math.erfc, x)


def erfinv(x: Array) -> Array:
    """The inverse of the error function: infinite at 1 and -1, NaN outside.

    S. Winitzki's approximation, exact to 2e-3, and three steps of Halley's method, and each step cubes the error. Near
    1 they go by the complement, as ``1 - x`` is exact there.
    """
    size = np.abs(x)
    rest, logarithm = 1 - size, np.log1p(-size * size)
    centre = 2 / (math.pi * _WINITZKI) + logarithm / 2
    found: Array = np.sqrt(np.sqrt(centre * centre - logarithm / _WINITZKI) - centre)
    for _ in range(3):
        gap = np.where(size < 0.5, erf(found) - size, rest - erfc(found))
        step = gap * (math.sqrt(math.pi) / 2) * np.exp(found * found)
        found = found - step / (1 + found * step)
    return np.copysign(np.where(size == 1, np.inf, found), x)


def distribution(x: Array) -> Array:
    """The standard normal distribution up to x; by the complement, so that its lower tail is exact too."""
    return 0.5 * _mapped(math.erfc, -_ROOT_HALF * x)


def density(x: Array) -> Array:
    """The density of the standard normal distribution at x."""
    dense: Array = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return dense


def gelu(x: Array) -> Array:
    """The activation GELU."""
    return x * distribution(x)


def gelu_by_tanh(x: Array) -> Array:
    """GELU approximated by a hyperbolic tangent, in a form in which nothing cancels."""
    approximate: Array = x / (1 + np.exp(-2 * _ROOT_TWO_OVER_PI * (x + _CUBIC * x * x * x)))
    return approximate


def gelu_by_tanh_slopes(x: Array) -> Array:
    """The derivative of `gelu_by_tanh`."""
    bend = np.tanh(_ROOT_TWO_OVER_PI * (x + _CUBIC * x * x * x))
    slopes: Array = 0.5 * (1 + bend + x * (1 - bend * bend) * _ROOT_TWO_OVER_PI * (1 + 3 * _CUBIC * x * x))
    return slopes
