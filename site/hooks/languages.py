"""What Material and the plugin for languages leave to do for a site in two languages that also works from a disk.

Material's script fetches a sitemap for every ``link`` of exactly the kind "alternate", which a page that is a file may
not do: the links to the same page in the other language name their kind with a space. Without an address of the site a
sitemap would say nothing true. A page of an operator is described by its summary. Lines of Chinese text join without a
space, and a page is sent without indentation.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

_ALTERNATE = re.compile(r'^ *<link rel="alternate"[^>]*>\n', re.MULTILINE)
_SWITCH = re.compile(r'<a href="(?P<href>[^"]*)" hreflang="(?P<lang>\w+)" class="md-select__link">')
_VERBATIM = re.compile(r"(<(pre|textarea|script)\b.*?</\2>)", re.DOTALL)
_BLANKS = re.compile(r"\s*\n\s*")
_CHINESE = "[一-鿿，。；：、！？“”（）《》]"
_JOIN = re.compile(rf"(?<={_CHINESE})[ \n]+(?={_CHINESE})")
_TITLE = re.compile(r"<title>([^<]*) - aclspec</title>")
_PARAGRAPH = re.compile(r"</h1>\s*<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_LONGEST = 60


def on_page_content(content: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Describe a page by its first paragraph, and join the lines of Chinese text."""
    if is_chinese(config):
        content = outside_of_code(content, lambda text: _JOIN.sub("", text))
    found = _PARAGRAPH.search(content)
    if found and "description" not in page.meta:
        page.meta["description"] = html.unescape(_TAG.sub("", found[1])).replace("\n", " ").strip()
    return content


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the page in the other languages, say in the title of an operator what it does, and leave out blanks."""
    links = "".join(
        f'<link rel="alternate " hreflang="{found["lang"]}" href="{found["href"]}">\n'
        for found in _SWITCH.finditer(output)
    )
    output = _ALTERNATE.sub("", output).replace("</title>", f"</title>\n{links}", 1)
    if "/operators/" in f"/{page.file.src_uri}" and "description" in page.meta:
        summary = html.escape(shortened(str(page.meta["description"])), quote=False)
        colon = "：" if is_chinese(config) else ": "
        output = _TITLE.sub(lambda found: f"<title>{found[1]}{colon}{summary} - aclspec</title>", output, count=1)
    return outside_of_code(output, lambda text: _BLANKS.sub("\n", text))


def on_post_build(config: MkDocsConfig) -> None:
    """Remove what says nothing: the sitemap, and the sources of Material's scripts and styles."""
    site = Path(config.site_dir)
    for path in [*site.glob("sitemap.xml*"), *site.rglob("*.map")]:
        path.unlink()


def is_chinese(config: MkDocsConfig) -> bool:
    """Whether the Chinese pages are built now."""
    plugin: Any = config.plugins["i18n"]
    return str(plugin.current_language) == "zh"


def shortened(summary: str) -> str:
    """The first sentence, as far as a title has room."""
    sentence = re.split(r"(?<=[a-z)])\. |。", summary)[0].rstrip(".")
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rsplit(' ', 1)[0].rstrip('，、,')}…"


def outside_of_code(text: str, change: Any) -> str:
    """The text changed but for preformatted parts and scripts."""
    parts = _VERBATIM.split(text)
    return "".join(change(part) if at % 3 == 0 else part if at % 3 == 1 else "" for at, part in enumerate(parts))
