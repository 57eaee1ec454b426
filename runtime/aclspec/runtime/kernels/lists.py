"""Lists of tensors: stacked, split, and computed one tensor after the other."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.binary import add, multiply
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.copying import cast, concatenate
from aclspec.runtime.kernels.rounding import Precision


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
