"""The dtypes of an operator on each product: its joint rows, made readable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.runtime.info import OperatorInfo
from aclspec.runtime.products import KEYS

Mark: TypeAlias = Literal["both", "library", "document", ""]


@dataclass(frozen=True, slots=True)
class Line:
    """One combination: the dtypes of each group of parameters, and where it is legal."""

    dtypes: tuple[tuple[str, ...], ...]
    products: dict[str, Mark]


@dataclass(frozen=True, slots=True)
class Matrix:
    """``groups`` are parameters whose cells are the same in every row."""

    groups: tuple[tuple[str, ...], ...]
    lines: tuple[Line, ...]
    products: tuple[str, ...]


def matrix(info: OperatorInfo) -> Matrix:
    """The joint rows of an operator; rows with the same cells are one line."""
    names = list(dict.fromkeys(name for row in info.rows for name, _ in row.cells))
    columns = {name: tuple(dict(row.cells).get(name, ()) for row in info.rows) for name in names}
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name in names:
        groups.setdefault(columns[name], []).append(name)
    modes: dict[tuple[tuple[str, ...], ...], dict[str, set[str]]] = {}
    for at, row in enumerate(info.rows):
        line = modes.setdefault(tuple(column[at] for column in groups), {})
        for product in row.products:
            line.setdefault(product, set()).update(row.modes)
    used = tuple(key for key in KEYS if any(key in line for line in modes.values()))
    lines = tuple(Line(dtypes, {key: _mark(line.get(key, set())) for key in used}) for dtypes, line in modes.items())
    return Matrix(tuple(tuple(group) for group in groups.values()), lines, used)


def _mark(modes: set[str]) -> Mark:
    if modes >= {"document", "library"}:
        return "both"
    return "library" if "library" in modes else "document" if modes else ""
