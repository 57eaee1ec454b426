"""Links from an operator's page to the pictures of what it does, which its predicates and settings tell."""

from __future__ import annotations

import re

from aclspec.codegen.render.manual.words import Lang

_TOLD_BY = {
    "windows": re.compile(r"\b(?:pool|conv|conv_transpose)_out\("),
    "masks": re.compile(r"`layout` \S"),
}
_TITLES: dict[Lang, dict[str, str]] = {
    "en": {"": "In pictures", "windows": "how windows cover an input", "masks": "the two layouts of a mask"},
    "zh": {"": "图解", "windows": "窗口如何覆盖输入", "masks": "掩码的两种布局"},
}


def pictures(page: str, lang: Lang) -> str:
    """The item of the list of an operator's facts that links them; nothing where there are none."""
    titles = _TITLES[lang]
    found = [anchor for anchor, pattern in _TOLD_BY.items() if pattern.search(page)]
    links = ", ".join(f"[{titles[anchor]}](../guides/pictures.md#{anchor})" for anchor in found)
    return f"- {titles['']}: {links}\n" if found else ""
