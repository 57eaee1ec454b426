"""Products against dtypes: the joint rows as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aclspec.codegen.load import Operator
from aclspec.codegen.render.manual.markdown import codes
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.spec.params import Row
from aclspec.runtime.dtypetable import Line, dtype_table
from aclspec.runtime.info import OperatorInfo


@dataclass(frozen=True, slots=True)
class MatrixView:
    """The columns are groups of parameters with equal cells, then products."""

    groups: tuple[str, ...]
    products: tuple[str, ...]
    lines: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    has_newer: bool


def matrix_view(operator: Operator, lang: Lang) -> MatrixView:
    """The rows of an operator, those with equal dtypes as one line."""
    table = dtype_table(operator.info)
    newer = _newer(operator.spec.dtypes)

    def mark(line: Line, product: str) -> str:
        rows = line.rows.get(product)
        return _mark(operator.info, rows, any(newer[at] for at in rows), lang) if rows else labels(lang).unsupported

    return MatrixView(
        tuple(codes(group, ",<br>") for group in table.groups),
        table.products,
        tuple(
            (tuple(codes(cell) for cell in line.dtypes), tuple(mark(line, product) for product in table.products))
            for line in table.lines
        ),
        any(newer),
    )


def _mark(info: OperatorInfo, rows: tuple[int, ...], newer: bool, lang: Lang) -> str:
    """What the cell says of a product that these rows name; two rows of one mode each make both modes."""
    words = labels(lang)
    modes = {mode for at in rows for mode in info.rows[at].modes}
    only = words.library_only if "library" in modes else words.document_only
    mark: str = words.supported if len(modes) > 1 else only
    return words.newer_mark.format(mark) if newer else mark


def _newer(rows: tuple[Row, ...]) -> list[bool]:
    """For each expanded row whether only the newer documentation lists it."""
    found: list[bool] = []
    for row in rows:
        used = [values for name, values in row.where.items() if any(name in cell for cell in row.row.values())]
        found += [row.listed_by == "newer"] * math.prod(len(values) for values in used)
    return found
