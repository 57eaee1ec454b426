"""The dtype rows of an operator by place, and what can be told from them beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product as cartesian
from typing import Final, TypeAlias

from aclspec.codegen.emit.scope import Place, Scope
from aclspec.runtime.info import MODES, RowInfo

Cell: TypeAlias = tuple[str, ...] | None
"""The dtypes that a row allows a parameter; None where the row does not mention it and takes any."""
Combination: TypeAlias = tuple[str | None, ...]
Combinations: TypeAlias = tuple[Combination, ...]

MAX_COMBINATIONS: Final = 256


class RowData:
    """The rows of each place that has some, in the order of modes and products."""

    def __init__(self, scope: Scope, given: tuple[RowInfo, ...]) -> None:
        """These rows, as an operator has ``given`` them."""
        self.given = given
        self.rows = {
            (mode, product): found
            for mode in MODES
            for product in scope.universe
            if (found := [dict(r.cells) for r in given if product in r.products and mode in r.modes])
        }
        self.places: frozenset[Place] = frozenset(self.rows)
        named = {name for row in given for name, _ in row.cells}
        self.columns = tuple(param.name for param in scope.info.params if param.name in named)

    def column(self, place: Place, name: str) -> Cell:
        """The dtypes that some row of a place allows a parameter."""
        cells = [row.get(name) for row in self.rows[place]]
        if None in cells:
            return None
        return tuple(dict.fromkeys(dtype for cell in cells for dtype in cell or ()))

    def alike(self, name: str) -> tuple[str, ...]:
        """The columns that allow, place for place, the same dtypes as this one."""
        return tuple(
            other for other in self.columns if all(self.column(p, other) == self.column(p, name) for p in self.rows)
        )

    def distinguishes(self, place: Place, name: str) -> bool:
        """Whether the rows of a place differ in this column; one in which they do not says nothing about the others."""
        return len({row.get(name) for row in self.rows[place]}) > 1

    def cells(self, place: Place, names: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
        """The rows of a place, cut down to these columns."""
        return tuple(dict.fromkeys(tuple(row.get(name) for name in names) for row in self.rows[place]))

    def combinations(self, place: Place, names: Sequence[str], optional: Sequence[str]) -> Combinations | None:
        """Every combination of dtypes that a row allows, with None for an absent parameter; None when too many."""
        found: dict[Combination, None] = {}
        for row in self.cells(place, names):
            options = [
                (*(cell or ()), *((None,) if name in optional else ())) for name, cell in zip(names, row, strict=True)
            ]
            if None in row or math.prod(map(len, options)) > MAX_COMBINATIONS:
                return None
            found.update(dict.fromkeys(cartesian(*options)))
        return tuple(found) if len(found) <= MAX_COMBINATIONS else None

    def only_equal(self, place: Place, names: Sequence[str]) -> bool:
        """Whether the rows ask for one and the same dtype in all these columns, and nothing more."""
        dtypes = self.column(place, names[0])
        if dtypes is None or any(set(self.column(place, name) or ()) != set(dtypes) for name in names):
            return False
        return set(self.combinations(place, names, ()) or ()) == {(dtype,) * len(names) for dtype in dtypes}
