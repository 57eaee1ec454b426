"""The table of parameters, in HTML or Markdown: a row for each, with columns by their heads."""

from __future__ import annotations

import re

from aclspec.codegen.importer.blocks import Table
from aclspec.codegen.importer.dtype_cells import DtypeCells
from aclspec.codegen.importer.html_table import Cell, Row
from aclspec.codegen.importer.model import Fact, Function, Parameter, Place, Sentence
from aclspec.codegen.importer.vocabulary import BLANK, NO, YES, direction, formats, plain, ranks, same_as

_HEADS = (
    ("name", re.compile("^参数名|^参数$|^参数说明$|^名称$")),
    ("direction", re.compile("输入")),
    ("description", re.compile("^描述$|^说明$|^参数描述$")),
    ("usage", re.compile("使用说明|约束")),
    ("dtype", re.compile("数据类型|dtype|^类型$", re.IGNORECASE)),
    ("format", re.compile("格式|format", re.IGNORECASE)),
    ("rank", re.compile("维度|shape", re.IGNORECASE)),
    ("contiguous", re.compile("非连续")),
)
_OPTIONAL = re.compile(
    r"^(?:表示)?可选(?!的)|(?<!不)(?:可以?|支持|允许)(?:为空|传入?空|为?传?入?nullptr|不传|输入空|传入?null|为空指针)(?:指针)?"
    r"|(?<!不)(?<!不支持)传入?(?:空指针|nullptr|null)+即可",
    re.IGNORECASE,
)
_REQUIRED = re.compile(r"不(?:能|可以?|支持|允许)(?:为|传入?)?(?:空|null)|必选|非空", re.IGNORECASE)


def is_parameter_table(table: Table) -> bool:
    """Whether the heads are those of a table of parameters."""
    columns = _columns(table.head) if table.rows else {}
    return columns.get("name") == 0 and len(table.head) > 2 and bool({"direction", "dtype"} & set(columns))


def _columns(head: Row) -> dict[str, int]:
    """The place of each column that the heads name."""
    found: dict[str, int] = {}
    for place, cell in enumerate(head):
        text = re.sub(r"\s", "", cell.text)
        key = next((key for key, pattern in _HEADS if key not in found and pattern.search(text)), None)
        if key:
            found[key] = place
    return found


def read_parameter_table(function: Function, table: Table, cells: DtypeCells, file: str) -> None:
    """Take the facts and sentences of every row."""
    columns = _columns(table.head)
    for row in table.rows[1:]:
        filled = [*row, *(Cell() for _ in range(max(columns.values()) + 1 - len(row)))]
        words = re.sub(r"[(].*", "", filled[columns["name"]].text, flags=re.DOTALL).strip(" \n*&").split()
        parameter = function.parameter(words[-1].lstrip("*")) if words else None
        if parameter is not None:
            _Reader(function, parameter, cells, file).read(filled, columns)


class _Reader:
    """One row."""

    def __init__(self, function: Function, parameter: Parameter, cells: DtypeCells, file: str) -> None:
        self.function, self.parameter, self.cells, self.file = function, parameter, cells, file
        self.place = Place(file)

    def read(self, row: Row, columns: dict[str, int]) -> None:
        """Every column that the table has."""
        name = row[columns["name"]]
        self.place = Place(self.file, name.line, "parameters")
        for key, column in columns.items():
            cell = row[column]
            match key:
                case "direction":
                    way, optional = direction(cell.text)
                    if way:
                        self._fact("direction", way, cell)
                    if optional:
                        self._fact("optional", True, cell)
                case "description" | "usage":
                    self._sentences(cell)
                case "dtype":
                    self._dtype(cell, name)
                case "format":
                    if found := formats(cell.text):
                        self._fact("formats", found, cell)
                    elif cell.text not in BLANK and (target := same_as(cell.text)):
                        self._fact("formats-as", target, cell)
                case "rank":
                    self._rank(cell)
                case "contiguous":
                    if cell.text in YES or cell.text in NO:
                        self._fact("noncontiguous", cell.text in YES, cell)

    def _fact(self, field: str, value: object, cell: Cell, reading: str = "column") -> None:
        place = Place(self.file, cell.line or self.place.line, "parameters")
        self.function.add(Fact(self.parameter.name, field, value, "page", place, None, reading))

    def _dtype(self, cell: Cell, name: Cell) -> None:
        if target := None if cell.text in BLANK else same_as(cell.text):
            self.cells.references[self.parameter.name] = target
            self._fact("dtype-as", target, cell, "reference")
        else:
            place = Place(self.file, cell.line or self.place.line, "parameters")
            row = name.parts[0].products if name.parts else None
            self.cells.read(self.parameter.name, cell, place, row)

    def _rank(self, cell: Cell) -> None:
        found, reading = ranks(cell.text)
        if found is not None:
            self._fact("rank", found, cell, "column" if reading != "shape" else "shape")
        elif target := None if cell.text in BLANK else same_as(cell.text):
            self._fact("rank-as", target, cell)
        elif reading == "unread":
            self._fact("rank-unread", True, cell)

    def _sentences(self, cell: Cell) -> None:
        for part in cell.sentences():
            text = plain(part.text)
            if text.rstrip("。;") in BLANK:
                continue
            place = Place(self.file, part.line, "parameters")
            self.function.sentences.append(Sentence("usage", text, place, part.products, self.parameter.name))
            if _OPTIONAL.search(text) and not _REQUIRED.search(text):
                self._fact("optional", True, cell, "sentence")
