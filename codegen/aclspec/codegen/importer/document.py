"""A page as a list of blocks, each with its line and the products it holds for.

A bracket ``<!-- npu="A3,910b" id7 --> ... <!-- end id7 -->`` limits what stands in it to some products; it may stand
around sections, lines, table rows, cells, or a part of a cell's text. Markdown is read by markdown-it, tables in HTML
by lxml.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from aclspec.codegen.importer.blocks import Block, Code, Heading, Line, Table
from aclspec.codegen.importer.html_page import is_html, read_html
from aclspec.codegen.importer.html_table import BRACKET, Cell, Part, Row, Scopes, lay_out, read_rows
from aclspec.codegen.importer.limits import TABLE_TAG, limit_paragraphs
from aclspec.codegen.importer.vocabulary import plain

OPEN, SHUT, END = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"{OPEN}([^{SHUT}]*){SHUT}|{END}")
_TABLE = re.compile("\ue003(\\d+)\ue004")
_FENCE = re.compile(r"^\s*(```+|~~~+)")


def read(text: str) -> list[Block]:
    """The blocks of a page in its order."""
    if is_html(text):
        return list(read_html(text))
    source, tables = _take_tables(_close_fences(text.replace("\r", "")))
    source = _mark_brackets(source)
    parser = MarkdownIt("commonmark").enable("table").disable(["code", "lheading"])
    limit_paragraphs(parser)
    return list(_Blocks(parser.parse(source), tables))


def _close_fences(text: str) -> str:
    """End a code fence that was never closed before the next heading."""
    lines = text.split("\n")
    mark = ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if mark and re.match(r"#{2,6} \S", line):
            lines[number - 1], mark = mark, ""
        elif mark and fence and line.strip() == mark:
            mark = ""
        elif fence and not mark:
            mark = fence[1]
    return "\n".join(lines)


def _take_tables(text: str) -> tuple[str, list[tuple[str, int]]]:
    """The text with a mark in the place of each HTML table, line numbers kept, and the tables with their lines."""
    tables: list[tuple[str, int]] = []
    out: list[str] = []
    at = start = depth = 0
    headings = [found.start() for found in re.finditer(r"^#{1,4}\s", text, re.MULTILINE)]

    def heading() -> int:
        """Where the next heading stands, behind which no table goes on."""
        place = bisect_right(headings, start)
        return headings[place] if place < len(headings) else len(text)

    for tag in TABLE_TAG.finditer(text):
        if depth and heading() < tag.start():
            depth = 0  # a table that was never closed ends at the next heading
            at = _put(text, out, tables, at, start, heading())
        depth += 1 if not tag[1] else -1
        if not tag[1] and depth == 1:
            start = tag.start()
        elif tag[1] and depth == 0:
            end = text.find(">", tag.end()) + 1 or len(text)
            at = _put(text, out, tables, at, start, end)
        depth = max(depth, 0)
    if depth:
        at = _put(text, out, tables, at, start, heading())
    return "".join([*out, text[at:]]), tables


def _put(text: str, out: list[str], tables: list[tuple[str, int]], at: int, start: int, end: int) -> int:
    """Move one table from the text to the list; the result is where the text goes on."""
    body = text[start:end]
    out += [text[at:start], f"\ue003{len(tables)}\ue004", "\n" * body.count("\n")]
    tables.append((body, text.count("\n", 0, start) + 1))
    return end


def _mark_brackets(text: str) -> str:
    """Brackets as characters of the text, and as a row of their own between the rows of a Markdown table."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "<!--" not in line:
            continue
        marked = BRACKET.sub(lambda match: END if match["npu"] is None else f"{OPEN}{match['npu']}{SHUT}", line)
        beside = [other.lstrip() for other in (*lines[max(number - 1, 0) : number], *lines[number + 1 : number + 2])]
        between = len(beside) == 2 and all(other.startswith("|") for other in beside)
        lines[number] = f"| {marked.strip()} |" if between else marked
    return re.sub(r"<!--(?:(?!-->)[^\n])*-->", "", "\n".join(lines))


class _Blocks:
    """The tokens of markdown-it as blocks."""

    def __init__(self, tokens: list[Token], tables: list[tuple[str, int]]) -> None:
        self.tokens, self.tables, self.scopes = tokens, tables, Scopes()
        self.rows: list[Row] | None = None
        self.row: Row = []
        self.table_line = 0

    def __iter__(self) -> Iterator[Block]:
        """Each block with the products of the brackets around it."""
        kind = ""
        for token in self.tokens:
            line = (token.map[0] if token.map else 0) + 1
            match token.type:
                case "fence" | "code_block":
                    yield Code(token.content, line)
                case "html_block":
                    yield from self._lines(token.content, line, token.level)
                case "heading_open" | "th_open" | "td_open" | "paragraph_open":
                    kind = token.type if token.type != "heading_open" else token.tag
                case "table_open":
                    self.rows, self.table_line = [], line
                case "tr_open":
                    self.row = []
                case "tr_close":
                    self._end_row()
                case "table_close":
                    yield Table(lay_out(self.rows or []), self.table_line, self.scopes.now)
                    self.rows = None
                case "inline":
                    text = _text(token)
                    if kind in ("th_open", "td_open"):
                        self.row.append(Cell(list(self._parts(text, line)), head=kind == "th_open"))
                    elif kind.startswith("h") and kind[1:].isdigit():
                        words = " ".join(part.text for part in self._parts(text, line)).strip()
                        yield Heading(plain(words).strip(), int(kind[1:]), line, self.scopes.now)
                    else:
                        yield from self._lines(text, line, token.level)

    def _end_row(self) -> None:
        """Keep the row, unless it is the mark of a bracket."""
        if self.rows is not None and any(cell.text for cell in self.row):
            self.rows.append(self.row)

    def _parts(self, text: str, line: int) -> Iterator[Part]:
        """The pieces of a text between the marks of brackets."""
        at = 0
        for match in _MARK.finditer(text):
            if text[at : match.start()].strip():
                yield Part(text[at : match.start()], self.scopes.now, line)
            at = match.end()
            if match[1] is None:
                self.scopes.close()
            else:
                self.scopes.open(match[1])
        if text[at:].strip():
            yield Part(text[at:], self.scopes.now, line)

    def _lines(self, text: str, line: int, depth: int) -> Iterator[Block]:
        """Lines and HTML tables of a paragraph."""
        for number, row in enumerate(text.split("\n")):
            for part in self._parts(row, line + number):
                at = 0
                for mark in _TABLE.finditer(part.text):
                    yield from _line(part.text[at : mark.start()], depth, part)
                    body, start = self.tables[int(mark[1])]
                    products = self.scopes.now
                    yield Table(read_rows(body, start, self.scopes), start, products)
                    at = mark.end()
                yield from _line(part.text[at:], depth, part)


def _line(text: str, depth: int, part: Part) -> Iterator[Line]:
    for piece in plain(text).split("\n"):
        if piece.strip():
            yield Line(piece.strip(), depth, part.line, part.products)


def _text(token: Token) -> str:
    """The text of an inline token, with a line break for each of the source."""
    out = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            out.append("\n")
        elif child.type == "html_inline":
            out.append("\n" if re.match(r"<br", child.content) else "")
        elif child.type != "image":
            out.append(child.content)
    return "".join(out)
