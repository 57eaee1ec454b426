"""Leave out of the theme's style sheets what no page of the site uses."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from aclspec.codegen.pages.weight import without_unread, without_unused, words_of

_AFTER_ALL = -300


@event_priority(_AFTER_ALL)
def on_post_build(config: MkDocsConfig) -> None:
    """Once the pages of all languages are written, rewrite the sheets."""
    site = Path(config.site_dir)
    words = words_of(site)
    sheets = {path: path.read_text(encoding="utf-8") for path in site.glob("assets/**/*.css")}
    used = {path: without_unused(text, words) for path, text in sheets.items() if path.parent.name == "stylesheets"}
    everything = "".join((sheets | used).values())
    for path, text in used.items():
        path.write_text(without_unread(text, everything), encoding="utf-8")
