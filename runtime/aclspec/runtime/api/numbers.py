"""Numbers whose caller names no dtype: on each product they have one that the parameter takes there.

A Python number becomes an aclScalar of INT64, DOUBLE, BOOL or COMPLEX128. Where a parameter takes another dtype alone,
as FLOAT, a call that names no dtype means that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Scalar

_INTEGERS: Final = ("INT64", "INT32", "INT16", "INT8", "UINT8")
_REALS: Final = ("FLOAT", "DOUBLE", "FLOAT16", "BF16")
ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "BOOL": ("BOOL", "UINT8", *_INTEGERS, *_REALS),
    "INT64": (*_INTEGERS, *_REALS),
    "DOUBLE": ("DOUBLE", *_REALS),
    "COMPLEX128": ("COMPLEX128", "COMPLEX64"),
}
"""What a number of each of Python's types may become, the first first."""
RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "INT32": (-(2**31), 2**31 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "INT8": (-(2**7), 2**7 - 1),
    "UINT8": (0, 2**8 - 1),
    "FLOAT16": (-65504, 65504),
}
"""The numbers that a dtype holds, of those that hold less than others."""


class PlainScalar(Scalar):
    """A number whose dtype the caller left open."""

    __slots__ = ()


def plain(raw: object, value: Any) -> Any:
    """The value of an argument, marked where the caller gave a number of Python."""
    is_plain = isinstance(value, Scalar) and type(raw) in (bool, int, float, complex)
    return PlainScalar(value.value, value.dtype) if is_plain else value


def fitted(info: OperatorInfo, call: Mapping[str, object], product: str) -> Mapping[str, object]:
    """The call with such numbers in a dtype that the rows of a product take; the same call where all fit."""
    changed = {}
    for name, value in call.items():
        if isinstance(value, PlainScalar) and (dtype := _dtype(info, name, value, product)) is not None:
            changed[name] = Scalar(_number(value.value, dtype), dtype)
    return {**call, **changed} if changed else call


def _dtype(info: OperatorInfo, name: str, value: Scalar, product: str) -> DType | None:
    """The dtype that a number takes on; None where its own fits, or no other does."""
    rows = [row for row in info.rows if product in row.products and "document" in row.modes]
    allowed = {dtype for row in rows for dtype in row.table.get(name, ())}
    if not allowed or value.dtype.name in allowed:
        return None
    for dtype in ORDER.get(value.dtype.name, ()):
        low, high = RANGES.get(dtype, (None, None))
        if dtype in allowed and (low is None or high is None or low <= value.value <= high):  # type: ignore[operator]
            return DType[dtype]
    return None


def _number(value: Any, dtype: DType) -> Any:
    return float(value) if dtype.is_floating else value if dtype in (DType.COMPLEX64, DType.BOOL) else int(value)
