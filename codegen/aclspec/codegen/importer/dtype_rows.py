"""Joint dtype rows of a draft, from cells, references, "the dtypes are the same", and tables of combinations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aclspec.codegen.importer.model import Function, JointTable

HAVING_DTYPES = ("tensor", "tensor_list", "scalar", "scalar_list")


@dataclass(slots=True)
class DtypeRows:
    """The rows, the groups of parameters with one dtype, and what stood in the way."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)
    conflicts: list[tuple[str, ...]] = field(default_factory=list)
    blank: list[str] = field(default_factory=list)

    @property
    def is_joint(self) -> bool:
        """Whether a row says more than its cells one by one."""
        products = [product for row in self.rows for product in row["products"]]
        return max((len(row["row"]) for row in self.rows), default=0) > 1 and (
            any("where" in row for row in self.rows) or len(set(products)) < len(products)
        )


def join(names: Sequence[str], same: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Groups of names that share a dtype, in the order of the names."""
    group = {name: name for name in names}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for members in same:
        known = [name for name in members if name in group]
        for name in known[1:]:
            group[root(name)] = root(known[0])
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(root(name), []).append(name)
    return [tuple(members) for members in found.values()]


def dtype_rows(function: Function, same: Iterable[Sequence[str]]) -> DtypeRows:
    """The rows of every product."""
    made = DtypeRows()
    products = function.products
    names = [
        one.name
        for one in function.parameters
        if one.is_tensor or (one.kind in HAVING_DTYPES and all(function.dtypes(one.name, key) for key in products))
    ]
    references = [(fact.subject, str(fact.value)) for fact in function.facts if fact.field == "dtype-as"]
    made.groups = join(names, [*same, *references])
    made.blank = [name for name in names if not all(function.dtypes(name, key) for key in products)]
    by_row: dict[str, tuple[list[dict[str, Any]], list[str]]] = {}
    for product in products:
        rows = _rows(function, made, product)
        if rows:
            by_row.setdefault(repr(rows), (rows, []))[1].append(product)
    for rows, keys in by_row.values():
        for row in rows:
            made.rows.append({**row, "products": keys, "listed_by": "newer"})
    return made


def _rows(function: Function, made: DtypeRows, product: str) -> list[dict[str, Any]]:
    """The rows of one product: those of a table of combinations, else one row of groups."""
    sets: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for members in made.groups:
        listed = [found for name in members if (found := function.dtypes(name, product))]
        if not listed:
            continue  # a blank column is a question; the others stand
        common = tuple(dtype for dtype in listed[0] if all(dtype in cell for cell in listed))
        if common:
            sets.append((members, common))
        else:  # nothing in common: each keeps its own, and a person decides
            made.conflicts.append(members)
            sets += [((name,), function.dtypes(name, product) or listed[0]) for name in members]
    if not sets:
        return []
    table = _table(function, made, product, dict(sets))
    if table is None:
        return [_row(sets)]
    places = [table.parameters.index(name) for name in table.parameters]
    rows = []
    for cells in dict.fromkeys(table.rows):
        fixed = {table.parameters[place]: cells[place] for place in places}
        own = [(members, _cell(members, common, fixed)) for members, common in sets]
        if all(cell for _, cell in own):
            rows.append(_row(own))
    return rows


def _cell(members: Sequence[str], common: tuple[str, ...], fixed: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The dtypes of a group in a row of a table; a blank cell of the table leaves the group as it is."""
    for name in members:
        if fixed.get(name):
            common = tuple(dtype for dtype in common if dtype in fixed[name])
    return common


def _table(
    function: Function, made: DtypeRows, product: str, sets: dict[tuple[str, ...], tuple[str, ...]]
) -> JointTable | None:
    """The table of combinations for a product: it must agree with the cells, or it is a conflict."""
    tables = [one for one in function.joint if one.products is None or product in one.products]
    listed = sorted(tables, key=lambda table: table.source != "definition")
    for table in listed:
        agrees = True
        for members, common in sets.items():
            columns = [table.parameters.index(name) for name in members if name in table.parameters]
            for column in columns:
                said = {dtype for row in table.rows for dtype in row[column]}
                agrees = agrees and (not said or said == set(common))
        if agrees:
            return table
        if table.source == "page" and table.parameters not in made.conflicts:
            made.conflicts.append(table.parameters)
    return None


def _row(sets: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> dict[str, Any]:
    """One row: a variable for each group of several parameters, a list for a parameter of its own."""
    row: dict[str, Any] = {}
    where: dict[str, list[str]] = {}
    for members, cell in sets:
        if len(cell) == 1:
            row |= dict.fromkeys(members, cell[0])
        elif len(members) == 1:
            row[members[0]] = list(cell)
        else:
            variable = "T" if not where else f"T{len(where) + 1}"
            where[variable] = list(cell)
            row |= dict.fromkeys(members, variable)
    return {"row": row, "where": where} if where else {"row": row}
