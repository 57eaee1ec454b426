"""Lists of tensors: stacked, split, and computed one tensor after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import normal
from aclspec.runtime.kernels.binary import add, multiply
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.copying import cast, concatenate
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def stack(arrays: tuple[Array, ...], dim: int, out: Array, precision: Precision) -> None:
    """Write arrays in a row along a new axis.

    - Shapes: all alike; out has one axis more, ``dim``, which counts from the end where it is negative.
    - Precision and source are those of `concatenate`.
    """
    concatenate(tuple(np.expand_dims(array, dim) for array in arrays), dim, out, precision)


def split(array: Array, sizes: tuple[int, ...], dim: int, parts: tuple[Array, ...], precision: Precision) -> None:
    """Write the parts of an array that follow each other along one axis.

    - Shapes: each part is the array with its own size on the axis; the sizes add up to that of the array.
    - Precision: that of `cast` to the dtype of each part.
    - Source: the formula of the operator's spec.
    """
    ends = np.cumsum(sizes[:-1], dtype=np.int64)
    for part, source in zip(parts, np.split(array, ends, dim), strict=True):
        cast(source, DType.of(part.dtype), part, precision)


def add_each(
    arrays: tuple[Array, ...], others: tuple[Array, ...], alpha: complex, outs: tuple[Array, ...], precision: Precision
) -> None:
    """Write `add` of the tensors at each place of two lists; shapes and precision are those of `add`."""
    for array, other, out in zip(arrays, others, outs, strict=True):
        add(array, other, alpha, out, precision)


def multiply_each(arrays: tuple[Array, ...], factor: complex, outs: tuple[Array, ...], precision: Precision) -> None:
    """Write `multiply` of each tensor of a list and one number; shapes and precision are those of `multiply`."""
    for array, out in zip(arrays, outs, strict=True):
        multiply(array, factor, out, precision)


def _each(function: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that writes a function of the tensors at each place of some lists.

    - Shapes: the tensors at one place are alike; any strides. A list of scalars has one for each place, and so has a
      tensor of them, from which `_place` takes one; a scalar, or a tensor of one element, is that of all places.
    - Precision: what is read is rounded to the role ``operand``; the function runs in ``accumulate``, and what it gives
      is rounded to ``result``, then to the output.
    - Extra memory: some times one tensor in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """

    def compute(*arguments: Any) -> None:
        *operands, outs, precision = arguments
        arithmetic = Arithmetic.of(precision)
        with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
            for place, out in enumerate(outs):
                read = [arithmetic.read(np.asarray(_place(operand, place))) for operand in operands]
                arithmetic.write(out, np.asarray(function(*read)).reshape(out.shape))

    return compute


def _place(operand: Any, place: int) -> Any:
    """What an operand has for one place of the lists."""
    if isinstance(operand, tuple):
        return operand[place]
    if isinstance(operand, np.ndarray):
        return operand.reshape(-1)[place if operand.size > 1 else 0]
    return operand


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _raised(x: Array, y: Array) -> Array:
    """``x ** y``; of integers with a negative power, the integer part, and 0 where there is none."""
    if x.dtype.kind != "i":
        return np.asarray(np.power(x, y))
    whole = np.power(x, np.maximum(y, 0))
    return np.where(y < 0, np.where(np.abs(x) == 1, x ** (y % 2), 0), whole)


abs_each = _each(np.abs)
negate_each = _each(np.negative)
reciprocal_each = _each(lambda x: 1 / x)
sqrt_each = _each(np.sqrt)
exp_each = _each(np.exp)
expm1_each = _each(np.expm1)
log_each = _each(np.log)
log2_each = _each(np.log2)
log10_each = _each(np.log10)
log1p_each = _each(np.log1p)
sin_each = _each(np.sin)
cos_each = _each(np.cos)
tan_each = _each(np.tan)
arcsin_each = _each(np.arcsin)
arccos_each = _each(np.arccos)
arctan_each = _each(np.arctan)
sinh_each = _each(np.sinh)
cosh_each = _each(np.cosh)
tanh_each = _each(np.tanh)
erf_each = _each(normal.erf)
erfc_each = _each(lambda x: 2 * normal.distribution(-math.sqrt(2) * x))
sigmoid_each = _each(_sigmoid)
sign_each = _each(lambda x: (x > 0).astype(x.dtype) - (x < 0))
plus_each = _each(np.add)
minus_each = _each(np.subtract)
add_scaled_each = _each(lambda x, y, alpha: x + alpha * y)
subtract_each = _each(lambda x, y, alpha: x - alpha * y)
times_each = _each(np.multiply)
divide_each = _each(np.true_divide)
maximum_each = _each(np.maximum)
minimum_each = _each(np.minimum)
power_each = _each(_raised)
lerp_each = _each(lambda x, y, weight: x + weight * (y - x))
add_product_each = _each(lambda x, y, z, factor: x + factor * y * z)
add_quotient_each = _each(lambda x, y, z, factor: x + factor * (y / z))


def round_each(arrays: tuple[Array, ...], mode: complex, outs: tuple[Array, ...], precision: Precision) -> None:
    """Write the tensors of a list rounded to integers.

    - Shapes: the tensors at one place are alike; any strides. A mode of 2 rounds down, 3 up, 5 towards zero; 4 and 6
      round to the nearest, of two to the one away from zero and to the odd one; any other to the nearest, of two to the
      even one.
    - Precision: that of `_each`; integers stay as they are.
    - Source: the formula of the operator's spec.
    """
    modes: dict[int, Callable[[Array], Array]] = {2: np.floor, 3: np.ceil, 4: _away, 5: np.trunc, 6: _odd}
    rounding = modes.get(int(mode.real), np.rint)
    _each(lambda x: x if x.dtype.kind == "i" else rounding(x))(arrays, outs, precision)


def _away(x: Array) -> Array:
    nearest = np.rint(x)
    return np.where(np.abs(x - nearest) == 0.5, np.trunc(x) + np.sign(x), nearest)


def _odd(x: Array) -> Array:
    nearest = np.rint(x)
    return np.where(np.abs(x - nearest) == 0.5, 2 * np.floor(x / 2) + 1, nearest)


def copy_each(arrays: tuple[Array, ...], outs: tuple[Array, ...], precision: Precision) -> None:
    """Write `cast` of each tensor of a list to the dtype of that of the other; shapes are alike."""
    for array, out in zip(arrays, outs, strict=True):
        cast(array, DType.of(out.dtype), out, precision)


def zero_each(arrays: tuple[Array, ...], precision: Precision) -> None:
    """Set all elements of the tensors of a list to 0."""
    del precision
    for array in arrays:
        array[...] = 0


def norm_each(arrays: tuple[Array, ...], order: complex, outs: tuple[Array, ...], precision: Precision) -> None:
    """Write the norm of each tensor of a list, over all of its elements.

    - Shapes: any; each output has one element. An order of 0 counts the elements that are not zero, one of infinity is
      the largest absolute value, and minus infinity the smallest.
    - Precision: elements are rounded to the role ``operand``; powers and sums run in ``accumulate``, and what comes out
      is rounded to ``result``, then to the output.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):
        for array, out in zip(arrays, outs, strict=True):
            sizes = np.abs(arithmetic.read(array)).reshape(-1)
            norm = np.linalg.norm(sizes, order.real) if sizes.size else sizes.sum()
            arithmetic.write(out, np.full(out.shape, norm))
