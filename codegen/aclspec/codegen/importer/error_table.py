"""The table of errors: rows of a status code and a sentence."""

from __future__ import annotations

import re

from aclspec.codegen.importer.blocks import Table
from aclspec.codegen.importer.html_table import Cell, both
from aclspec.codegen.importer.model import Function, Place, Sentence
from aclspec.codegen.importer.vocabulary import BLANK, products_in

_CODE = re.compile(r"(?<!\d)[1356]6\d{4}(?!\d)")
_CHINESE = re.compile("[\u4e00-\u9fff]")


def is_error_table(table: Table) -> bool:
    """Whether a head says "error code" or "return code"."""
    return bool(table.rows) and any("错误码" in cell.text or "返回码" in cell.text for cell in table.head)


def read_error_table(function: Function, table: Table, file: str) -> None:
    """Take the sentence of each row with its status; spans are often wrong, so a cell is told by what it holds."""
    code = ""
    for row in table.rows[1:]:
        own = [cell for cell in row if not cell.copied]
        code = next((match[0] for cell in own if (match := _CODE.search(cell.text))), code)
        texts = [cell for cell in own if _CHINESE.search(cell.text)]
        if code and texts:
            _read_cell(function, texts[-1], code, file)


def _read_cell(function: Function, cell: Cell, code: str, file: str) -> None:
    for part in cell.sentences():
        text = re.sub(r"^(?:\d+[.、)]|[-*•·])\s*", "", part.text).strip()
        if text.rstrip("。;") in BLANK:
            continue
        keys, _ = products_in(text)
        products = both(part.products, frozenset(keys) or None)
        place = Place(file, part.line, "errors")
        function.sentences.append(Sentence("error", text, place, products, status=code))
