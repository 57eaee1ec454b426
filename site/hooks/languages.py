"""What Material and the plugin for languages leave to do for a site that also works from a disk.

Each language has a search index of its own, below the language's home page. Material takes the index, and the places
in it, relative to the ``base`` that a page's configuration names. The pages of a language that is not the default one
therefore name the language's folder, and find their own index there.

Material's script fetches a sitemap for every ``link`` to another language, which a page that is a file may not do. The
switch in the head of the page does not need it: it has the address of the same page in the other language. Without an
address of the site a sitemap would say nothing true. And the dialog of its search has no name for a screen reader.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

_BASE = re.compile(r'(<script id="__config" type="application/json">\{.*?"base": *")([^"]*)(")')
_ALTERNATE = re.compile(r'^ *<link rel="alternate"[^>]*>\n', re.MULTILINE)
_DIALOG = re.compile(r'<div class="md-search" data-md-component="search"')
_AFTER_ALL = -200
SEARCH = {"en": "Search", "zh": "搜索"}
Entry = dict[str, Any]


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Give a page of another language than the default one its own base: one folder nearer."""
    output = _DIALOG.sub(rf'\g<0> aria-label="{SEARCH[language(config)]}"', _ALTERNATE.sub("", output))
    if page.url.split("/")[0] not in folders(config):
        return output
    return _BASE.sub(lambda found: f"{found[1]}{nearer(found[2])}{found[3]}", output, count=1)


@event_priority(_AFTER_ALL)
def on_post_build(config: MkDocsConfig) -> None:
    """Divide the index, and write each part as JSON for a server and as a script for a page that is a file."""
    site = Path(config.site_dir)
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    shared = [entry for entry in index["docs"] if entry["location"].split("/")[0] not in folders(config)]
    for folder in folders(config):
        write(site / folder, index["config"], below(folder, index["docs"]))
    write(site, index["config"], shared)
    for sitemap in site.glob("sitemap.xml*"):
        sitemap.unlink()


def language(config: MkDocsConfig) -> str:
    """The language that is built now."""
    plugin: Any = config.plugins["i18n"]
    return str(plugin.current_language)


def folders(config: MkDocsConfig) -> list[str]:
    """The folders of the languages that have one: all but the default."""
    plugin: Any = config.plugins["i18n"]
    return [one for one in plugin.build_languages if one != plugin.default_language]


def below(folder: str, entries: list[Entry]) -> list[Entry]:
    """The entries of a folder, placed relative to it."""
    lead = f"{folder}/"
    return [
        {**entry, "location": entry["location"].removeprefix(lead)}
        for entry in entries
        if entry["location"].startswith(lead)
    ]


def nearer(base: str) -> str:
    """The way to the language's folder, from the way to the top."""
    return base.removesuffix("..").rstrip("/") or "."


def write(folder: Path, config: Entry, entries: list[Entry]) -> None:
    """Write an index both ways."""
    text = json.dumps({"config": config, "docs": entries}, ensure_ascii=False, separators=(",", ":"))
    (folder / "search").mkdir(parents=True, exist_ok=True)
    (folder / "search" / "search_index.json").write_text(text, encoding="utf-8")
    (folder / "search" / "search_index.js").write_text(f"var __index = {text}", encoding="utf-8")
