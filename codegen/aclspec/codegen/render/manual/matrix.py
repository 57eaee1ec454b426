"""Products against dtypes: the joint rows as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aclspec.codegen.load import Operator
from aclspec.codegen.render.manual.markdown import codes
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.spec.params import Row
from aclspec.runtime.products import KEYS

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The columns are groups of parameters with equal cells, then products."""

    groups: tuple[str, ...]
    products: tuple[str, ...]
    lines: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    has_newer: bool


def matrix_view(operator: Operator, lang: Lang) -> MatrixView:
    """The rows of an operator, those with equal dtypes as one line."""
    rows = operator.info.rows
    names = list(dict.fromkeys(name for row in rows for name, _ in row.cells))
    columns: dict[Cells, list[str]] = {}
    for name in names:
        columns.setdefault(tuple(dict(row.cells).get(name, ()) for row in rows), []).append(name)
    lines: dict[Cells, dict[str, str]] = {}
    newer = _newer(operator.spec.dtypes)
    for at, row in enumerate(rows):
        line = lines.setdefault(tuple(column[at] for column in columns), {})
        for product in row.products:
            line[product] = _mark(line.get(product, ""), row.modes, newer[at], lang)
    used = tuple(key for key in KEYS if any(key in line for line in lines.values()))
    unsupported = labels(lang).unsupported
    return MatrixView(
        tuple(codes(group, ",<br>") for group in columns.values()),
        used,
        tuple(
            (tuple(codes(cell) for cell in cells), tuple(line.get(key, unsupported) for key in used))
            for cells, line in lines.items()
        ),
        any(newer),
    )


def _mark(before: str, modes: tuple[str, ...], newer: bool, lang: Lang) -> str:
    """What the cell says of a product; two rows of one mode each make both modes."""
    words = labels(lang)
    mark: str = words.supported
    if len(modes) == 1:
        mark = words.library_only if modes[0] == "library" else words.document_only
    if before and before != mark:
        mark = words.supported
    return words.newer_mark.format(mark) if newer else mark


def _newer(rows: tuple[Row, ...]) -> list[bool]:
    """For each expanded row whether only the newer documentation lists it."""
    found: list[bool] = []
    for row in rows:
        used = [values for name, values in row.where.items() if any(name in cell for cell in row.row.values())]
        found += [row.listed_by == "newer"] * math.prod(len(values) for values in used)
    return found
