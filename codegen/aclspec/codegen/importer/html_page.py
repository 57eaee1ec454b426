"""A page that is HTML from the first line: the same blocks as those of a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import lxml.html
from lxml import etree

from aclspec.codegen.importer.blocks import Block, Code, Heading, Line, Table
from aclspec.codegen.importer.html_table import BRACKET, Scopes, read_rows
from aclspec.codegen.importer.vocabulary import plain

_LINES = ("p", "li", "dd", "dt", "div", "td", "section", "article")
_SKIPPED = ("script", "style", "head", "nav")


def is_html(text: str) -> bool:
    """Whether a text begins as an HTML document does."""
    return bool(re.match(r"\s*(?:<!doctype html|<html|<body)", text[:500], re.IGNORECASE))


def read_html(text: str) -> Iterator[Block]:
    """The headings, lines, code and tables of a document."""
    try:
        root = lxml.html.document_fromstring(text)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    scopes = Scopes()
    todo: list[tuple[lxml.html.HtmlElement, int, bool]] = [(root, 0, True)]
    while todo:
        node, depth, opening = todo.pop()
        line = node.sourceline or 1
        if not opening:
            if (node.tail or "").strip():
                yield Line(plain(str(node.tail)).strip(), depth, line, scopes.now)
            continue
        todo.append((node, depth, False))
        if node.tag is etree.Comment:
            match = BRACKET.match(f"<!--{node.text or ''}-->")
            if match:
                scopes.open(match["npu"]) if match["npu"] is not None else scopes.close()
        elif not isinstance(node.tag, str) or node.tag in _SKIPPED:
            continue
        elif re.fullmatch("h[1-6]", node.tag):
            yield Heading(plain(node.text_content()).strip(), int(node.tag[1]), line, scopes.now)
        elif node.tag == "pre":
            yield Code(node.text_content(), line)
        elif node.tag == "table":
            source = etree.tostring(node, encoding="unicode", with_tail=False)
            products = scopes.now
            yield Table(read_rows(source, line, scopes), line, products)
        elif node.tag in _LINES and not node.xpath(".//table | .//p | .//li | .//pre | .//h1 | .//h2 | .//h3 | .//h4"):
            if words := plain(node.text_content()).strip():
                yield from (Line(row.strip(), depth, line, scopes.now) for row in words.split("\n") if row.strip())
        else:
            if (node.text or "").strip():
                yield Line(plain(str(node.text)).strip(), depth, line, scopes.now)
            todo.extend((child, depth + (node.tag in ("ul", "ol")), True) for child in reversed(node))
