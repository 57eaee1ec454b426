"""The short forms of a spec, for the site's reference and for ``aclspec reference``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.words import Lang

HEADS = ("where", "short form", "what it means")
_FILE = Path(__file__).with_suffix(".yaml")


def short_forms(lang: Lang) -> str:
    """The table of all short forms."""
    return table(HEADS, rows(lang), lang)


def rows(lang: Lang, key: str | None = None) -> list[tuple[str, ...]]:
    """Where the short forms of a key, or all of them, stand, how they are written and what they mean."""
    at = 1 if lang == "zh" else 0
    found = (one for one in _entries() if key is None or key in one["keys"])
    return [(one["where"][at], one["form"][at], one["means"][at]) for one in found]


def keys() -> set[str]:
    """The keys by which a short form is looked up."""
    return {key for one in _entries() for key in one["keys"]}


@cache
def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return entries


PARTS = {"short-forms": short_forms}
