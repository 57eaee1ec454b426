"""Which dtypes a parameter may have on a product, and which of them keeps the most of another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo

_INTEGER: Final = {
    DType.INT8: (7, True),
    DType.INT16: (15, True),
    DType.INT32: (31, True),
    DType.INT64: (63, True),
    DType.UINT8: (8, False),
    DType.UINT16: (16, False),
    DType.UINT32: (32, False),
    DType.UINT64: (64, False),
}
"""Bits of the magnitude, and whether there is a sign."""
_COMPLEX: Final[tuple[DType, ...]] = (DType.COMPLEX32, DType.COMPLEX64, DType.COMPLEX128)


def taken(info: OperatorInfo, param: str, products: Iterable[str], mode: Mode = "library") -> tuple[str, ...] | None:
    """The dtypes that some row allows for a parameter on one of the products; None where no row names it."""
    rows = [row for row in info.rows if mode in row.modes and param in row.table]
    if not any(param in row.table for row in info.rows):
        return None
    wanted = set(products)
    found = (dtype for row in rows if wanted & set(row.products) for dtype in row.table[param])
    return tuple(dtype for dtype in dict.fromkeys(found) if dtype in DType.__members__)


def keeps_most(dtype: str, among: Iterable[str]) -> str | None:
    """The dtype that keeps the most of another one and changes nothing else; None where all would change its kind."""
    old = DType[dtype]
    others = [DType[name] for name in among if name != dtype]
    if old in _COMPLEX:
        found = [one for one in others if one in _COMPLEX]
        return max(found, key=_COMPLEX.index).name if found else None
    if old.is_floating:
        found = [one for one in others if one.is_floating]
        return min(found, key=lambda one: (unit_roundoff(one), one)).name if found else None
    if old in _INTEGER:
        bits, has_sign = _INTEGER[old]
        found = [one for one in others if one in _INTEGER and (_INTEGER[one][1] or not has_sign)]
        lost = {one: (max(0, bits - _INTEGER[one][0]), _INTEGER[one][0]) for one in found}
        return min(found, key=lost.__getitem__).name if found else None
    return None
