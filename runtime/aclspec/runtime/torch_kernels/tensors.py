"""Arrays as tensors of PyTorch, and the roundings between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
import torch

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to

DTYPES = {DType.FLOAT: torch.float32, DType.FLOAT16: torch.float16, DType.BF16: torch.bfloat16}
_SUMS = {DType.FLOAT: torch.float32, DType.DOUBLE: torch.float64}


class Numbers:
    """How a kernel reads operands and writes results: `Arithmetic`, with tensors."""

    def __init__(self, precision: Precision) -> None:
        """The roles of `Arithmetic`."""
        self._arithmetic = Arithmetic.of(precision)
        self._sums = torch.float64 if self._arithmetic.accumulate == np.float64 else torch.float32

    def read(self, array: Array) -> Any:
        """The operands in row-major order and the dtype of the sums; their memory may be that of the array."""
        operand = self._arithmetic.operand
        if operand is DType.HFLOAT32:
            array, operand = round_to(array, operand), DType.FLOAT
        return as_tensor(array).to(DTYPES[operand]).to(self._sums).contiguous()

    def write(self, target: Array, values: Any) -> None:
        """Write results to an output, rounded as `Arithmetic.write` rounds them."""
        result = self._arithmetic.result
        if values.dtype is torch.float64 or result is DType.HFLOAT32:  # PyTorch rounds float64 to a half twice
            self._arithmetic.write(target, values.numpy())
        else:
            write(target, values if result is None else values.to(DTYPES[result]))


def by_tensors(compute: Callable[..., bool]) -> Callable[..., bool]:
    """The function for calls of FLOAT, FLOAT16 and BF16 with elements; others it leaves to NumPy.

    What the caller has chosen for its own tensors, such as gradients and automatic casts, is off.
    """

    @wraps(compute)
    def guarded(*values: Any) -> bool:
        if not _are_taken(values):
            return False
        with torch.inference_mode(), torch.autocast("cpu", enabled=False):
            return compute(*values)

    return guarded


def _are_taken(values: Sequence[Any]) -> bool:
    precision = values[-1]
    operand, result = precision.get("operand"), precision.get("result", DType.FLOAT)
    roles = all(role in DTYPES or role is DType.HFLOAT32 for role in (operand, result))
    arrays = (value for value in values if isinstance(value, np.ndarray))
    return roles and precision.get("accumulate") in _SUMS and all(map(_is_taken, arrays))


def _is_taken(array: Array) -> bool:
    """Integers are indices and masks."""
    return bool(array.size) and (array.dtype.kind == "i" or BY_NUMPY.get(array.dtype) in DTYPES)


def as_tensor(array: Array) -> Any:
    """A tensor with the elements of an array, in its memory; in other memory where that is read-only."""
    return _view(array if array.flags.writeable else array.copy())


def write(target: Array, values: Any) -> None:
    """Write to an output of any strides, each element rounded once."""
    _view(target).copy_(values)


def _view(array: Array) -> Any:
    if BY_NUMPY[array.dtype] is DType.BF16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
