"""The scripts of data that a page loads, with the texts of one language."""

from __future__ import annotations

import json
import re
from typing import Any

from aclspec.codegen.render.manual.words import LANGS, Lang

_DATA = re.compile(r"\A(?P<head>.*?)(?P<data>\{.*\})(?P<tail>\)?;\n)\Z", re.DOTALL)
_TRAILING = re.compile(r",\n(\s*[\]}])")


def localized(script: str, lang: Lang | None) -> str:
    """A script of data as short JSON, its texts in one language; in all of them where that is None."""
    found = _DATA.match(script)
    if found is None:
        return script
    data = _in_language(json.loads(_TRAILING.sub(r"\n\1", found["data"])), lang)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{found['head'].rpartition(chr(10))[2]}{_javascript(text)}{found['tail']}"


def _javascript(text: str) -> str:
    """JSON that is JavaScript too."""
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _in_language(value: Any, lang: Lang | None) -> Any:
    if isinstance(value, list):
        return [_in_language(item, lang) for item in value]
    if not isinstance(value, dict):
        return value
    names = [name for name in value if lang is None or value.keys() != set(LANGS) or name == lang]
    return {name: _in_language(value[name], lang) for name in names}
