"""Which dtypes a parameter may have on a product, and which of them keeps the most of another one."""

from __future__ import annotations

from collections.abc import Iterable

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.api.facets import kind_of, loss
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo


def taken(info: OperatorInfo, param: str, products: Iterable[str], mode: Mode = "library") -> tuple[str, ...] | None:
    """The dtypes that some row allows for a parameter on one of the products; None where no row names it."""
    rows = [row for row in info.rows if mode in row.modes and param in row.table]
    if not any(param in row.table for row in info.rows):
        return None
    wanted = set(products)
    found = (dtype for row in rows if wanted & set(row.products) for dtype in row.table[param])
    return tuple(dtype for dtype in dict.fromkeys(found) if dtype in DType.__members__)


def keeps_most(dtype: str, among: Iterable[str]) -> str | None:
    """The dtype that a fix proposes first for another one, of its kind and with a sign where it has one; else None."""
    kind = kind_of(dtype)
    if kind == "BOOL" or (kind == "FLOAT" and not DType[dtype].is_floating):
        return None
    has_sign = not dtype.startswith("UINT")
    found = [one for one in among if kind_of(one) == kind and not (has_sign and one.startswith("UINT"))]

    def order(one: str) -> tuple[float, ...]:
        return *loss(dtype, one), unit_roundoff(DType[one]) if kind == "FLOAT" else 0

    return min((one for one in found if one != dtype), key=order, default=None)
