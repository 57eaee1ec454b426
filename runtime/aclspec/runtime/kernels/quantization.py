"""Quantization of rows, each by a scale of its own."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.tensors.rounding import round_into


def dynamic_quant(x: Array, smooth: Array | None, y: Array, scale: Array, precision: Precision) -> None:
    """Write ``max(abs(x * smooth)) / limit`` of each row to scale, and ``x * smooth`` over it to y.

    - Shapes: a row lies along the last axis; scale has the axes of x but for that one, smooth has that one alone. y is
      like x, or has an eighth of its columns where its dtype is int32.
    - Precision: everything runs in the role ``accumulate``. ``limit`` is the largest number of y, and smooth takes part
      where ``smoothed`` is set. Integers are rounded to the nearest, ties to even; a quotient that is NaN is then 0, as
      is one by a scale of 0 whatever the dtype.
    - Packing: each int32 has eight numbers of four bits, in two's complement, the first in the lowest bits.
    - Source: the formula of the operator's spec.
    """
    accumulate, limit = precision["accumulate"], precision["limit"]
    assert isinstance(accumulate, DType)
    kind = np.dtype(accumulate.numpy)
    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(x, kind)
        if smooth is not None and precision["smoothed"]:
            values = values * smooth
        scales = np.abs(values).max(-1) / kind.type(limit)
        np.copyto(scale, scales)
        quotients = np.where(scales[..., None] == 0, kind.type(0), values / scales[..., None])
        if y.dtype.kind == "i":
            quotients = np.clip(np.nan_to_num(np.rint(quotients), nan=0), -kind.type(limit), kind.type(limit))
        round_into(y, _packed(quotients) if y.dtype == np.int32 else quotients)


def _packed(numbers: Array) -> Array:
    """The lowest four bits of eight numbers in each int32."""
    nibbles = numbers.reshape(*numbers.shape[:-1], -1, 8).astype(np.int32) & 15
    packed: Array = np.bitwise_or.reduce(nibbles << 4 * np.arange(8, dtype=np.int32), axis=-1)
    return packed
