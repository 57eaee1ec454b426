"""The built site: it stands alone, its links lead somewhere, and nothing is left unrendered."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from aclspec import ops
from tests.pages.test_glossary import ENGLISH
from tests.support.fences import blocks
from tests.support.operators import some
from tests.support.project import own_project

pytestmark = pytest.mark.all

TOP = Path(__file__).parents[2]


CHINESE = re.compile("[一-鿿]")
UNTITLED = ("index",)
IN_ENGLISH = {"changelog", "cli", "predicates", "signatures", "simulator", "spec", "speed"}
"""Chinese pages with texts of programs that have no Chinese: help, docstrings, names of parameters and of shapes."""
HEADING = re.compile(r"^#{2,3} ", re.MULTILINE)
MARKER = re.compile(r"^<!-- generated: ([\w-]+) -->$", re.MULTILINE)
ALTERNATE = re.compile(r'<link rel="alternate " hreflang="(\w+)" href="([^"]*)">')
SWITCH = re.compile(r'<a href="([^"]*)" hreflang="(\w+)" class="md-select__link">')


class Page(HTMLParser):
    """What a page loads, where it links to, and the anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(given.get("href", ""))
        elif "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    foreign = {load for page in pages.values() for load in page.loads if urlsplit(load).netloc}
    assert foreign == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import)\s*['\"]?https?:", styles) == []


def test_every_link_of_a_page_leads_somewhere(pages: dict[Path, Page], site: Path) -> None:
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            address, anchor = urldefrag(link)
            if urlsplit(link).scheme or urlsplit(link).netloc:
                continue
            address = urlsplit(address).path  # without the choice of a filter
            anchor = "ask" if anchor.startswith("ask/") else anchor  # a call that the form reads
            target = (path.parent / unquote(address)).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            known = target in pages and unquote(anchor) in pages[target].anchors
            if not target.exists() or (anchor and target in pages and not known):
                broken.append(f"{path.relative_to(site)} -> {link}")
    assert broken == []


@pytest.mark.parametrize("folder", [".", "zh"])
@pytest.mark.parametrize("name", some(12))
def test_every_rule_has_its_anchor(pages: dict[Path, Page], site: Path, name: str, folder: str) -> None:
    page = pages[site / folder / "operators" / f"{name}.html"]
    assert {f"rule-{rule.id}" for rule in ops.get(name).info.checks} <= page.anchors


@pytest.mark.parametrize("name", some(12))
def test_formulas_are_rendered(site: Path, name: str) -> None:
    text = (site / "operators" / f"{name}.html").read_text(encoding="utf-8")
    formulas = own_project().operator(name).spec.formula
    assert text.count("<math") >= (2 if ops.get(name).info.facts.has_kernel else 1) * bool(formulas)
    assert 'class="arithmatex"' not in text


def test_every_page_has_both_languages(site: Path) -> None:
    found = {
        lang: {p.relative_to(site / lang).as_posix() for p in (site / lang).rglob("*.html")} for lang in (".", "zh")
    }
    english = {name for name in found["."] if not name.startswith("zh/")} - {"404.html"}
    assert english == found["zh"]


def test_the_switch_leads_to_the_same_page(site: Path) -> None:
    for path in (site / "zh").rglob("*.html"):
        name = path.relative_to(site / "zh").as_posix()
        found = SWITCH.findall(path.read_text(encoding="utf-8"))
        assert {lang: (path.parent / href).resolve() for href, lang in found} == {"en": site / name, "zh": path}
        named = ALTERNATE.findall(path.read_text(encoding="utf-8"))
        assert {lang: (path.parent / href).resolve() for lang, href in named} == {"en": site / name, "zh": path}


def test_the_site_is_small(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 240_000 * len(own_project().operators)  # in two languages
    page = "operators/convolution_backward"
    parts = [*site.glob("assets/**/*.css"), *site.glob("assets/javascripts/*.js"), *site.glob("assets/ask/*.*")]
    parts += [site / f"{page}.html", site / f"assets/ask/{page}.en.js"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in parts) < 200_000


def test_chinese_pages_are_in_chinese(site: Path) -> None:
    """Titles and descriptions are, and no space stands between two Chinese characters."""
    for path in sorted((site / "zh").rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if path.stem in ("changelog", "signatures"):
            continue
        head = text.partition("</head>")[0]
        title, described = (
            re.search(r"<title>(.*?)</title>", head),
            re.search(r'name="description" content="(.*?)"', head),
        )
        assert described is not None
        assert CHINESE.search(described[1]), path
        assert title is not None
        assert CHINESE.search(title[1]) or path.stem in UNTITLED, path
        article = re.sub(
            r"<(pre|script|style|code|math|form|svg)\b.*?</\1>", "\0", text.partition("<article")[2], flags=re.DOTALL
        )
        prose = re.sub(r"<[^>]+>", "", article.partition("</article>")[0])
        assert path.stem in IN_ENGLISH or not ENGLISH.search(prose), (path, ENGLISH.search(prose))
        shown = re.sub(r"<(pre|script|style)\b.*?</\1>|<[^>]+>", "\0", text.partition("<article")[2], flags=re.DOTALL)
        assert not re.search(r"[一-鿿] +[一-鿿]", shown), (path, re.search(r".{9}[一-鿿] +[一-鿿].{9}", shown))


def test_no_marker_is_left(site: Path) -> None:
    assert [path for path in site.rglob("*.html") if "<!-- generated:" in path.read_text(encoding="utf-8")] == []


def test_the_folder_never_shadows_the_standard_library() -> None:
    assert list((TOP / "site").rglob("__init__.py")) == []


def test_hand_written_pages_are_translated() -> None:
    english, chinese = (TOP / "site/docs" / lang for lang in ("en", "zh"))
    pages = sorted(path.relative_to(english) for path in english.rglob("*.md"))
    assert [page for page in pages if not (chinese / page).is_file()] == []
    for page in pages:
        code = [
            [(block.language, block.title, block.text) for block in blocks(top / page)] for top in (english, chinese)
        ]
        assert code[0] == code[1], page
        assert len(HEADING.findall((english / page).read_text())) == len(HEADING.findall((chinese / page).read_text()))
        generated = [MARKER.findall((top / page).read_text(encoding="utf-8")) for top in (english, chinese)]
        assert generated[0] == generated[1], page
