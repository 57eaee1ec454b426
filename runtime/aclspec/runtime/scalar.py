"""A number with a dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aclspec.runtime.dtypes import DType


class Scalar:
    """An aclScalar: a number and its dtype."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: bool | int | float | complex, dtype: DType) -> None:
        """A number of this dtype."""
        self.value = value
        self.dtype = dtype

    def __repr__(self) -> str:
        """The dtype and the value, as in ``float32(1.5)``."""
        return f"{self.dtype.short}({self.value})"
