"""Long parts of an operator's page fold: each check, each example but the first, and the table of clauses.

Pages keep their headings and tables in Markdown, and in what the search knows of them; only what the browser shows is
folded. A folded part opens when its address, or that of anything in it, is the one asked for: Material's script sees to
that, and opens everything for printing.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

_AFTER_SEARCH = -150
_PART = re.compile(
    r'^(?P<head><h4 id="(?P<kind>rule|example)-.*?</h4>)\n(?P<body>.*?)(?=^<h[234] id=|\Z)', re.DOTALL | re.MULTILINE
)
_SHOWN = re.compile(r"(?P<shown><p>.*?<br>\n.*?)(?:<br>\n(?P<rest>.*?))?</p>\n?", re.DOTALL)
_LINK = re.compile(r'<a class="headerlink".*?</a>')  # nothing to click on may stand in what is clicked on
_CLAUSES = re.compile(r'(<h2 id="clauses">.*?</h2>\n)<p>(.*?)</p>\n(<table>.*?</table>)', re.DOTALL)


@event_priority(_AFTER_SEARCH)
def on_page_context(context: dict[str, Any], page: Page, **_: Any) -> None:
    """Fold the page of an operator once the search has read it."""
    if "/operators/" in f"/{page.file.src_uri}" and page.content:
        page.content = folded(page.content)


def folded(content: str) -> str:
    """The content with its long parts inside ``details``."""
    seen: set[str] = set()
    content = _PART.sub(lambda found: _part(found, seen), content)
    return _CLAUSES.sub(r'\1<details class="aclspec-fold"><summary>\2</summary>\n\3\n</details>', content)


def _part(found: re.Match[str], seen: set[str]) -> str:
    """A check under its sentence and where it holds; an example under its title, the first one open."""
    lines = _SHOWN.match(found["body"]) if found["kind"] == "rule" else None
    shown, rest = "", found["body"]
    if lines:
        shown = f"{lines['shown']}</p>\n".replace("<br>\n", "</p>\n<p>")
        rest = f"<p>{lines['rest'] or ''}</p>\n{rest[lines.end() :]}"
    is_open = "" if found["kind"] == "rule" or found["kind"] in seen else " open"
    seen.add(found["kind"])
    link = _LINK.search(found["head"])
    return (
        f'<details class="aclspec-fold aclspec-{found["kind"]}"{is_open}>\n'
        f"<summary>{_LINK.sub('', found['head'])}\n{shown}</summary>\n{link[0] if link else ''}{rest}</details>\n"
    )
