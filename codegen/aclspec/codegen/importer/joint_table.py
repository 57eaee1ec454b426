"""Tables of dtypes that are legal together: the heads name parameters, the cells dtypes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aclspec.codegen.importer.blocks import Table
from aclspec.codegen.importer.model import JointTable, Place
from aclspec.codegen.importer.vocabulary import dtypes

_OTHER = re.compile("shape|维度|格式", re.IGNORECASE)
_NOTHING = re.compile(r"null|none|空|^[-/—]+$", re.IGNORECASE)


def read_joint_table(table: Table, names: Sequence[str], file: str) -> JointTable | None:
    """The rows of a table of joint dtypes; None for any other table, and where a cell cannot be read."""
    if len(table.rows) < 2:
        return None
    columns: dict[int, str] = {}
    for place, cell in enumerate(table.head):
        found = [name for name in names if re.search(rf"(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_])", cell.text)]
        if len(found) == 1 and not _OTHER.search(cell.text) and found[0] not in columns.values():
            columns[place] = found[0]
    if len(columns) < 2 or len(columns) < len(table.head) - 1:
        return None  # another column, such as a mode, is a condition that the row alone does not say
    rows = []
    for row in table.rows[1:]:
        cells = [row[place].text if place < len(row) else "" for place in columns]
        found_cells = [dtypes(cell) for cell in cells]
        if any(not found and not _NOTHING.search(cell) for found, cell in zip(found_cells, cells, strict=True)):
            return None
        rows.append(tuple(found_cells))
    if not any(all(row) for row in rows):
        return None
    return JointTable(tuple(columns.values()), tuple(rows), Place(file, table.line), table.products)
