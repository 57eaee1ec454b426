"""Numbers of four bits: CANN has two in a byte, the first in the low half, and NumPy one in a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from aclspec.runtime.abi.dtypes import DType

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALVES: Final = (DType.INT4, DType.FLOAT4_E2M1)


def packed(numbers: NDArray[Any]) -> NDArray[Any]:
    """The bytes of CANN from an even count of NumPy's."""
    return (numbers[::2] & 15) | (numbers[1::2] << 4)


def unpacked(taken: NDArray[np.uint8], dtype: DType) -> NDArray[Any]:
    """The bytes of NumPy from CANN's, twice as many."""
    numbers = np.stack((taken & 15, taken >> 4), -1).reshape(-1)
    return (numbers ^ 8) - np.uint8(8) if dtype is DType.INT4 else numbers  # 8 to 15 are -8 to -1
