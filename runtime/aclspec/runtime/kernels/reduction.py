"""Reductions over axes: sums, means, deviations, norms, products, extremes, truth values; and running sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.tensors.rounding import round_into

_WIDE = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}
"""The type in which sums and products of a narrower one run."""


def reduce_sum(x: Array, dims: Sequence[int], keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """The sum over some axes, or over all of them where none is named.

    - Shapes: out is x without the axes dims, or with size 1 there; a negative axis counts from the end. Where x is
      empty, out may have any shape.
    - Precision: the elements are rounded to the role ``operand`` and added in ``accumulate``: integers wrap around, and
      FLOAT adds in float64 and is rounded once. The sum is converted to the output, to BOOL by whether any is true.
    - Extra memory: a copy of x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del keep, dtype
    arithmetic = Arithmetic.of(precision)
    arithmetic.write(out, _shaped(_total(arithmetic.read(x), _over(x, dims)), out))


def trace(x: Array, out: Array, precision: Precision) -> None:
    """The sum of the main diagonal of a matrix.

    - Shapes: x (M, N), out a scalar.
    - Precision and extra memory: those of `reduce_sum`.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    diagonal = np.diagonal(x)
    arithmetic.write(out, _total(arithmetic.read(diagonal), _axes(diagonal, ())))


def sum_without_nan(x: Array, dims: Sequence[int], keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """`reduce_sum` with 0 in place of NaN."""
    del keep, dtype
    arithmetic = Arithmetic.of(precision)
    values = arithmetic.read(x)
    counted = np.where(np.isnan(values), values.dtype.type(0), values)
    arithmetic.write(out, _shaped(_total(counted, _over(x, dims)), out))


def log_sum_exp(x: Array, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """The logarithm of the sum of exponentials over some axes; shapes are those of `reduce_sum`.

    - Precision: the elements are rounded to the role ``operand``, and everything runs in float64 on what each element
      lies below the largest. The result is rounded to ``accumulate`` before it becomes the output's dtype; that of no
      elements is negative infinity.
    - Extra memory: three times x in float64.
    - Source: the formula of the operator's spec.
    """
    del keep
    arithmetic, axes = Arithmetic.of(precision), _axes(x, dims)
    values = arithmetic.read(x).astype(np.float64)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        most = np.asarray(values.max(axes, keepdims=True, initial=-np.inf))
        most = np.where(np.isinf(most), 0, most)
        found = np.log(np.exp(values - most).sum(axes, keepdims=True)) + most
        arithmetic.write(out, found.reshape(out.shape))


def mean(x: Array, dims: Sequence[int], keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """The mean over some axes; shapes, memory and precision are those of `reduce_sum`.

    FLOAT is divided in float64, too. The quotient is rounded to the role ``result`` before it becomes the output's
    dtype. Integers are divided as integers, towards zero. The mean of no elements is NaN, for integers 0.
    """
    del keep, dtype
    arithmetic, axes = Arithmetic.of(precision), _over(x, dims)
    total, count = _total(arithmetic.read(x), axes), prod(x.shape[axis] for axis in axes)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        if total.dtype.kind == "i":
            arithmetic.write(out, _shaped(np.sign(total) * (np.abs(total) // count), out))
        else:
            arithmetic.write(out, _shaped(total / count, out))


def deviation(
    x: Array, dims: Sequence[int] | None, correction: int, keep: bool, out: Array, precision: Precision
) -> None:
    """The standard deviation over some axes, over all of them where none is named; shapes are those of `reduce_sum`.

    - Precision: the elements are rounded to the role ``operand``, and everything runs in float64. The result is rounded
      to ``accumulate`` and ``result`` before it becomes the output's dtype; that of no elements is NaN.
    - Extra memory: twice x in float64.
    - Source: the formula of the operator's spec.
    """
    del keep
    arithmetic, (_, squares) = Arithmetic.of(precision), _moments(x, dims, correction, precision)
    with np.errstate(all="ignore"):  # that of a NaN is NaN
        arithmetic.write(out, np.sqrt(squares).reshape(out.shape))


def variance(
    x: Array, dims: Sequence[int] | None, correction: int, keep: bool, out: Array, precision: Precision
) -> None:
    """The square of `deviation`."""
    del keep
    _, squares = _moments(x, dims, correction, precision)
    Arithmetic.of(precision).write(out, squares.reshape(out.shape))


def variance_unbiased(
    x: Array, dims: Sequence[int] | None, unbiased: bool, keep: bool, out: Array, precision: Precision
) -> None:
    """`variance`, with a correction of 1 where it is unbiased, 0 elsewhere."""
    variance(x, dims, int(unbiased), keep, out, precision)


def variance_and_mean(
    x: Array,
    dims: Sequence[int] | None,
    correction: int,
    keep: bool,
    variances: Array,
    means: Array,
    precision: Precision,
) -> None:
    """`variance`, and the mean of the same elements."""
    del keep
    arithmetic, (centres, squares) = Arithmetic.of(precision), _moments(x, dims, correction, precision)
    arithmetic.write(variances, squares.reshape(variances.shape))
    arithmetic.write(means, centres.reshape(means.shape))


def deviation_and_mean(
    x: Array,
    dims: Sequence[int] | None,
    correction: int,
    keep: bool,
    deviations: Array,
    means: Array,
    precision: Precision,
) -> None:
    """`deviation`, and the mean of the same elements."""
    del keep
    arithmetic, (centres, squares) = Arithmetic.of(precision), _moments(x, dims, correction, precision)
    with np.errstate(all="ignore"):
        arithmetic.write(deviations, np.sqrt(squares).reshape(deviations.shape))
    arithmetic.write(means, centres.reshape(means.shape))


def norm(x: Array, p: float, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """The p-norm over some axes, over all of them where none is named; shapes are those of `reduce_sum`.

    - Precision: the elements are rounded to the role ``operand`` and p to FLOAT; everything else runs in float64. The
      result is rounded to ``accumulate`` before it becomes the output's dtype. The norm of no elements is 0.
    - Extra memory: twice x in float64.
    - Source: the formula of the operator's spec.
    """
    del keep
    arithmetic, axes, power = Arithmetic.of(precision), _axes(x, dims), float(np.float32(p))
    values = np.abs(arithmetic.read(x), dtype=np.float64)
    with np.errstate(all="ignore"):
        if values.size == 0:
            found = np.zeros(out.shape)
        elif power == np.inf:
            found = values.max(axes)
        elif power == -np.inf:
            found = values.min(axes)
        elif power == 0:
            found = np.count_nonzero(values, axes)
        else:
            found = (values**power).sum(axes) ** (1 / power)
        arithmetic.write(out, np.asarray(found).reshape(out.shape))


def vector_norm(
    x: Array, p: float, dims: Sequence[int], keep: bool, dtype: DType, out: Array, precision: Precision
) -> None:
    """`norm`, whose output has a dtype of its own."""
    del dtype
    norm(x, p, dims, keep, out, precision)


def limited_norm(x: Array, p: float, dim: int, limit: float, out: Array, precision: Precision) -> None:
    """Scale those slices along one axis to a norm of ``limit`` whose norm is larger.

    - Precision: x is rounded to the role ``operand``, p and the limit to FLOAT; all runs in ``accumulate`` and is
      rounded to ``result``.
    - Extra memory: x and its powers in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic, kind, most = Arithmetic.of(precision), float(np.float32(p)), float(np.float32(limit))
    values = arithmetic.read(x)
    others = tuple(axis for axis in range(x.ndim) if axis != dim % x.ndim)
    sizes = np.abs(values)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        if np.isinf(kind):
            norms = sizes.max(others, keepdims=True)
        else:
            norms = (sizes**kind).sum(others, keepdims=True) ** (1 / kind)
        arithmetic.write(out, values * np.where(norms > most, most / (norms + 1e-7), 1))


def inplace_limited_norm(target: Array, p: float, dim: int, limit: float, precision: Precision) -> None:
    """Scale the slices of a tensor in place as `limited_norm` does."""
    limited_norm(target, p, dim, limit, target, precision)


def product(x: Array, dim: int, keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """The product along one axis; shapes, memory and precision are those of `reduce_sum`."""
    del keep, dtype
    arithmetic = Arithmetic.of(precision)
    values = arithmetic.read(x)
    with np.errstate(all="ignore"):
        found = np.asarray(values.prod(_over(x, [dim]), _WIDE.get(values.dtype, values.dtype)))
    arithmetic.write(out, _shaped(found, out))


def product_of_all(x: Array, dtype: DType, out: Array, precision: Precision) -> None:
    """The product of all elements; memory and precision are those of `reduce_sum`."""
    del dtype
    arithmetic = Arithmetic.of(precision)
    values = arithmetic.read(x)
    with np.errstate(all="ignore"):
        found = np.asarray(values.prod(dtype=_WIDE.get(values.dtype, values.dtype)))
    arithmetic.write(out, found.reshape(out.shape))


def running_sum(x: Array, dim: int, dtype: DType, out: Array, precision: Precision) -> None:
    """The sum of each element and of those before it on an axis; memory and precision are those of `reduce_sum`."""
    del dtype
    arithmetic = Arithmetic.of(precision)
    values = np.atleast_1d(arithmetic.read(x))
    with np.errstate(all="ignore"):
        found = values.cumsum(dim, _WIDE.get(values.dtype, values.dtype))
    arithmetic.write(out, found.reshape(out.shape))


def running_product(x: Array, dim: float, dtype: DType, out: Array, precision: Precision) -> None:
    """The product of each element and of those before it on an axis; memory and precision are those of `product`."""
    del dtype
    arithmetic = Arithmetic.of(precision)
    values = np.atleast_1d(arithmetic.read(x))
    with np.errstate(all="ignore"):
        found = values.cumprod(int(dim), _WIDE.get(values.dtype, values.dtype))
    arithmetic.write(out, found.reshape(out.shape))


def largest(x: Array, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """The largest element over some axes, or over all of them where none is named; a NaN is larger than every number.

    - Shapes: out is x without the axes dims, or with size 1 there; a negative axis counts from the end.
    - Precision: nothing is rounded. Extra memory: a copy of x.
    - Source: the formula of the operator's spec.
    """
    del keep, precision
    _extreme(np.max, x, dims, out)


def smallest(x: Array, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """The smallest element over some axes, like `largest`; a NaN is smaller than every number, too."""
    del keep, precision
    _extreme(np.min, x, dims, out)


def largest_of_all(x: Array, out: Array, precision: Precision) -> None:
    """The largest of all elements, converted to the dtype of the output, which has one element."""
    del precision
    _extreme(np.max, x, (), out)


def smallest_of_all(x: Array, out: Array, precision: Precision) -> None:
    """The smallest of all elements, converted to the dtype of the output, which has one element."""
    del precision
    _extreme(np.min, x, (), out)


def place_of_smallest(x: Array, dim: int, keep: bool, out: Array, precision: Precision) -> None:
    """The index of the first smallest element along an axis; a NaN is smaller than every number."""
    del keep, precision
    out[...] = np.argmin(np.atleast_1d(_comparable(x)), dim).reshape(out.shape)


def place_of_largest(x: Array, dim: int, keep: bool, out: Array, precision: Precision) -> None:
    """The index of the first largest element along an axis; a NaN is larger than every number."""
    del keep, precision
    out[...] = np.argmax(np.atleast_1d(_comparable(x)), dim).reshape(out.shape)


def largest_and_place(x: Array, dim: int, keep: bool, out: Array, indices: Array, precision: Precision) -> None:
    """The first largest element along an axis, and its index.

    - Shapes: both outputs are x without the axis, or with size 1 there; a scalar has one axis.
    - Precision: the elements are rounded to the role ``operand`` before they are compared.
    - Source: the formula of the operator's spec.
    """
    operand = precision["operand"]
    assert isinstance(operand, DType)
    rounded = round_to(x, operand)
    _extreme(np.max, rounded, (dim,), out)
    place_of_largest(rounded, dim, keep, indices, precision)


def smallest_and_place(x: Array, dim: int, keep: bool, out: Array, indices: Array, precision: Precision) -> None:
    """The first smallest element along an axis, and its index; else as `largest_and_place`."""
    operand = precision["operand"]
    assert isinstance(operand, DType)
    rounded = round_to(x, operand)
    _extreme(np.min, rounded, (dim,), out)
    place_of_smallest(rounded, dim, keep, indices, precision)


def smallest_and_largest(
    x: Array, dims: Sequence[int], keep: bool, least: Array, most: Array, precision: Precision
) -> None:
    """`smallest` and `largest` at once."""
    smallest(x, dims, keep, least, precision)
    largest(x, dims, keep, most, precision)


def running_largest(x: Array, dim: int, values: Array, indices: Array, precision: Precision) -> None:
    """The largest of each element and of those before it on an axis, and its index, the last of equal ones.

    - Shapes: both outputs are like x; a scalar has one axis, and a negative one counts from the end.
    - Precision: nothing is rounded but to the dtype of values. From a NaN on all is NaN.
    - Extra memory: three times x, twice of it in int64.
    - Source: the formula of the operator's spec.
    """
    del precision
    _running(np.maximum, x, dim, values, indices)


def running_smallest(x: Array, dim: int, values: Array, indices: Array, precision: Precision) -> None:
    """The smallest of each element and of those before it on an axis, and its index; else as `running_largest`."""
    del precision
    _running(np.minimum, x, dim, values, indices)


def every(x: Array, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """Whether all elements over some axes are other than zero: true where there are none; axes are as in `largest`."""
    del keep, precision
    out[...] = (x != 0).all(_axes(x, dims)).reshape(out.shape)


def some(x: Array, dims: Sequence[int], keep: bool, out: Array, precision: Precision) -> None:
    """Whether any element over some axes is other than zero: false where there are none; axes are as in `largest`."""
    del keep, precision
    out[...] = _shaped((x != 0).any(_over(x, dims)), out)


def _axes(x: Array, dims: Sequence[int]) -> tuple[int, ...]:
    """The axes of a reduction: all where none is named, none of a scalar, and one that is named twice counts once."""
    if x.ndim == 0 or len(dims) == 0:
        return tuple(range(x.ndim))
    return tuple({dim % x.ndim for dim in dims})


def _over(x: Array, dims: Sequence[int]) -> tuple[int, ...]:
    """The axes of a reduction that gives the same number everywhere where x is empty: then all of them."""
    return _axes(x, dims) if x.size else tuple(range(x.ndim))


def _shaped(found: Array, out: Array) -> Array:
    """What was found over `_over`, in the shape of out."""
    return found.reshape(out.shape) if np.ndim(found) else np.broadcast_to(found, out.shape)


def _moments(x: Array, dims: Sequence[int] | None, correction: int, precision: Precision) -> tuple[Array, Array]:
    """The mean and the variance over axes in float64, of size 1 there: NaN where there are no elements."""
    axes = _axes(x, dims or ())
    values = Arithmetic.of(precision).read(x).astype(np.float64)
    count = prod(x.shape[axis] for axis in axes)
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        centres = np.asarray(values.sum(axes, keepdims=True)) / np.float64(count)
        divisor = max(count - correction, 0) if count > 0 else 0
        return centres, np.asarray(np.square(values - centres).sum(axes, keepdims=True)) / np.float64(divisor)


def _total(values: Array, axes: tuple[int, ...]) -> Array:
    """The sum over axes, in a wider type."""
    with np.errstate(all="ignore"):
        return np.asarray(values.sum(axes, _WIDE.get(values.dtype, values.dtype)))


def _extreme(choose: Callable[..., Array], x: Array, dims: Sequence[int], out: Array) -> None:
    round_into(out, np.asarray(choose(_comparable(x), axis=_axes(x, dims))).reshape(out.shape))


def _running(choose: np.ufunc, x: Array, dim: int, values: Array, indices: Array) -> None:
    """Write the running extreme along an axis, and the index of the last element that equals it."""
    elements = np.atleast_1d(_comparable(x))
    found = choose.accumulate(elements, dim)
    sizes = [-1 if axis == dim % elements.ndim else 1 for axis in range(elements.ndim)]
    places = np.arange(elements.shape[dim]).reshape(sizes)
    is_extreme = (elements == found) | (elements != elements)
    round_into(values, found.reshape(x.shape))
    indices[...] = np.maximum.accumulate(np.where(is_extreme, places, 0), dim).reshape(x.shape)


def _comparable(x: Array) -> Array:
    """The same elements in a type that NumPy compares: BF16 in float32, where a NaN is the largest."""
    return x if x.dtype.isbuiltin == 1 else x.astype(np.float32)
