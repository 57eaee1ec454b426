"""Pages that stand elsewhere in the repository, and parts of pages that follow from the code.

The manual in ``generated/docs`` becomes a section for each language, and ``CHANGELOG.md`` a page; both are read where
they stand. A line
``<!-- generated: NAME -->`` in a page is replaced by the text that the function of that name in `PARTS` makes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from aclspec.cli.reference import commands
from aclspec.codegen import reference

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "generated" / "docs"
SECTIONS = {"Operators": "en", "中文手册": "zh"}
PARTS = {**reference.PARTS, "commands": commands}
_MARKER = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections of the manual."""
    nav: list[dict[str, Any]] = config.nav or []
    for entry in nav:
        for section in SECTIONS.keys() & entry.keys():
            entry[section] = [{_title(page): _uri(page)} for page in _manual(SECTIONS[section])]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside the folder of the site."""
    for page in (page for language in SECTIONS.values() for page in _manual(language)):
        files.append(File.generated(config, _uri(page), abs_src_path=str(page)))
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the generated parts into a hand-written page."""
    return _MARKER.sub(lambda found: PARTS[found["name"]](), markdown)


def _manual(language: str) -> list[Path]:
    """The pages of a language: the operators, their list first, and then the pages over all of them."""
    pages = (MANUAL / language).rglob("*.md")
    return sorted(pages, key=lambda page: (page.parent.name != "operators", page.stem != "index", page))


def _uri(page: Path) -> str:
    """Below the site as below ``generated/docs``, so that the pages' own links hold."""
    return page.relative_to(MANUAL).as_posix()


def _title(page: Path) -> str:
    """The text of the page's first heading."""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return re.sub(r"\s*\{.*\}$", "", line[2:]).strip(" `")
    return page.stem
