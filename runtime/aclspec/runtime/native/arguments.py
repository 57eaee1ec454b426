"""Arguments of the compiled kernels: which arrays they take, and how C sees them.

A function of the modules beside this one takes what the NumPy kernel of its name takes, and computes; or it answers
False, and has written nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.kernels.windows import Axis, Pool
from aclspec.runtime.native.library import Library, library, threads

FLOATS = (DType.FLOAT, DType.FLOAT16, DType.BF16)
INT32_MAX = 2**31 - 1
SPARSE_FROM = 1 << 18
"""Cells of a plane in its frame that are never too many, however few of them hold anything."""


def usable(*arrays: Array | None) -> Library | None:
    """The library, where it is there and can take these arrays: contiguous, aligned, and none of them empty."""
    for array in arrays:
        if array is not None and not (array.flags.c_contiguous and array.flags.aligned and array.size):
            return None
    return library()


def common_dtype(*arrays: Array | None) -> DType | None:
    """The dtype that all arrays have, where the kernels can read and write it."""
    kinds = {array.dtype for array in arrays if array is not None}
    if len(kinds) != 1:
        return None
    dtype = BY_NUMPY.get(kinds.pop())
    return dtype if dtype in FLOATS else None


def computes_in_float(precision: Precision, dtype: DType) -> bool:
    """Whether operands of a dtype are used as they are, sums run in float32, and results are rounded once."""
    return (
        precision.get("accumulate") is DType.FLOAT
        and precision.get("operand", dtype) in (dtype, DType.FLOAT)
        and precision.get("result", dtype) is dtype
    )


def check(status: int) -> None:
    """Raise what NumPy raises where there is no memory for scratch."""
    if status:
        raise MemoryError("There is no memory for the scratch of a compiled kernel.")


def rows(c: Library, dtype: DType, shape: Sequence[int], shared: bool, rounds: bool = False) -> Any:
    """The elements of a shape by sample and channel, or as one channel where ``shared``.

    ``rounds``: every step is rounded to the dtype, as where the sums run in it.
    """
    sizes = (1, 1, prod(shape)) if shared or len(shape) < 2 else (shape[0], shape[1], prod(shape[2:]))
    return c.ffi.new("aclspec_rows *", (int(dtype), threads(), *sizes, rounds))


def window(c: Library, dtype: DType, planes: tuple[int, int], pool: Pool) -> Any | None:
    """The windows of a pool over samples and channels; None where a plane is too large for the positions of C."""
    down, along = pool.rows, pool.cols
    if min(down.padding, along.padding) < 0 or down.size * along.size > INT32_MAX or down.count * along.count == 0:
        return None
    if max(down.kernel * down.dilation, along.kernel * along.dilation) > INT32_MAX:
        return None
    if not (down.goes_by_tap and along.goes_by_tap):
        return None  # a kernel beyond the input: few windows, of many cells
    if _framed(down) * _framed(along) > SPARSE_FROM + 4 * (down.size * along.size + down.count * along.count):
        return None  # padding far beyond the input, or windows far apart: the frame of a plane would be nearly empty
    pairs = zip(
        *((one.size, one.count, one.kernel, _step(one), one.padding, one.dilation) for one in (down, along)),
        strict=True,
    )
    sizes = [size for pair in pairs for size in pair]
    if max(sizes) > INT32_MAX:
        return None
    return c.ffi.new("aclspec_window *", (int(dtype), threads(), prod(planes), *sizes, planes[1]))


def _framed(axis: Axis) -> int:
    """The cells of a line with its padding, as C lays it out."""
    return max((axis.count - 1) * _step(axis) + (axis.kernel - 1) * axis.dilation + 1, axis.padding + axis.size)


def _step(axis: Axis) -> int:
    """The stride; from the only window on there is none, however long."""
    return axis.stride if axis.count > 1 else 1


def floats(values: Any) -> Array:
    """A contiguous float32 array."""
    return np.ascontiguousarray(values, np.float32)
