"""The blocks of a page: headings, lines, code and tables, each with its line and the products it holds for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from aclspec.codegen.importer.html_table import Products, Row


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of ``level`` 1 to 6."""

    text: str
    level: int
    line: int
    products: Products = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of running text; ``depth`` grows with the lists around it."""

    text: str
    depth: int
    line: int
    products: Products = None


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code."""

    text: str
    line: int


@dataclass(slots=True)
class Table:
    """A table with its spans laid out: every row has a cell for each column."""

    rows: list[Row] = field(default_factory=list)
    line: int = 0
    products: Products = None

    @property
    def head(self) -> Row:
        """The first row."""
        return self.rows[0]


Block: TypeAlias = Heading | Line | Code | Table
