"""Functions of each element of one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from aclspec.runtime.kernels import normal
from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.in_place import in_place
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.tensors.rounding import round_into

Kernel: TypeAlias = Callable[[Array, Array, Precision], None]
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805
"""The coefficients of SELU, by which outputs of mean 0 and variance 1 stay so."""


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


def _relu(x: Array) -> Array:
    rectified: Array = np.maximum(x, x.dtype.type(0))
    return rectified


def _whole(function: Callable[[Array], Array], x: Array) -> Array:
    """A function that rounds; integers stay as they are, which `np.rint` would convert to floating-point."""
    return x if x.dtype.kind in "iub" else function(x)


def _sign(x: Array) -> Array:
    if x.dtype.kind == "c":
        return np.where(x == 0, 0, x / np.abs(x))
    return (x > 0).astype(np.int8) - (x < 0)


def _hardswish(x: Array) -> Array:
    return np.where(x >= 3, x, np.where(x <= -3, 0, x * (x + 3) / 6))


absolute = _elementwise(np.abs)
negative = _elementwise(np.negative)
exp = _elementwise(np.exp)
log = _elementwise(np.log)
sqrt = _elementwise(np.sqrt)
rsqrt = _elementwise(lambda x: 1 / np.sqrt(x))
reciprocal = _elementwise(lambda x: 1 / x)
floor = _elementwise(lambda x: _whole(np.floor, x))
ceil = _elementwise(lambda x: _whole(np.ceil, x))
round_half_even = _elementwise(lambda x: _whole(np.rint, x))
sin = _elementwise(np.sin)
cos = _elementwise(np.cos)
tanh = _elementwise(np.tanh)
arctan = _elementwise(np.arctan)
arccos = _elementwise(np.arccos)
arccosh = _elementwise(np.arccosh)
arcsin = _elementwise(np.arcsin)
arcsinh = _elementwise(np.arcsinh)
arctanh = _elementwise(np.arctanh)
cosh = _elementwise(np.cosh)
sinh = _elementwise(np.sinh)
tan = _elementwise(np.tan)
exp2 = _elementwise(np.exp2)
expm1 = _elementwise(np.expm1)
log10 = _elementwise(np.log10)
log1p = _elementwise(np.log1p)
log2 = _elementwise(np.log2)
sinc = _elementwise(np.sinc)
trunc = _elementwise(lambda x: _whole(np.trunc, x))
fraction = _elementwise(lambda x: x - _whole(np.trunc, x))
mish = _elementwise(lambda x: x * np.tanh(np.logaddexp(0, x)))
plain_log_sigmoid = _elementwise(lambda x: -np.logaddexp(0, -x))
selu = _elementwise(lambda x: SELU_SCALE * (np.maximum(x, 0) + np.minimum(SELU_ALPHA * np.expm1(x), 0)))
erf = _elementwise(normal.erf)
erfc = _elementwise(normal.erfc)
erfinv = _elementwise(normal.erfinv)
sigmoid = _elementwise(lambda x: 1 / (1 + np.exp(-x)))
silu = _elementwise(lambda x: x / (1 + np.exp(-x)))
gelu_by_tanh = _elementwise(normal.gelu_by_tanh)
hardswish = _elementwise(_hardswish)
sign = _elementwise(_sign)
logical_not = _elementwise(lambda x: x == 0)
bitwise_not = _elementwise(np.invert)
is_finite = _elementwise(np.isfinite)
is_infinite = _elementwise(np.isinf)
signbit = _elementwise(lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0)
is_negative_infinity = _elementwise(np.isneginf)
is_positive_infinity = _elementwise(np.isposinf)
relu = _elementwise(_relu)
inplace_relu = in_place(relu)
inplace_hardswish = in_place(hardswish)
hardsigmoid = _elementwise(lambda x: np.clip(x / 6 + 0.5, 0, 1))
inplace_exp = in_place(exp)
inplace_sin = in_place(sin)
inplace_cos = in_place(cos)
inplace_reciprocal = in_place(reciprocal)
inplace_logical_not = in_place(logical_not)
inplace_arccos = in_place(arccos)
inplace_arccosh = in_place(arccosh)
inplace_arcsin = in_place(arcsin)
inplace_arcsinh = in_place(arcsinh)
inplace_arctanh = in_place(arctanh)
inplace_cosh = in_place(cosh)
inplace_arctan = in_place(arctan)
inplace_erf = in_place(erf)
inplace_erfc = in_place(erfc)
inplace_expm1 = in_place(expm1)
inplace_fraction = in_place(fraction)
inplace_log = in_place(log)
inplace_log10 = in_place(log10)
inplace_log1p = in_place(log1p)
inplace_log2 = in_place(log2)
inplace_rsqrt = in_place(rsqrt)
inplace_sigmoid = in_place(sigmoid)
inplace_sinh = in_place(sinh)
inplace_sqrt = in_place(sqrt)
inplace_tan = in_place(tan)
inplace_tanh = in_place(tanh)
inplace_erfinv = in_place(erfinv)
inplace_exp2 = in_place(exp2)
inplace_floor = in_place(floor)
inplace_ceil = in_place(ceil)
inplace_hardsigmoid = in_place(hardsigmoid)
inplace_sinc = in_place(sinc)
inplace_negative = in_place(negative)
inplace_trunc = in_place(trunc)
inplace_round_half_even = in_place(round_half_even)
inplace_mish = in_place(mish)
inplace_selu = in_place(selu)
_gelu = _elementwise(normal.gelu)


def gelu(x: Array, approximate: int, out: Array, precision: Precision) -> None:
    """The activation GELU, approximated by a hyperbolic tangent where approximate is 1; else as `_elementwise`."""
    (gelu_by_tanh if approximate == 1 else _gelu)(x, out, precision)


def log_sigmoid(x: Array, out: Array, buffer: Array, precision: Precision) -> None:
    """The logarithm of the sigmoid of x; the buffer is left as it is; else as `_elementwise`."""
    del buffer
    plain_log_sigmoid(x, out, precision)


def softplus(x: Array, beta: float, threshold: float, out: Array, precision: Precision) -> None:
    """``log(1 + exp(beta * x)) / beta``, or x where beta * x exceeds the threshold; else as `_elementwise`.

    beta and threshold are rounded to FLOAT.
    """
    slope, most = np.float32(beta), np.float32(threshold)

    def rectified(x: Array) -> Array:
        return np.where(slope * x > most, x, np.logaddexp(0, slope * x) / slope)

    _elementwise(rectified)(x, out, precision)


def elu(x: Array, alpha: float, scale: float, input_scale: float, out: Array, precision: Precision) -> None:
    """``scale * x`` above zero, ``alpha * scale * (exp(input_scale * x) - 1)`` elsewhere; else as `_elementwise`.

    The coefficients are rounded to FLOAT.
    """
    limit, factor, slope = (float(np.float32(number)) for number in (alpha, scale, input_scale))

    def bent(x: Array) -> Array:
        return np.where(x > 0, factor * x, limit * factor * np.expm1(slope * x))

    _elementwise(bent)(x, out, precision)


def celu(x: Array, alpha: float, out: Array, precision: Precision) -> None:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``, alpha rounded to FLOAT; else as `_elementwise`."""
    limit = float(np.float32(alpha))
    _elementwise(lambda x: np.maximum(x, 0) + np.minimum(limit * np.expm1(x / limit), 0))(x, out, precision)


def hardshrink(x: Array, bound: float, out: Array, precision: Precision) -> None:
    """x where it is farther from zero than a bound, 0 elsewhere, the bound rounded to FLOAT; else as `_elementwise`."""
    limit = np.float32(max(bound, 0))
    _elementwise(lambda x: np.where(np.abs(x) > limit, x, 0))(x, out, precision)


def softshrink(x: Array, bound: float, out: Array, precision: Precision) -> None:
    """x moved towards zero by a bound, 0 within it, the bound rounded to FLOAT; else as `_elementwise`."""
    limit = np.float32(bound)
    _elementwise(lambda x: np.where(np.abs(x) > limit, x - np.copysign(limit, x), 0))(x, out, precision)


def round_decimals(x: Array, decimals: int, out: Array, precision: Precision) -> None:
    """x rounded to a number of decimals, a half to the even number; else as `_elementwise`."""
    with np.errstate(all="ignore"):
        factor = np.float64(10) ** np.abs(np.float64(decimals))

    def rounded(x: Array) -> Array:
        found: Array = np.rint(x * factor) / factor if decimals > 0 else np.rint(x / factor) * factor
        return found

    _elementwise(rounded)(x, out, precision)


def nan_to_num(x: Array, nan: float, posinf: float, neginf: float, out: Array, precision: Precision) -> None:
    """x with numbers in place of NaN and of infinities, rounded to ``operand`` as x is; else as `_elementwise`."""
    arithmetic = Arithmetic.of(precision)
    if arithmetic.accumulate.kind in "biu":
        round_into(out, x)
        return
    with np.errstate(all="ignore"):
        found, most, least = (arithmetic.read(np.asarray(number)) for number in (nan, posinf, neginf))

    def replaced(x: Array) -> Array:
        held = np.where(x == np.inf, most, np.where(x == -np.inf, least, x))
        return np.where(np.isnan(x), found, held)

    _elementwise(replaced)(x, out, precision)


def logit(x: Array, eps: float, out: Array, precision: Precision) -> None:
    """``log(z / (1 - z))`` of x held between eps and 1 - eps, or x where eps is negative; else as `_elementwise`."""

    def odds(x: Array) -> Array:
        z = x if eps < 0 else np.where(x < eps, eps, np.where(x > 1 - eps, 1 - eps, x))
        logarithms: Array = np.log(z / (1 - z))
        return logarithms

    _elementwise(odds)(x, out, precision)


def threshold(x: Array, limit: complex, value: complex, out: Array, precision: Precision) -> None:
    """x where it is above a limit, a value elsewhere, both rounded to ``operand`` as x is; else as `_elementwise`."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        bound, other = (arithmetic.read(np.asarray(number)) for number in (limit, value))
    _elementwise(lambda x: np.where(x > bound, x, other))(x, out, precision)


def clamp(x: Array, lower: complex | None, upper: complex | None, out: Array, precision: Precision) -> None:
    """x, held below the upper bound and then above the lower one, where there is one; else as `_elementwise`.

    The bounds are rounded to the role ``operand`` as x is; one outside the range of an integer dtype becomes its least
    or largest number. NaN stays NaN.
    """
    arithmetic = Arithmetic.of(precision)
    least, most = (None if bound is None else _bound(bound, arithmetic) for bound in (lower, upper))

    def held(values: Array) -> Array:
        if most is not None:
            values = np.minimum(values, most)
        return values if least is None else np.maximum(values, least)

    _elementwise(held)(x, out, precision)


def clamp_min(x: Array, lower: complex, out: Array, precision: Precision) -> None:
    """x, held above the lower bound; else as `clamp`."""
    clamp(x, lower, None, out, precision)


def clamp_max(x: Array, upper: complex, out: Array, precision: Precision) -> None:
    """x, held below the upper bound; else as `clamp`."""
    clamp(x, None, upper, out, precision)


def _bound(bound: complex, arithmetic: Arithmetic) -> Array:
    """A bound as elements are read, within the range of their dtype where that is an integer one."""
    value = bound.real
    if arithmetic.accumulate.kind in "iu":
        limits = np.iinfo(arithmetic.accumulate)
        value = max(limits.min, min(value, limits.max))
    return arithmetic.read(np.asarray(value))


inplace_round_decimals = in_place(round_decimals)
inplace_nan_to_num = in_place(nan_to_num)
inplace_threshold = in_place(threshold)
inplace_clamp = in_place(clamp)
inplace_clamp_max = in_place(clamp_max)
inplace_celu = in_place(celu)
inplace_elu = in_place(elu)
