"""Operators with two operands, which work element by element on shapes that broadcast.

Kernels of arithmetic round their operands to the role ``operand`` of their precision, compute in ``accumulate``, and
round to ``result`` and to the output; integers wrap around. Comparisons round their operands alike. A scalar is treated
as a tensor of one element. The sources are the formulas of the operators' specs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.in_place import in_place
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.tensors.rounding import round_into

Operand = Array | complex


def add(x: Array, y: Operand, alpha: complex, out: Array, precision: Precision) -> None:
    """``x + alpha * y``; of BOOL, whether x is true or both alpha and y are."""
    _compute(lambda x, y, alpha: x + alpha * y, (x, y, alpha), out, precision)


def add_rectified(x: Array, y: Operand, alpha: complex, out: Array, precision: Precision) -> None:
    """``x + alpha * y``, or 0 where that is negative; NaN stays NaN."""
    _compute(lambda x, y, alpha: np.maximum(x + alpha * y, x.dtype.type(0)), (x, y, alpha), out, precision)


def subtract(x: Array, y: Operand, alpha: complex, out: Array, precision: Precision) -> None:
    """``x - alpha * y``; of BOOL, whether x differs from alpha and y together."""
    _compute(lambda x, y, alpha: _difference(x, alpha * y), (x, y, alpha), out, precision)


def subtract_from(x: Array, y: Operand, alpha: complex, out: Array, precision: Precision) -> None:
    """``y - alpha * x``."""
    _compute(lambda x, y, alpha: y - alpha * x, (x, y, alpha), out, precision)


def multiply(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """``x * y``; of BOOL, whether both are true."""
    _compute(np.multiply, (x, y), out, precision)


def divide(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """``x / y``, infinite or NaN where y is zero; towards zero where the output is an integer."""
    _compute(np.true_divide, (x, y), out, precision)


def divide_rounded(x: Array, y: Operand, mode: int, out: Array, precision: Precision) -> None:
    """``x / y`` as it is (mode 0), rounded towards zero (1) or down (2); then an integer over zero is 0."""
    _compute((np.true_divide, _truncated, np.floor_divide)[mode], (x, y), out, precision)


def remainder(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """What is left of x by y, of the sign of y; an integer over zero leaves itself."""
    _compute(_remainder, (x, y), out, precision)


def fmod(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """What is left of x by y, of the sign of x; an integer by zero leaves 0."""
    _compute(np.fmod, (x, y), out, precision)


def floor_divide(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """``x / y`` rounded down; an integer over zero is 0."""
    _compute(np.floor_divide, (x, y), out, precision)


def arctan2(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """The angle of the point (y, x), from -pi to pi."""
    _compute(np.arctan2, (x, y), out, precision)


def x_log_y(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """``x * log(y)``; 0 where x is 0, unless y is NaN."""
    _compute(lambda x, y: np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)), (x, y), out, precision)


def power(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """``x ** y``; of integers with a negative power, the integer part."""
    _compute(_power, (x, y), out, precision)


def maximum(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The larger of x and y, NaN where one of them is; of BOOL, whether one is true."""
    _compute(np.maximum, (x, y), out, precision)


def minimum(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The smaller of x and y, NaN where one of them is; of BOOL, whether both are true."""
    _compute(np.minimum, (x, y), out, precision)


def clamp(x: Array, lower: Array | None, upper: Array | None, out: Array, precision: Precision) -> None:
    """x, held below the upper bounds and then above the lower ones, where they are not None; NaN stays NaN."""

    def held(values: Array, *bounds: Array) -> Array:
        rest = list(bounds)
        values = values if upper is None else np.minimum(values, rest.pop())
        return values if lower is None else np.maximum(values, rest.pop())

    _compute(held, (x, *(bound for bound in (lower, upper) if bound is not None)), out, precision)


def equal(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x and y are equal."""
    _compute(np.equal, (x, y), out, precision)


def not_equal(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x and y differ."""
    _compute(np.not_equal, (x, y), out, precision)


def is_close(x: Array, y: Array, rtol: float, atol: float, equal_nan: bool, out: Array, precision: Precision) -> None:
    """Whether x and y are at most ``atol + rtol * |y|`` apart, both rounded to FLOAT; infinities have to be equal."""
    relative, absolute = float(np.float32(rtol)), float(np.float32(atol))

    def close(x: Array, y: Array) -> Array:
        near = (np.abs(x - y) <= absolute + relative * np.abs(y)) & np.isfinite(x) & np.isfinite(y)
        both_nan = np.isnan(x) & np.isnan(y) & equal_nan
        found: Array = (x == y) | near | both_nan
        return found

    _compute(close, (x, y), out, precision)


def all_equal(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """Whether x and y have the same shape and the same elements."""
    if x.shape != y.shape:
        out[...] = False
        return
    arithmetic = Arithmetic.of(precision)
    out[...] = np.array_equal(arithmetic.read(x), arithmetic.read(y))


def greater(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x is greater than y."""
    _compute(np.greater, (x, y), out, precision)


def greater_equal(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x is greater than or equal to y."""
    _compute(np.greater_equal, (x, y), out, precision)


def less(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x is less than y."""
    _compute(np.less, (x, y), out, precision)


def less_equal(x: Array, y: Operand, out: Array, precision: Precision) -> None:
    """Whether x is less than or equal to y."""
    _compute(np.less_equal, (x, y), out, precision)


def logical_and(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """Whether x and y are different from zero."""
    del precision
    round_into(out, (x != 0) & (y != 0))


def logical_or(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """Whether x or y is different from zero."""
    del precision
    round_into(out, (x != 0) | (y != 0))


def logical_xor(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """Whether exactly one of x and y is different from zero."""
    del precision
    round_into(out, (x != 0) ^ (y != 0))


def bitwise_and(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The bits that both x and y have."""
    _compute(np.bitwise_and, (x, y), out, {**precision, "accumulate": precision["operand"]})


def bitwise_or(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The bits that x or y has."""
    _compute(np.bitwise_or, (x, y), out, {**precision, "accumulate": precision["operand"]})


def bitwise_xor(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The bits that exactly one of x and y has."""
    _compute(np.bitwise_xor, (x, y), out, {**precision, "accumulate": precision["operand"]})


def shift_left(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """x with its bits moved left by y, 0 where y is negative or not less than their number."""
    _compute(_shifted_left, (x, y), out, {**precision, "accumulate": precision["operand"]})


def shift_right(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """x over ``2 ** y``, rounded down; a negative y counts as 0."""
    _compute(_shifted_right, (x, y), out, {**precision, "accumulate": precision["operand"]})


def greatest_common_divisor(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The largest integer that divides x and y, 0 where both are 0."""
    _compute(np.gcd, (x, y), out, precision)


def log_add_exp(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """``log(exp(x) + exp(y))``."""
    _compute(np.logaddexp, (x, y), out, precision)


def log_add_exp2(x: Array, y: Array, out: Array, precision: Precision) -> None:
    """``log2(2 ** x + 2 ** y)``."""
    _compute(np.logaddexp2, (x, y), out, precision)


def select(condition: Array, x: Array, y: Array, out: Array, precision: Precision) -> None:
    """The element of x where the condition is not zero, of y elsewhere."""
    _compute(lambda x, y: np.where(condition != 0, x, y), (x, y), out, precision)


inplace_add = in_place(add)
inplace_add_rectified = in_place(add_rectified)
inplace_subtract = in_place(subtract)
inplace_multiply = in_place(multiply)
inplace_divide = in_place(divide)
inplace_maximum = in_place(maximum)
inplace_minimum = in_place(minimum)
inplace_divide_rounded = in_place(divide_rounded)
inplace_floor_divide = in_place(floor_divide)
inplace_remainder = in_place(remainder)
inplace_fmod = in_place(fmod)
inplace_power = in_place(power)
inplace_x_log_y = in_place(x_log_y)
inplace_equal = in_place(equal)
inplace_not_equal = in_place(not_equal)
inplace_greater = in_place(greater)
inplace_greater_equal = in_place(greater_equal)
inplace_less = in_place(less)
inplace_less_equal = in_place(less_equal)
inplace_logical_and = in_place(logical_and)
inplace_logical_or = in_place(logical_or)


def _compute(function: Callable[..., Any], operands: tuple[Operand, ...], out: Array, precision: Precision) -> None:
    """Write a function of the operands, each rounded as the precision says."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        read = [arithmetic.read(np.asarray(operand)) for operand in operands]
        arithmetic.write(out, np.asarray(function(*read)))


def _shifted_left(x: Array, y: Array) -> Array:
    bits = 8 * x.dtype.itemsize
    within = (y >= 0) & (y < bits)
    return np.where(within, np.left_shift(x, np.where(within, y, 0).astype(x.dtype)), 0).astype(x.dtype)


def _shifted_right(x: Array, y: Array) -> Array:
    most = 8 * x.dtype.itemsize - 1
    moved = np.right_shift(x, np.clip(y, 0, most).astype(x.dtype))
    return moved if x.dtype.kind == "i" else np.where(y > most, 0, moved).astype(x.dtype)


def _difference(x: Array, y: Array) -> Array:
    difference: Array = x ^ y if x.dtype == np.bool_ else x - y
    return difference


def _truncated(x: Array, y: Array) -> Array:
    """The quotient without its fraction."""
    if x.dtype.kind not in "iu":
        whole: Array = np.trunc(x / y)
        return whole
    down: Array = x // y
    down += (down < 0) & (down * y != x)
    return down


def _remainder(x: Array, y: Array) -> Array:
    remainder: Array = np.remainder(x, y)
    return np.where(y == 0, x, remainder) if x.dtype.kind in "iu" else remainder


def _power(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        power: Array = np.power(x, y)
        return power
    inverse = np.where(np.abs(x) == 1, x ** (y % 2), 0)  # one over a larger number has no integer part
    return np.where(y < 0, inverse, x ** np.maximum(y, 0))
