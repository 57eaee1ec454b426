"""Plain text, code and formulas as HTML."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from aclspec.codegen.render.manual.prose import Markup

_LETTERS = re.compile(r'(?:<mi mathvariant="italic">\w</mi>){2,}')
_ASSIGNED = re.compile(r"<mo><mrow><mo>(&#x[0-9A-F]+;)</mo></mrow></mo><mo>&#x0003D;</mo>")
_TAG = re.compile(r"<[^>]+>")
_OPENING = re.compile(r"<(?=[A-Za-z/!?])")
_FORMATTER = HtmlFormatter(nowrap=True)


def escaped(text: str) -> str:
    """The text with nothing left that HTML would take for markup."""
    return html.escape(" ".join(text.split()), quote=False)


def code(text: str) -> str:
    """The text as code."""
    return f"<code>{html.escape(text, quote=False)}</code>"


HTML = Markup(escaped, code)


def block(text: str, language: str = "text") -> str:
    """A block of code, as Material shows it."""
    shown = highlight(text, get_lexer_by_name(language, stripnl=False), _FORMATTER)
    return f'<div class="highlight"><pre><span></span><code>{shown}</code></pre></div>'


def formula(latex: str, display: str = "block") -> str:
    """LaTeX as MathML: rows with sums and fractions as large as in a formula of their own, and ``+=`` as one sign."""
    try:
        mathml: str = convert(_OPENING.sub("< ", latex), display=display)  # texts in a formula are not escaped
    except Exception as error:
        raise ValueError(f"The formula ({latex}) is no LaTeX that can be shown: {type(error).__name__}.") from error
    polished = _ASSIGNED.sub(r"<mo>\1&#x0003D;</mo>", mathml.replace("<mtable>", '<mtable displaystyle="true">'))
    tag = "div" if display == "block" else "span"
    return f'<{tag} class="formula">{_LETTERS.sub(_word, polished)}</{tag}>'


def _word(found: re.Match[str]) -> str:
    """A name of several letters as one identifier, rather than a product of its letters."""
    return f'<mi class="word">{_TAG.sub("", found[0])}</mi>'
