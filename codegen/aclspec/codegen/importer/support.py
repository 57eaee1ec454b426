"""The section of a page that lists the products: one line for each, or a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aclspec.codegen.importer.blocks import Block, Heading, Line, Table
from aclspec.codegen.importer.model import Fact, Place
from aclspec.codegen.importer.vocabulary import BLANK, NO, YES, products_in

_SECTION = re.compile("产品支持|支持的产品|支持产品|产品型号")
_LINE = re.compile("[-*\\s]*\ue010(?:[/、\\s]*\ue010)*\\s*[::]?\\s*(.*?)[。\\s]*")


def read_support(blocks: Sequence[Block], file: str) -> Iterator[Fact]:
    """A fact for each product: whether the operator may be called on it."""
    inside = ""
    for block in blocks:
        if isinstance(block, Heading):
            inside = block.text if _SECTION.search(block.text) else ""
        elif inside and isinstance(block, Line):
            keys, rest = products_in(block.text)
            match = _LINE.fullmatch(rest)
            if keys and match and (answer := _answer(match[1] or "支持")) is not None:
                yield from _facts(keys, answer, Place(file, block.line, inside))
        elif inside and isinstance(block, Table):
            for row in block.rows[1:]:
                keys, _ = products_in(row[0].text)
                answer = _answer(row[-1].text) if len(row) > 1 else None
                if keys and answer is not None:
                    yield from _facts(keys, answer, Place(file, row[0].line, inside))


def _answer(text: str) -> bool | None:
    word = text.strip()
    if word in YES or word.startswith("√"):
        return True
    return False if word in NO or word in BLANK or word.startswith("不支持") else None


def _facts(keys: Sequence[str], answer: bool, place: Place) -> Iterator[Fact]:
    for key in keys:
        yield Fact("", "product", answer, "page", place, frozenset((key,)), "column")
