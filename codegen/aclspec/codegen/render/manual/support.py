"""The dtypes of an operator on each product, for the matrix of everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from aclspec.codegen.render.manual.markdown import code
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import OperatorInfo, RowInfo
from aclspec.runtime.products import KEYS

SupportCells: TypeAlias = tuple[tuple[str, str], ...]
"""A cell for every product, by its key: dtypes as code, in italics those that library mode alone takes."""


def support_cells(info: OperatorInfo) -> SupportCells:
    """The cells of one operator, in the order of the products."""
    listed = {key for key, _ in info.products}
    return tuple((key, _cell(info, key, key in listed)) for key in KEYS)


def _cell(info: OperatorInfo, product: str, listed: bool) -> str:
    """Every dtype that some tensor may have on the product; those of document mode where the product is listed."""
    rows = [row for row in info.rows if product in row.products]
    documented = dtypes_of(row for row in rows if listed and "document" in row.modes)
    marks = (code(dtype) if dtype in documented else f"*{code(dtype)}*" for dtype in dtypes_of(rows))
    return " ".join(marks) or "-"


def dtypes_of(rows: Iterable[RowInfo]) -> tuple[str, ...]:
    """Every dtype of some rows, in the order of their numbers."""
    found = {dtype for row in rows for _, dtypes in row.cells for dtype in dtypes}
    return tuple(sorted(found, key=lambda dtype: DType[dtype]))
