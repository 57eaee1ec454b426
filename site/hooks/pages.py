"""One folder of pages out of several, and parts of pages that follow from the code.

The hand-written pages (``site/docs``), those that follow from the specs (`site_of`) and the changelog are laid together
in a folder that lives as long as the command, before any plugin looks for pages: the plugin for languages takes only
pages that stand in the folder of the documentation. Of an operator's page, which is HTML, that folder has the head
alone; the content takes its place behind MkDocs' renderer. A line ``<!-- generated: NAME -->`` in a page is replaced by
the text that the function of that name in `PARTS` makes. Specs, kernels and the header of the samples are copied as
texts, and the programs of ``site/examples`` are shown.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import rjsmin
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

from aclspec.cli.reference import commands
from aclspec.codegen.pages import families, glossary, lifecycle, masks, pasted, short_forms, windows
from aclspec.codegen.pages import predicate_reference as reference
from aclspec.codegen.pages.accuracy import accuracy
from aclspec.codegen.pages.checkout import project_of, stamp
from aclspec.codegen.pages.coverage import coverage
from aclspec.codegen.pages.home import home
from aclspec.codegen.pages.operator import KERNEL_FOLDER, SOURCES
from aclspec.codegen.pages.operator import Page as OperatorPage
from aclspec.codegen.pages.simulator import simulator
from aclspec.codegen.pages.site import Site, site_of
from aclspec.codegen.pages.speed import speed
from aclspec.codegen.pages.words import sound
from aclspec.codegen.render.javascript.files import FOLDER, bundled
from aclspec.codegen.render.manual.words import Lang, category
from aclspec.codegen.trace.sources import read_suites

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "site" / "docs"
SPECS = ROOT / "specs"
SAMPLES = ROOT / "generated" / "samples"
CHANGELOG = ROOT / "CHANGELOG.md"
EXAMPLES = ROOT / "site" / "examples"
ASK = FOLDER.relative_to("docs")
WIDE = "aclspec-filtered"
OPERATORS = "Operators"


def program(path: Path, lang: Lang) -> str:
    """An example as a block of code; it is the same in both languages."""
    language = {"h": "cpp"}.get(path.suffix[1:], path.suffix[1:])
    return f"```{language}\n{path.read_text(encoding='utf-8')}```"


PARTS: dict[str, Callable[[Lang], str]] = {
    **reference.PARTS,
    **short_forms.PARTS,
    **families.PARTS,
    **glossary.PARTS,
    **windows.PARTS,
    **masks.PARTS,
    **lifecycle.PARTS,
    **pasted.PARTS,
    "commands": commands,
    "accuracy": partial(accuracy, root=ROOT),
    "coverage": partial(coverage, root=ROOT),
    "home": partial(home, root=ROOT),
    "simulator": partial(simulator, root=ROOT),
    "speed": partial(speed, root=ROOT),
}
PARTS |= {f"example-{path.suffix[1:]}-{path.stem}": partial(program, path) for path in sorted(EXAMPLES.glob("*.*"))}
_MARKER = re.compile(r"^<!-- generated: (?P<name>[\w-]+) -->$", re.MULTILINE)
_stage = tempfile.TemporaryDirectory(prefix="aclspec-site-")
_pages: dict[str, OperatorPage] = {}
"""The pages of operators of this build."""


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    """Be a hook that is kept from one build of a command to the next."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lay the pages together, and list the operators in the navigation."""
    stage = Path(_stage.name)
    lay(stage)
    config.docs_dir = str(stage)
    for entry in config.nav or []:
        if isinstance(entry, dict) and OPERATORS in entry:
            entry[OPERATORS] = operators_nav(language(config))
    return config


def on_serve(server: LiveReloadServer, config: MkDocsConfig, **_: Any) -> LiveReloadServer:
    """Watch what the pages are made of, rather than the copies."""
    server.unwatch(config.docs_dir)
    for path in (PAGES, SPECS, CHANGELOG):
        server.watch(str(path))
    return server


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Put the generated parts into a hand-written page; a table of operators gets the whole width."""
    if WIDE in markdown:
        page.meta.setdefault("hide", []).append("toc")
    return _MARKER.sub(lambda found: PARTS[found["name"]](language(config)), markdown)


def on_page_content(content: str, page: Page, **_: Any) -> str:
    """Put the page of an operator in its place, with its table of contents and the anchors that others link to."""
    path = Path(page.file.abs_src_path or "").relative_to(_stage.name).as_posix()
    found = _pages.get(path)
    if found is None:
        return content
    page.toc = get_toc([{"level": 2, "id": at, "name": title, "children": []} for at, title in found.sections])
    page.present_anchor_ids = set(found.anchors)
    return found.html


def on_shutdown() -> None:
    """Remove the copies."""
    _stage.cleanup()


def lay(stage: Path) -> None:
    """Make the folder what the sources say, and leave alone what is so already."""
    files = dict(sources())
    for path in [path for path in stage.rglob("*") if path.is_file()]:
        if path.relative_to(stage).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        target = stage / name
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


@cache
def site(at: float) -> Site:
    """What follows from the specs as they were at a time; the form starts from the derived calls."""
    suites = {name: file.suite for name, file in read_suites(ROOT, ROOT / "generated" / "tests").items()}
    return site_of(project_of(ROOT), suites)


def sources() -> Iterator[tuple[str, bytes]]:
    """Every file of the site below the folder of its pages, with what it holds."""
    found = site(stamp(ROOT))
    _pages.clear()
    _pages.update(found.pages)
    yield from ((path, head(page).encode()) for path, page in found.pages.items())
    for name, text in (*found.files.items(), *((f"{ASK}/{script}", text) for script, text in bundled().items())):
        yield name, (rjsmin.jsmin(text) if name.endswith(".js") else text).encode()
    for path in sorted(PAGES.rglob("*")):
        if path.is_file():
            yield path.relative_to(PAGES).as_posix(), path.read_bytes()
    yield "en/changelog.md", CHANGELOG.read_bytes()
    yield f"{SOURCES}/samples/sample.h.txt", (SAMPLES / "sample.h").read_bytes()
    for path in (*SPECS.glob("*/*.yaml"), *(ROOT / KERNEL_FOLDER).glob("*.py")):
        yield f"{SOURCES}/{path.relative_to(ROOT).as_posix()}.txt", path.read_bytes()


def head(page: OperatorPage) -> str:
    """The head of an operator's page; the search knows operators from their specs."""
    texts = {"title": page.title, "description": page.description, "hide": ["toc"], "search": {"exclude": True}}
    return f"---\n{json.dumps(texts, ensure_ascii=False)}\n---\n"


def language(config: MkDocsConfig) -> Lang:
    """The language that is built now; the plugin for languages builds the default one first."""
    plugin: Any = config.plugins["i18n"]
    found: Lang = plugin.current_language or plugin.default_language
    return found


def operators_nav(lang: Lang) -> list[str | dict[str, Any]]:
    """The list of all operators, and below it their pages by category."""
    found: dict[str, list[dict[str, str]]] = {}
    for info in sorted((operator.info for operator in project_of(ROOT).operators), key=lambda info: info.snake):
        found.setdefault(category(info.category, lang), []).append({info.name: f"operators/{info.snake}.md"})
    return [
        "operators/index.md",
        *({name: pages} for name, pages in sorted(found.items(), key=lambda one: sound(one[0]))),
    ]
