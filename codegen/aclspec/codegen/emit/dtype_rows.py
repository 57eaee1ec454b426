"""The dtype rows of an operator, by mode and product."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product as cartesian
from typing import Final, TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.operator_info import MODES, NULL, Mode, OperatorInfo, names_null

Place: TypeAlias = tuple[Mode, str]
"""A mode and a product: where a rule is enforced, or a dtype row stands."""
Cell: TypeAlias = tuple[str, ...] | None
"""The dtypes that a row allows a parameter; None where the row does not mention it and takes any."""
Combination: TypeAlias = tuple[str | None, ...]
Combinations: TypeAlias = tuple[Combination, ...]

Allowed: TypeAlias = tuple[frozenset[str | None] | None, ...]
"""The cells of a row as sets."""

MAX_COMBINATIONS: Final = 128


def _covers(row: Allowed, other: Allowed) -> bool:
    """Whether a row allows whatever another one does; None allows anything."""
    return all(mine is None or (its is not None and its <= mine) for mine, its in zip(row, other, strict=True))


class RowData:
    """The rows of each place that has some, in the order of modes and products."""

    def __init__(self, info: OperatorInfo, universe: tuple[str, ...]) -> None:
        """The rows of an operator."""
        self.rows = {
            (mode, product): found
            for mode in MODES
            for product in universe
            if (found := [r.table for r in info.rows if product in r.products and mode in r.modes])
        }
        self.places: frozenset[Place] = frozenset(self.rows)
        named = {name for row in info.rows for name, _ in row.cells}
        self.columns = tuple(param.name for param in info.params if param.name in named)

    def column(self, place: Place, name: str) -> Cell:
        """The dtypes that some row of a place allows a parameter."""
        cells = [row.get(name) for row in self.rows[place]]
        if None in cells:
            return None
        return tuple(dict.fromkeys(dtype for cell in cells for dtype in cell or () if dtype != NULL))

    def legal(self, name: str, places: frozenset[Place]) -> frozenset[DType] | None:
        """The dtypes that the rows of some places allow a parameter; None where one allows any."""
        columns = [self.column(place, name) if place in self.rows else None for place in places]
        return None if None in columns else frozenset(DType[dtype] for column in columns for dtype in column or ())

    def same_columns(self, name: str) -> tuple[str, ...]:
        """The columns that allow, place for place, the same dtypes as this one."""
        return tuple(
            other for other in self.columns if all(self.column(p, other) == self.column(p, name) for p in self.rows)
        )

    def distinguishes(self, place: Place, name: str) -> bool:
        """Whether the rows of a place differ in this column; one in which they do not says nothing about the others."""
        return len({row.get(name) for row in self.rows[place]}) > 1

    def names_null(self, place: Place, name: str) -> bool:
        """Whether only some rows of a place allow the parameter to be null."""
        return names_null(name, self.rows[place])

    def nullable(self, names: Iterable[str]) -> frozenset[str]:
        """The parameters that only some rows of a place allow to be null."""
        return frozenset(name for name in names if any(self.names_null(place, name) for place in self.rows))

    def cells(self, place: Place, names: Sequence[str]) -> tuple[tuple[Cell | Combination, ...], ...]:
        """The rows of a place, cut down to these columns; None among the dtypes of a parameter that may be null.

        Nothing is said of null for a parameter of which no rows of any place do, or that stands alone. A row that
        allows no more than another one is left out.
        """
        nullable = self.nullable(names) if len(names) > 1 else frozenset()
        free = {name for name in nullable if not self.names_null(place, name)}

        def cell(name: str, found: Cell) -> Cell | Combination:
            if found is None or (NULL not in found and name not in free):
                return found
            dtypes = tuple(dtype for dtype in found if dtype != NULL)
            return (*dtypes, None) if name in nullable else dtypes

        found: dict[Allowed, tuple[Cell | Combination, ...]] = {}
        for table in self.rows[place]:
            row = tuple(cell(name, table.get(name)) for name in names)
            found.setdefault(tuple(None if dtypes is None else frozenset(dtypes) for dtypes in row), row)
        return tuple(
            row for key, row in found.items() if not any(other != key and _covers(other, key) for other in found)
        )

    def combinations(self, place: Place, names: Sequence[str], optional: Sequence[str]) -> Combinations | None:
        """Every combination of dtypes that a row allows, with None for an absent parameter; None when too many."""
        found: dict[Combination, None] = {}
        nullable = self.nullable(names)
        for row in self.cells(place, names):
            options = [
                (
                    *(dtype for dtype in cell or () if dtype is not None),
                    *((None,) if name in optional and (None in (cell or ()) or name not in nullable) else ()),
                )
                for name, cell in zip(names, row, strict=True)
            ]
            if None in row or math.prod(map(len, options)) > MAX_COMBINATIONS:
                return None
            found.update(dict.fromkeys(cartesian(*options)))
        return tuple(found) if len(found) <= MAX_COMBINATIONS else None

    def only_equal(self, place: Place, names: Sequence[str]) -> bool:
        """Whether the rows require equal dtypes in all these columns, and nothing more."""
        dtypes = self.column(place, names[0])
        if dtypes is None or any(self.names_null(place, name) for name in names):
            return False
        if any(set(self.column(place, name) or ()) != set(dtypes) for name in names):
            return False
        return set(self.combinations(place, names, ()) or ()) == {(dtype,) * len(names) for dtype in dtypes}
