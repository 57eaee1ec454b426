"""Pages that stand elsewhere in the repository, and parts of pages that follow from the code.

``generated/docs`` becomes the section Operators and ``CHANGELOG.md`` a page, both read where they stand. A line
``<!-- generated: NAME -->`` in a page is replaced by the text that `aclspec.codegen.reference` makes of that name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from aclspec.codegen import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "generated" / "docs"
SECTION = "Operators"
_MARKER = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the section of the operators."""
    nav: list[dict[str, Any]] = config.nav or []
    for entry in nav:
        if SECTION in entry:
            entry[SECTION] = [{_title(page): _uri(page)} for page in _manual()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside the folder of the site."""
    for page in _manual():
        files.append(File.generated(config, _uri(page), abs_src_path=str(page)))
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the generated parts into a hand-written page."""
    return _MARKER.sub(lambda found: reference.part(found["name"]), markdown)


def _manual() -> list[Path]:
    return sorted(MANUAL.rglob("*.md"), key=lambda page: (page.stem != "index", page))


def _uri(page: Path) -> str:
    return f"operators/{page.relative_to(MANUAL).as_posix()}"


def _title(page: Path) -> str:
    """The text of the page's first heading."""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return re.sub(r"\s*\{.*\}$", "", line[2:]).strip(" `")
    return page.stem
