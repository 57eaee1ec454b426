"""One folder of pages out of several, and parts of pages that follow from the code.

The hand-written pages (``site/docs``), the manual (``generated/docs``) and the changelog are laid together in a folder
that lives as long as the command, before any plugin looks for pages: the plugin for languages takes only pages that
stand in the folder of the documentation. A line ``<!-- generated: NAME -->`` in a page is replaced by the text that the
function of that name in `PARTS` makes.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.pages import Page

from aclspec.cli.reference import commands
from aclspec.codegen import reference
from aclspec.codegen.render.manual.words import Lang, category

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "site" / "docs"
MANUAL = ROOT / "generated" / "docs"
CHANGELOG = ROOT / "CHANGELOG.md"
OPERATORS = "Operators"
PARTS = {**reference.PARTS, "commands": commands}
_MARKER = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->$", re.MULTILINE)
_stage = tempfile.TemporaryDirectory(prefix="aclspec-site-")


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    """Be a hook that is kept from one build of a command to the next."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lay the pages together, and list the operators in the navigation."""
    stage = Path(_stage.name)
    lay(stage)
    config.docs_dir = str(stage)
    for entry in config.nav or []:
        if isinstance(entry, dict) and OPERATORS in entry:
            entry[OPERATORS] = operators_nav(stage / "en", language(config))
    return config


def on_serve(server: LiveReloadServer, config: MkDocsConfig, **_: Any) -> LiveReloadServer:
    """Watch what the pages are made of, rather than the copies."""
    server.unwatch(config.docs_dir)
    for path in (PAGES, MANUAL, CHANGELOG):
        server.watch(str(path))
    return server


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put the generated parts into a hand-written page."""
    return _MARKER.sub(lambda found: PARTS[found["name"]](), markdown)


def on_shutdown() -> None:
    """Remove the copies."""
    _stage.cleanup()


def lay(stage: Path) -> None:
    """Make the folder what the sources say, and leave alone what is so already."""
    files = dict(sources())
    for path in [path for path in stage.rglob("*") if path.is_file()]:
        if path.relative_to(stage).as_posix() not in files:
            path.unlink()
    for name, source in files.items():
        target = stage / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def sources() -> Iterator[tuple[str, Path]]:
    """Every file of the site below the folder of its pages, with where it stands."""
    for folder in (MANUAL, PAGES):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path
    yield "en/changelog.md", CHANGELOG


def language(config: MkDocsConfig) -> Lang:
    """The language that is built now; the plugin for languages builds the default one first."""
    plugin: Any = config.plugins["i18n"]
    found: Lang = plugin.current_language or plugin.default_language
    return found


def operators_nav(folder: Path, lang: Lang) -> list[str | dict[str, Any]]:
    """The list of all operators, and below it their pages by category."""
    found: dict[str, list[dict[str, str]]] = {}
    for path in sorted((folder / "operators").glob("*.md")):
        if path.stem != "index":
            head = path.read_text(encoding="utf-8")
            entry = {title(head): PurePosixPath("operators", path.name).as_posix()}
            found.setdefault(category(spec_folder(head), lang), []).append(entry)
    return ["operators/index.md", *({name: pages} for name, pages in sorted(found.items()))]


def title(text: str) -> str:
    """The text of a page's first heading."""
    found = re.search(r"^# (?P<title>.+?)(?:\s*\{.*\})?$", text, re.MULTILINE)
    return found["title"].strip(" `") if found else ""


def spec_folder(text: str) -> str:
    """The folder of the spec that an operator's page is from: its category."""
    found = re.search(r"specs/(?P<category>[\w-]+)/", text)
    return found["category"] if found else ""
