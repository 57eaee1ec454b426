"""Tables in HTML, and the brackets that limit parts of them to some products."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

import lxml.html
from lxml import etree

from aclspec.codegen.importer.vocabulary import BRACKETS, plain

Products: TypeAlias = "frozenset[str] | None"
"""The products that something holds for; None: all of them."""

BRACKET = re.compile(r'<!--\s*(?:npu="(?P<npu>[^"]*)"[^>]*?|(?P<end>end)\b[^>]*?)-->')
_MOST_SPAN = 400


def both(first: Products, second: Products) -> Products:
    """The products of two brackets, one inside the other."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


class Scopes:
    """The brackets that are open."""

    def __init__(self) -> None:
        """Begin outside of every bracket."""
        self._open: list[frozenset[str]] = []

    @property
    def now(self) -> Products:
        """The products of all open brackets together."""
        found: Products = None
        for one in self._open:
            found = both(found, one)
        return found

    def open(self, keys: str) -> None:
        """Open a bracket such as ``A3,910b``."""
        self._open.append(frozenset(BRACKETS[key.strip()] for key in keys.split(",") if key.strip() in BRACKETS))

    def close(self) -> None:
        """Close the last one; an end without a beginning is passed over."""
        if self._open:
            self._open.pop()


@dataclass(slots=True)
class Part:
    """A piece of text that holds for some products."""

    text: str
    products: Products = None
    line: int = 0


@dataclass(slots=True)
class Cell:
    """A cell; ``copied`` where a span of rows or columns put it into another place as well."""

    parts: list[Part] = field(default_factory=list)
    head: bool = False
    columns: int = 1
    rows: int = 1
    copied: bool = False

    @property
    def text(self) -> str:
        """The whole text."""
        return plain("".join(part.text for part in self.parts)).strip()

    @property
    def line(self) -> int:
        """The line of its first piece, 0 for an empty cell."""
        return self.parts[0].line if self.parts else 0

    def sentences(self) -> list[Part]:
        """The sentences of the cell, each with its products."""
        return [
            Part(sentence, part.products, part.line)
            for part in self.parts
            for row in plain(part.text).split("\n")
            for sentence in split_sentences(row)
        ]

    def copy(self) -> Cell:
        """The cell as a span repeats it."""
        return Cell(self.parts, self.head, 1, self.rows, copied=True)


Row: TypeAlias = list[Cell]


def split_sentences(text: str) -> list[str]:
    """A text cut behind each full stop and semicolon."""
    return [one.strip() for one in re.split(r"(?<=[。;；])\s*", text) if one.strip()]


def read_rows(source: str, line: int, scopes: Scopes) -> list[Row]:
    """The rows of a table that begins at ``line``; unclosed and misplaced tags are tolerated."""
    try:
        root = lxml.html.fragment_fromstring(source, create_parent="div")
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return []
    reader = _Reader(scopes, line)
    reader.walk(root)
    return lay_out([row for row in reader.rows if row])


class _Reader:
    """Walks the tree of a table; a table inside a cell is text of the cell."""

    def __init__(self, scopes: Scopes, line: int) -> None:
        self.scopes, self.first = scopes, line
        self.rows: list[Row] = []
        self.cell: Cell | None = None

    def walk(self, root: lxml.html.HtmlElement) -> None:
        """The whole tree, in the order of the text, without recursion: a page may nest as deep as it likes."""
        todo: list[tuple[str, lxml.html.HtmlElement]] = [("open", root)]
        while todo:
            step, node = todo.pop()
            if step == "open":
                owner = self._open(node)
                if isinstance(node.tag, str):
                    self._put(node.text, node)
                todo.append(("close" if owner else "tail", node))
                todo.extend(("open", child) for child in reversed(node))
            else:
                if step == "close":
                    self.cell = None
                if node.tag in ("li", "p", "div", "ul", "ol"):
                    self._put("\n", node)
                if node is not root:
                    self._put(node.tail, node)

    def _open(self, node: lxml.html.HtmlElement) -> bool:
        """Begin a node; whether it is a cell of this table."""
        if node.tag is etree.Comment:
            self._bracket(node.text or "")
        elif node.tag == "tr" and self.cell is None:
            self.rows.append([])
        elif node.tag in ("td", "th") and self.cell is None:
            if not self.rows:
                self.rows.append([])
            self.cell = Cell([], node.tag == "th", _span(node, "colspan"), _span(node, "rowspan"))
            self.rows[-1].append(self.cell)
            return True
        elif node.tag in ("li", "br", "p", "div"):
            self._put("\n", node)
        elif node.tag == "sup":
            self._put("^", node)
        return False

    def _bracket(self, text: str) -> None:
        match = BRACKET.match(f"<!--{text}-->")
        if match and match["npu"] is not None:
            self.scopes.open(match["npu"])
        elif match:
            self.scopes.close()

    def _put(self, text: str | None, node: lxml.html.HtmlElement) -> None:
        if not text or self.cell is None:
            return
        if text != "\n":
            text = re.sub(r"\s*\n\s*", " ", text)
        now = self.scopes.now
        last = self.cell.parts[-1] if self.cell.parts else None
        goes_on = last is not None and (text == "\n" or not last.text.endswith("\n"))  # a list item has its own line
        if last is not None and last.products == now and (goes_on or not text.strip()):
            last.text += text
        elif text.strip():
            self.cell.parts.append(Part(text, now, self.first + (node.sourceline or 1) - 1))


def _span(node: lxml.html.HtmlElement, name: str) -> int:
    """A span as a number; a broken one counts as 1."""
    digits = re.match(r"\s*(\d+)", node.get(name) or "")
    return min(max(1, int(digits[1])), _MOST_SPAN) if digits else 1


def lay_out(rows: list[Row]) -> list[Row]:
    """Spans laid out: a cell stands in each place that it covers."""
    out: list[Row] = []
    pending: dict[int, tuple[int, Cell]] = {}
    for row in rows:
        laid: Row = []
        cells = list(row)
        while cells or any(column >= len(laid) for column in pending):
            if len(laid) in pending:
                left, cell = pending.pop(len(laid))
                if left > 1:
                    pending[len(laid)] = (left - 1, cell)
                laid.append(cell)
            elif not cells:
                laid.append(Cell())
            else:
                cell = cells.pop(0)
                for number in range(cell.columns):
                    if cell.rows > 1:
                        pending[len(laid)] = (cell.rows - 1, cell.copy())
                    laid.append(cell.copy() if number else cell)
        out.append(laid)
    return out
