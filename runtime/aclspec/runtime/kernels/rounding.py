"""The numbers of a kernel: what its precision table says about operands, sums and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.tensors.rounding import round_into

Precision: TypeAlias = Mapping[str, DType | str]
"""By role, what the precision table of a spec decides for one call."""


@dataclass(frozen=True)
class Arithmetic:
    """How a kernel reads operands, adds and writes results.

    - ``operand``: every operand is rounded to it as it is read.
    - ``accumulate``: the NumPy type in which products and sums run.
    - ``result``: what the product rounds a result to before it becomes the output's dtype; None for no such step.
    """

    operand: DType
    accumulate: np.dtype[Any]
    result: DType | None

    @classmethod
    def of(cls, precision: Precision) -> Arithmetic:
        """The roles ``operand`` and ``accumulate``, and ``result`` where the table has it."""
        accumulate = _dtype(precision, "accumulate").numpy
        assert accumulate is not None
        result = _dtype(precision, "result") if "result" in precision else None
        return cls(_dtype(precision, "operand"), accumulate, result)

    def reads_as_is(self, array: Array) -> bool:
        """Whether the elements of an array are operands already, with no rounding and no conversion."""
        return array.dtype == self.accumulate and _holds(self.operand, array.dtype)

    def writes_as_is(self, array: Array) -> bool:
        """Whether sums are the elements of an output already."""
        return array.dtype == self.accumulate and (self.result is None or _holds(self.result, array.dtype))

    def read(self, array: Array) -> Array:
        """The operands in row-major order as an array to compute with, which may be the given array itself."""
        operands = array if _holds(self.operand, array.dtype) else round_to(array, self.operand)
        return np.asarray(operands, self.accumulate, order="C")

    def write(self, target: Array, values: Array) -> None:
        """Write results to an output of any strides.

        They are rounded to ``accumulate`` (a sum may have run in a wider type), to ``result`` where that is set, and to
        the dtype of the output.
        """
        with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
            values = values.astype(self.accumulate, copy=False)
        if self.result is not None and self.result is not BY_NUMPY.get(target.dtype):
            values = round_to(values, self.result)
        round_into(target, values)


def round_to(array: Array, dtype: DType) -> Array:
    """A new contiguous array of the same values, each rounded to the nearest of a dtype, ties to even.

    NaN and infinities stay what they are, and what is beyond the largest number becomes an infinity.
    HFLOAT32 comes back as float32.
    """
    if dtype is DType.HFLOAT32:
        return _hfloat32(array)
    rounded: Array = np.empty(array.shape, dtype.numpy)
    round_into(rounded, array)
    return rounded


def _dtype(precision: Precision, role: str) -> DType:
    dtype = precision[role]
    assert isinstance(dtype, DType), f"The role {role} ({dtype}) is not a dtype."
    return dtype


def _holds(wide: DType, narrow: np.dtype[Any]) -> bool:
    """Whether a dtype is known to have every value of a NumPy type."""
    return wide is not DType.HFLOAT32 and wide.numpy is not None and np.can_cast(narrow, wide.numpy)


def _hfloat32(array: Array) -> Array:
    """Drop the low 12 bits of each float32 mantissa; a carry out of it rightly raises the exponent."""
    values = np.empty(array.shape, np.float32)
    round_into(values, array)
    bits = values.view(np.uint32)
    rounded = bits >> np.uint32(12)
    rounded &= np.uint32(1)  # whether the last bit that stays is set, for ties to even
    rounded += np.uint32(0x7FF)  # just below a half
    rounded += bits
    rounded &= np.uint32(0xFFFFF000)
    np.copyto(bits, rounded, where=~np.isnan(values))
    return values
