"""Formulas become MathML while the site is built, so that a page needs no script to show them."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>',
    re.DOTALL,
)
_LETTERS = re.compile(r'(?:<mi mathvariant="italic">\w</mi>){2,}')
_ASSIGNED = re.compile(r"<mo><mrow><mo>(&#x[0-9A-F]+;)</mo></mrow></mo><mo>&#x0003D;</mo>")
_TAG = re.compile(r"<[^>]+>")


def on_page_content(content: str, **_: Any) -> str:
    """Replace what the Markdown extension marked as LaTeX."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found["tag"] == "div" else "inline"
    mathml: str = convert(html.unescape(found["latex"]), display=display)
    return f'<{found["tag"]} class="formula">{_LETTERS.sub(_word, _polished(mathml))}</{found["tag"]}>'


def _polished(mathml: str) -> str:
    """Rows with sums and fractions as large as in a formula of their own, and ``+=`` as one sign."""
    return _ASSIGNED.sub(r"<mo>\1&#x0003D;</mo>", mathml.replace("<mtable>", '<mtable displaystyle="true">'))


def _word(found: re.Match[str]) -> str:
    """A name of several letters as one identifier, rather than a product of its letters."""
    return f'<mi class="word">{_TAG.sub("", found[0])}</mi>'
