"""Texts of a spec stay texts in every target: no declaration of C, no statement of Python, no element of a page."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from aclspec.codegen.pages.indexes import render_indexes
from aclspec.codegen.pages.operator import operator_pages
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.render.manual.words import LANGS
from tests.pipeline.conftest import Small
from tests.support.headers import include_folder

markdown = pytest.importorskip("markdown")

TEXTS = {
    "the end of a comment": "*/ int stolen(void); /*",
    "a continued line": "a line \\",
    "a trigraph": "a line ??/",
    "lines": "one\n*/ int stolen(void); /*\n\n# Title\n\nint stolen(void);\n",
    "the end of a string": '"""\nimport os\n"""',
    "an escape": "\\N{stolen} \\u12 \\x1 \\",
    "elements": "</p></td><script>stolen()</script><img src=x onerror=stolen()>",
    "a link": "[stolen](javascript:stolen()) <javascript:stolen()> javascript:stolen()",
    "entities": "&lt;script&gt;&#60;script&#62;",
    "code": "`</code><script>stolen()</script>` ``` </pre>",
    "a fence": "```html\n<script>stolen()</script>\n```",
    "a formula": "$$ </div><script>stolen()</script> $$ \\) \\] $x$",
    "a text in a formula": r"\text{</math><script>stolen()</script>}",
    "a table": "a | b | c\n|---|---|\n| <b>d</b> |",
    "attributes": "a {: onclick=stolen() .x #y} {% stolen %} {{ stolen }}",
    "a comment": "<!-- stolen --> <!DOCTYPE x> <?stolen?>",
    "admonitions": '!!! note "<b>x</b>"\n    stolen',
}
CLAUSES = """\
document: "005"
file: made_up.txt
operator: aclnnCopyAll
title: TEXT
clauses:
  - place: TEXT
    says:
      said.1: {says: TEXT, note: TEXT, waiver: TEXT}
"""
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
"""A string of JavaScript."""
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
EXTENSIONS = ["admonition", "attr_list", "md_in_html", "tables", "toc", "pymdownx.arithmatex", "pymdownx.details"]
EXTENSIONS += ["pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.superfences", "pymdownx.tabbed"]
SETTINGS = {"pymdownx.arithmatex": {"generic": True}, "pymdownx.tabbed": {"alternate_style": True}}


def with_texts(small: Small, text: str) -> None:
    """Put a text into all that has one, in both languages: the spec of an operator, and the clauses of a document."""
    quoted = json.dumps(text, ensure_ascii=True)
    spec = small.spec.read_text(encoding="utf-8").replace("category: copy\n", "category: copy\nsample: true\n")
    spec = spec.replace("checks:\n", "let:\n  extent: {value: numel(self), doc: {en: x, zh: x}}\n\nchecks:\n", 1)
    spec = spec.replace(
        "  - shortcut: empty-input", "  - {id: extent-limit, require: extent <= 4096}\n  - shortcut: empty-input"
    )
    spec = spec.replace("{compute: FLOAT}", "{compute: FLOAT}\n      doc: {en: x, zh: x}")
    spec = re.sub(r"\b(en|zh): [^,}\n]+", lambda found: f"{found[1]}: {quoted}", spec)
    spec = re.sub(r"latex: .*", lambda _: f"latex: {quoted}\n    doc: {{en: {quoted}, zh: {quoted}}}", spec)
    spec = spec.replace("require: shape(out)", f"doc: {{en: {quoted}, zh: {quoted}}}\n    require: shape(out)")
    spec += f"\nnotes:\n  - {{id: said, kind: note, doc: {{en: {quoted}, zh: {quoted}}}}}\n"
    small.spec.write_text(spec, encoding="utf-8")
    clauses = small.specs / "clauses" / "005.yaml"
    clauses.parent.mkdir(exist_ok=True)
    both = f"[{quoted}, {quoted}]"
    clauses.write_text(CLAUSES.replace("TEXT", both), encoding="utf-8")


class Elements(HTMLParser):
    """The elements of a page, with the names of their attributes, and where its links go."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = " ".join(sorted(name for name, _ in attrs))
        scheme = next(
            (str(value).partition(":")[0] for name, value in attrs if name == "href" and ":" in str(value)), ""
        )
        self.found[f"{tag} {names} {scheme}".strip()] += 1

    def handle_comment(self, data: str) -> None:
        self.found["a comment"] += 1

    def handle_decl(self, decl: str) -> None:
        self.found["a declaration"] += 1

    def handle_pi(self, data: str) -> None:
        self.found["an instruction"] += 1


def elements(html: str) -> Counter[str]:
    """The elements of a page, without those of code: what a text has in backticks is code."""
    html = FORMULA.sub("", html)  # the letters of a formula are elements
    return Counter({name: count for name, count in Elements(html).found.items() if name != "code"})


def shown(markdown_text: str) -> str:
    """Markdown as a code host shows it."""
    return str(markdown.markdown(markdown_text, extensions=EXTENSIONS, extension_configs=SETTINGS))


def declared(text: str) -> list[str]:
    """What is left of C without its comments, its strings and its spaces."""
    text = re.sub(r"\\\n", "", text.replace("??/", "\\"))
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).split()


@pytest.fixture
def plain(small: Small) -> dict[str, object]:
    """What the targets have where every text is a plain word."""
    with_texts(small, "Plain.")
    return found(small)


def found(small: Small) -> dict[str, object]:
    small.generate()
    result: dict[str, object] = {}
    for path in sorted(small.out.rglob("*.py")):
        if path.is_relative_to(small.out / "outside_kernels"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        result[path.relative_to(small.out).as_posix()] = [type(node).__name__ for node in tree.body]
    for path in sorted((small.out / "docs").rglob("*.md")):
        result[path.relative_to(small.out).as_posix()] = elements(shown(path.read_text(encoding="utf-8")))
    project = load_project(small.specs)
    result |= {index: elements(shown(text)) for index, text in render_indexes(project).items()}
    for lang in LANGS:
        for place, page in operator_pages(project, project.operators[0], lang).items():
            result[f"{lang}/{place}.html"] = elements(page.html)
    for path in sorted([*small.out.rglob("*.h"), *small.out.rglob("*.cpp")]):
        result[path.relative_to(small.out).as_posix()] = declared(path.read_text(encoding="utf-8"))
    for path in sorted(small.out.rglob("*.js")):
        result[path.relative_to(small.out).as_posix()] = STRING.sub('""', path.read_text(encoding="utf-8")).split()
    return result


def differing(now: object, before: object) -> tuple[object, object]:
    """What one has that the other has not."""
    here = Counter(now) if isinstance(now, list | Counter) else Counter()
    there = Counter(before) if isinstance(before, list | Counter) else Counter()
    return here - there, there - here


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_stays_a_text(small: Small, plain: dict[str, object], name: str) -> None:
    quoted = json.dumps(TEXTS[name], ensure_ascii=True)
    for path in small.specs.rglob("*.yaml"):  # those of `plain`
        spec = path.read_text(encoding="utf-8").replace('"Plain."', quoted)
        spec = re.sub(r"latex: .*", lambda one: one[0].replace("%", r"\\%"), spec)  # alone it begins a comment of LaTeX
        path.write_text(spec, encoding="utf-8")
    now = found(small)
    assert now.keys() == plain.keys()
    assert {path: differing(now[path], plain[path]) for path in now if now[path] != plain[path]} == {}


@pytest.mark.parametrize("name", ["the end of a comment", "a continued line", "a trigraph", "lines"])
def test_the_headers_compile(small: Small, name: str, program: Callable[[str], str]) -> None:
    with_texts(small, TEXTS[name])
    small.generate()
    folders = [f"-I{small.out / 'include'}", f"-I{include_folder()}"]
    command = [
        program("g++"),
        "-std=c++17",
        "-trigraphs",
        "-Wall",
        "-Werror",
        "-fsyntax-only",
        *folders,
        "-x",
        "c++",
        "-",
    ]
    text = '#include "aclnnop/aclnn_copy_all.h"\nint stolen(void) = delete;\n'
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
