"""The manual: all of a spec has its place, what the pages say is what the specs say, and the examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

import markdown  # type: ignore[import-untyped]
import pytest

from aclspec import ops
from aclspec.codegen.pages.examples import session
from aclspec.codegen.pages.indexes import render_indexes
from aclspec.codegen.pages.operator import Page, operator_pages
from aclspec.codegen.render.manual.texts import python_prototype
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.sentences import Lang, requirement
from tests.support.operators import some
from tests.support.project import own_project

TOP = Path(__file__).parents[2]
NAMES = some(len(ops.names()), small=20)
SITE = Path(__file__).parents[2] / "site" / "docs"
EXTENSIONS = ["admonition", "attr_list", "md_in_html", "pymdownx.details", "tables", "toc"]
LANGS: tuple[Lang, ...] = ("en", "zh")
ANCHOR = re.compile(r' id="([^"]+)"')
LINK = re.compile(r' href="([^"]+)"')
OWNED = ("rule-", "param-", "formula-", "example-", "note-", "clause-")
FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)


@cache
def operator(name: str) -> Operator:
    return own_project().operator(ops.get(name).name)


@cache
def indexes() -> dict[str, str]:
    return render_indexes(own_project())


@cache
def pages_of(name: str, lang: Lang) -> dict[str, Page]:
    """The pages of an operator, without what its checks and its calls have to be asked for."""
    return operator_pages(own_project(), operator(name), lang)


@cache
def html_of(index: str) -> str:
    return str(markdown.markdown(indexes()[index], extensions=EXTENSIONS))


def tree(html: str) -> ET.Element:
    """The elements of a page; those of formulas are another package's."""
    return ET.fromstring(f"<page>{FORMULA.sub('', html).replace('<br>', '<br/>')}</page>")


def of_spec(name: str) -> Iterator[str]:
    """The anchors that the pages of an operator must have: everything of its spec, and the clauses of its document."""
    spec, info = operator(name).spec, operator(name).info
    yield from (f"rule-{rule.id}" for rule in info.checks)
    yield from (f"param-{param.name}" for param in spec.params)
    yield from (f"formula-{formula.id}" for formula in spec.formula)
    yield from (f"example-{example.id}" for example in spec.examples)
    yield from (f"note-{note.id}" for note in spec.notes)
    yield from ("prototype", "products", *(["dtypes"] if spec.dtypes else []))
    yield from ("precision",) if info.facts.has_kernel else ()
    for file in own_project().clauses:
        if file.operator == spec.op:
            yield from (f"clause-{clause.id.replace('.', '-')}" for clause in file.clauses)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_everything_of_a_spec_has_its_anchor_where_the_model_says(name: str, lang: Lang) -> None:
    """The trace answers from the model, so that the rendered page must agree with it."""
    pages = pages_of(name, lang)
    anchors = {path: ANCHOR.findall(page.html) for path, page in pages.items()}
    wanted = set(of_spec(name))
    assert wanted <= {anchor for found in anchors.values() for anchor in found}
    assert wanted <= {anchor for page in pages.values() for anchor in page.anchors}
    for path, page in pages.items():
        assert page.anchors <= set(anchors[path])
        assert len(anchors[path]) == len(set(anchors[path]))
        assert {anchor for anchor in anchors[path] if anchor.startswith(OWNED)} <= wanted


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_pages_are_well_formed(name: str, lang: Lang) -> None:
    """Also: rows have as many cells as their heads, the sections are those of the contents, and no text is a name."""
    for path, page in pages_of(name, lang).items():
        root = tree(page.html)
        for table in root.iter("table"):
            assert len({len(list(row)) for row in table.iter("tr")}) == 1
        if path == name:
            assert [one.get("id") for one in root.iter("h2")] == [anchor for anchor, _ in page.sections]
        assert len(list(root.iter("h1"))) == 1
        levels = [int(one.tag[1]) for one in root.iter() if re.fullmatch("h[1-6]", one.tag)]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        shown = " ".join(text for part in root if part.tag != "div" for text in part.itertext())
        assert not re.search(r"\bNone\b(?! of)|Undefined|\bText\(|\{[{%]", shown)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str, lang: Lang) -> None:
    """Those to assets and guides are looked at where the site is built."""
    pages = pages_of(name, lang)
    anchors = {path: set(ANCHOR.findall(page.html)) for path, page in pages.items()}
    for path, page in pages.items():
        for link in LINK.findall(page.html):
            file, _, anchor = link.partition("#")
            target = os.path.normpath(PurePosixPath(path).parent / file.removesuffix(".html")) if file else path
            if not target.startswith(".."):
                assert target in pages or target in ops.names(), link  # another operator: a relative of this one
                assert not anchor or anchor in anchors[target], link


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_the_sentence_of_a_rule_is_shown_unchanged(name: str, lang: Lang) -> None:
    root = tree(pages_of(name, lang)[name].html)
    shown = {
        heads[0].get("id"): "".join(texts[0].itertext())
        for summary in root.iter("summary")
        if (heads := summary.findall("h4")) and (texts := summary.findall("p"))
    }
    rules = ops.get(name).info.checks
    assert shown == {f"rule-{rule.id}": requirement(rule, lang) for rule in rules}


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ACLSPEC_PRODUCT", "ACLSPEC_CONFORMANCE", "ACLSPEC_BACKEND"):
        monkeypatch.delenv(variable, raising=False)
    info = ops.get(name).info
    for example in info.examples:
        text = "".join(f"{line}\n" for line in session(info, example))
        test = doctest.DocTestParser().get_doctest(text, {}, f"{name} {example.id}", None, None)
        assert doctest.DocTestRunner().run(test).failed == 0
        assert len(test.examples) > 2


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_shown(name: str, lang: Lang) -> None:
    """As it runs, the first on the page itself, the others on one below it."""
    info = ops.get(name).info
    blocks: list[str] = []
    for page in pages_of(name, lang).values():
        blocks += ["".join(one.itertext()) for one in tree(page.html).iter("pre")]
    sessions = [block for block in blocks if block.startswith(">>> ")]
    assert sessions == ["".join(f"{line}\n" for line in session(info, one)) for one in info.examples]


@pytest.mark.parametrize("name", NAMES)
def test_the_python_prototype_is_that_of_the_function(name: str) -> None:
    info = ops.get(name).info
    signature = inspect.signature(getattr(importlib.import_module("aclspec.ops"), info.snake))
    shown = re.search(rf"aclspec\.ops\.{info.snake}\( (.*?), \) -> ", " ".join(python_prototype(info).split()))
    assert shown is not None
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    assert shown[1] == str(inspect.Signature(bare))[1:-1]


@pytest.mark.parametrize("lang", LANGS)
def test_indexes_are_well_formed(lang: Lang) -> None:
    found = [path for path in indexes() if path.startswith(f"{lang}/")]
    assert found
    for path in found:
        well_formed(html_of(path))


def well_formed(html: str) -> None:
    root = ET.fromstring(f"<page>{html.replace('<br>', '<br/>')}</page>")
    assert len(list(root.iter("h1"))) == 1
    assert "|---" not in html
    for table in root.iter("table"):
        assert len({len(list(row)) for row in table.iter("tr")}) == 1
    levels = [int(one.tag[1]) for one in root.iter() if re.fullmatch("h[1-6]", one.tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    anchors = ANCHOR.findall(html)
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize("lang", LANGS)
def test_indexes_link_to_what_is_there(lang: Lang) -> None:
    for path in indexes():
        if path.startswith(f"{lang}/"):
            links_lead_somewhere(path, lang)


def links_lead_somewhere(path: str, lang: Lang) -> None:
    for link in LINK.findall(html_of(path)):
        file, _, anchor = link.partition("#")
        target = os.path.normpath(PurePosixPath(path).parent / file.partition("?")[0]) if file else path
        target = target.replace(".html", ".md")  # of a table in HTML
        name = target.removeprefix(f"{lang}/operators/").removesuffix(".md")
        if target.startswith(f"{lang}/guides/"):
            assert (SITE / target).is_file(), link
        elif target in indexes():
            assert not anchor or f'id="{anchor}"' in html_of(target), link
        else:
            assert name in ops.names(), link
            assert not anchor or name not in NAMES or anchor in pages_of(name, lang)[name].anchors, link
