"""Reductions over axes: sums, means, products, extremes and what they are of truth values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.tensors.rounding import round_into

_WIDE = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}
"""The type in which sums of a narrower one run."""


def reduce_sum(x: Array, dims: Sequence[int], keep: bool, dtype: DType, out: Array, precision: Precision) -> None:
    """The sum over some axes, or over all of them where none is named.

    - Shapes: out is x without the axes dims, or with size 1 there; a negative axis counts from the end.
    - Precision: the elements are rounded to the role ``operand`` and added in ``accumulate``: integers wrap around, and
      FLOAT adds in float64 and is rounded once. The sum is converted to the output, a truth value being whether any is.
    - Extra memory: a copy of x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    del keep, dtype
    values = _read(x, precision)
    round_into(out, _sum(values, _axes(dims, x)).reshape(out.shape))


def _axes(dims: Sequence[int], x: Array) -> tuple[int, ...]:
    """The axes of a reduction of an array: none named are all, and a scalar has one to be named and none to be reduced."""
    return tuple(dims) if x.ndim and len(dims) else tuple(range(x.ndim))


def _read(x: Array, precision: Precision) -> Array:
    """The elements in row-major order, so that a sum does not depend on how they lie in memory."""
    real = x.real if x.dtype.kind == "c" and Arithmetic.of(precision).accumulate.kind != "c" else x
    return Arithmetic.of(precision).read(real).reshape(x.shape)


def _sum(values: Array, axes: tuple[int, ...]) -> Array:
    """The sum over axes, in a wider type, and rounded once."""
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        return np.asarray(values.sum(axes, _WIDE.get(values.dtype, values.dtype))).astype(values.dtype)
