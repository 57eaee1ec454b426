"""The numbers that a tensor of an example may have."""

from __future__ import annotations

from math import isfinite

import ml_dtypes
import numpy as np

from aclspec.runtime.abi.dtypes import DType

MAX_ELEMENTS = 1 << 20
"""The most elements of a tensor of an example."""


def holds(dtype: DType, number: int | float) -> bool:
    """Whether a dtype that NumPy has holds a number: exactly if it is one of integers, else rounded."""
    kind = dtype.numpy
    assert kind is not None
    if dtype is DType.BOOL:
        return number in (0, 1)
    if not dtype.is_floating and kind.kind != "c":
        limits = ml_dtypes.iinfo(kind)  # type: ignore[no-untyped-call]
        return int(limits.min) <= number <= int(limits.max) and number == int(number)
    if abs(number) <= float(ml_dtypes.finfo(kind).max):  # type: ignore[no-untyped-call]
        with np.errstate(all="ignore"):
            return isfinite(np.float64(number).astype(kind).real)  # no FLOAT8_E8M0 is 0 or negative
    is_special = isinstance(number, float) and not isfinite(number)
    return is_special and repr(float(np.float64(number).astype(kind).real)) == repr(number)
