"""Long parts of an operator's page fold: each rule under its sentence, those of a parameter together, some sections.

Pages keep their headings and texts in Markdown; only what the browser shows is folded. `rules.js` opens what an address
asks for, and filters; Material's script opens everything for printing.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

_AFTER_SEARCH = -150
_RULE = re.compile(
    r'^(?P<head><h4(?P<attributes>[^>]*? id="rule-[^>]*)>.*?</h4>)\n(?P<body>.*?)(?=^<h[234]|\Z)',
    re.DOTALL | re.MULTILINE,
)
_GROUP = re.compile(r'^(?P<head><h3 id="rules-.*?</h3>)\n(?P<body>.*?)(?=^<h[23]|\Z)', re.DOTALL | re.MULTILINE)
_SECTION = re.compile(
    r'^(?P<head><h[23] id="(?:dtypes|names|outputs|precision|notes)".*?</h[23]>)\n(?P<body>.*?)(?=^<h2|\Z)',
    re.DOTALL | re.MULTILINE,
)
_SHOWN = re.compile(r"(?P<shown><p>.*?<br>\n.*?)(?:<br>\n(?P<rest>.*?))?</p>\n?", re.DOTALL)
_DATA = re.compile(r' data-[\w-]+="[^"]*"')
_LINK = re.compile(r'<a class="headerlink".*?</a>')  # nothing to click on may stand in what is clicked on


@event_priority(_AFTER_SEARCH)
def on_page_context(context: dict[str, Any], page: Page, **_: Any) -> None:
    """Fold the page of an operator once the search has read it."""
    if "/operators/" in f"/{page.file.src_uri}" and page.content:
        page.content = folded(page.content)


def folded(content: str) -> str:
    """The content with its rules and their groups inside ``details``."""
    return _SECTION.sub(_section, _GROUP.sub(_group, _RULE.sub(_rule, content)))


def _section(found: re.Match[str]) -> str:
    """A section under its heading."""
    head = _LINK.sub("", found["head"])
    return f'<details class="aclspec-fold aclspec-section">\n<summary>{head}</summary>\n{found["body"]}</details>\n'


def _group(found: re.Match[str]) -> str:
    """The rules of a parameter under its name and their number."""
    count = found["body"].count('class="aclspec-fold aclspec-rule"')
    head = _LINK.sub("", found["head"])
    return (
        f'<details class="aclspec-fold aclspec-group">\n<summary>{head} <span class="aclspec-count">{count}</span>'
        f"</summary>\n{found['body']}</details>\n"
    )


def _rule(found: re.Match[str]) -> str:
    """A rule under its sentence and where it holds."""
    lines = _SHOWN.match(found["body"])
    shown, rest = "", found["body"]
    if lines:
        shown = f"{lines['shown']}</p>\n".replace("<br>\n", "</p>\n<p>")
        rest = f"<p>{lines['rest'] or ''}</p>\n{rest[lines.end() :]}"
    data = "".join(_DATA.findall(found["attributes"]))
    link = _LINK.search(found["head"])
    head = _LINK.sub("", _DATA.sub("", found["head"]))
    return (
        f'<details class="aclspec-fold aclspec-rule"{data}>\n'
        f"<summary>{head}\n{shown}</summary>\n{link[0] if link else ''}{rest}</details>\n"
    )
