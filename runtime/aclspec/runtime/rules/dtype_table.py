"""The joint dtype rows of an operator as a table: a line for each combination, a column for each product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo

Cells: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """The dtypes of each group of parameters, and the numbers of the rows that allow them, by product."""

    dtypes: Cells
    rows: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class DtypeTable:
    """``groups`` are parameters whose cells are the same in every row, ``products`` those that some row names."""

    groups: Cells
    lines: tuple[Line, ...]
    products: tuple[str, ...]


def dtype_table(info: OperatorInfo) -> DtypeTable:
    """The rows of an operator; those with the same cells are one line."""
    names = dict.fromkeys(name for row in info.rows for name, _ in row.cells)
    groups: dict[Cells, list[str]] = {}
    for name in names:
        groups.setdefault(tuple(row.table.get(name, ()) for row in info.rows), []).append(name)
    lines: dict[Cells, dict[str, list[int]]] = {}
    for at, row in enumerate(info.rows):
        line = lines.setdefault(tuple(column[at] for column in groups), {})
        for product in row.products:
            line.setdefault(product, []).append(at)
    return DtypeTable(
        tuple(map(tuple, groups.values())),
        tuple(Line(cells, {product: tuple(at) for product, at in found.items()}) for cells, found in lines.items()),
        tuple(key for key in KEYS if any(key in found for found in lines.values())),
    )
