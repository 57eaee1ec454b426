"""How large a page may be. No page of an operator comes near; one that does would keep the reader busy for hours."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

MOST_BYTES = 1_000_000
MOST_TABLES = 1_000
DEEPEST_TABLES = 16
MOST_ROWS = 5_000
MOST_MARKS = 1_000
"""Brackets, stars, backticks and the like in one paragraph of Markdown; each may belong to any other."""
MOST_FUNCTIONS = 16
MOST_PARAMETERS = 128
LONGEST_NAME = 128
TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_MARK = re.compile(r"[*_\[\]<>`&!]")


class TooLarge(Exception):
    """A page beyond a limit; the message is one sentence."""


def check_tables(text: str) -> None:
    """TooLarge for a text whose HTML tables are too many, too deep or too long."""
    tables = depth = 0
    for tag in TABLE_TAG.finditer(text):
        depth = depth + 1 if not tag[1] else max(0, depth - 1)
        tables += not tag[1]
        if depth > DEEPEST_TABLES:
            raise TooLarge(f"The page nests tables deeper than {DEEPEST_TABLES} levels.")
    _require("tables", tables, MOST_TABLES)
    _require("rows of tables", sum(1 for _ in _ROW.finditer(text)), MOST_ROWS)


def limit_paragraphs(parser: MarkdownIt) -> None:
    """Let a parser raise TooLarge for a paragraph with too many marks, before it pairs them."""

    def check(state: StateCore) -> None:
        marks = (len(_MARK.findall(token.content)) for token in state.tokens if token.type == "inline")
        _require("brackets and stars in one paragraph", max(marks, default=0), MOST_MARKS)

    parser.core.ruler.before("inline", "limit", check)


def check_functions(functions: Mapping[str, Sequence[str]]) -> None:
    """TooLarge for functions, given with the names of their parameters, that are too many, too wide or too long."""
    _require("functions", len(functions), MOST_FUNCTIONS)
    for name, parameters in functions.items():
        _require("parameters of one function", len(parameters), MOST_PARAMETERS)
        _require("characters in a name", max(map(len, (name, *parameters))), LONGEST_NAME)


def _require(noun: str, number: int, most: int) -> None:
    if number > most:
        raise TooLarge(f"The page has {number} {noun}; at most {most} are read.")
