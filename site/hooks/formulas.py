"""Formulas of hand-written pages become MathML while the site is built, so that a page needs no script to show them."""

from __future__ import annotations

import html
import re
from typing import Any

from aclspec.codegen.pages.html import formula

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>',
    re.DOTALL,
)


def on_page_content(content: str, **_: Any) -> str:
    """Replace what the Markdown extension marked as LaTeX."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    return formula(html.unescape(found["latex"]), "block" if found["tag"] == "div" else "inline")
