"""The index of the search (assets/javascripts/search.js), in the place of Material's larger one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from aclspec.codegen.pages.checkout import project_of
from aclspec.codegen.pages.search_index import search_index

ROOT = Path(__file__).resolve().parents[2]
UNUSED = ("search", "assets/javascripts/workers", "assets/javascripts/lunr")
_AFTER_ALL = -200


@event_priority(_AFTER_ALL)
def on_post_build(config: MkDocsConfig) -> None:
    """Write the index of each language, and remove Material's."""
    site = Path(config.site_dir)
    entries: list[dict[str, Any]] = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    for folder in UNUSED:
        shutil.rmtree(site / folder, ignore_errors=True)
    project = project_of(ROOT)
    chinese = [
        {**one, "location": one["location"].removeprefix("zh/")} for one in entries if one["location"].startswith("zh/")
    ]
    english = [one for one in entries if not one["location"].startswith("zh/")]
    write(site / "search", search_index(project, "en", english))
    write(site / "zh/search", search_index(project, "zh", chinese))


def write(folder: Path, text: str) -> None:
    """Write an index where the pages of its language look for it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.js").write_text(text, encoding="utf-8")
