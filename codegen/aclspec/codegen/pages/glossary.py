"""The terms of the pages in both languages, each with one Chinese word."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.pages.words import sound
from aclspec.codegen.render.manual.words import LANGS, Lang

_FILE = Path(__file__).with_name("glossary.yaml")
_HEADS: dict[Lang, tuple[str, str, str]] = {
    "en": ("term", "in Chinese", "meaning"),
    "zh": ("术语", "英文", "含义"),
}


@cache
def terms() -> list[dict[str, Any]]:
    """The term and its meaning, each in both languages, and the Chinese words that it replaces."""
    found: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return found


def glossary(lang: Lang) -> str:
    """The table, in the order of the language."""
    at = LANGS.index(lang)
    rows = ((one["term"][at], one["term"][1 - at], one["doc"][at]) for one in terms())
    return table(_HEADS[lang], sorted(rows, key=lambda row: sound(row[0])), lang)


PARTS = {"glossary": glossary}
