"""The joint dtype rows of an operator as a table: a line for each combination, a column for each product."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import NULL, OperatorInfo, names_null

Cells: TypeAlias = tuple[tuple[str, ...], ...]
_MAX_COMBINATIONS = 100_000


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


def refuse_nothing(rows: Sequence[Mapping[str, tuple[str, ...]]], names: Sequence[str]) -> bool:
    """Whether a parameter may have any of its dtypes, whatever the others have; False where that takes long to say."""
    legal = {name: dict.fromkeys(dtype for row in rows for dtype in row.get(name, ())) for name in names}
    for name in names:
        if names_null(name, rows):
            legal[name].setdefault(NULL)
    for turn, dtypes in enumerate(itertools.product(*legal.values())):
        pairs = list(zip(legal, dtypes, strict=True))
        fits = any(all(name not in row or dtype in row[name] for name, dtype in pairs) for row in rows)
        if not fits or turn > _MAX_COMBINATIONS:
            return False
    return True
