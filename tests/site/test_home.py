"""The home page: its field finds the operator in what somebody pastes, and opens its form with what the text says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from aclspec import ops
from aclspec.runtime import Tensor
from tests.site.test_browser import Visit

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("playwright.sync_api")
FIELD = ".aclspec-door textarea"
FOUND = ".aclspec-door li a"
SHOWN = yaml.safe_load((Path(__file__).parents[2] / "site/data/home.yaml").read_text(encoding="utf-8"))
CALL = "aclnnPreluGetWorkspaceSize(self=FLOAT[4, 2]:ND, weight=FLOAT[3]:ND, out=?) for atlas_a3"
TENSOR = '{"dtype": "FLOAT", "format": "ND", "shape": [%s]}'
ARGUMENTS = f'{{"self": {TENSOR % "4, 2"}, "weight": {TENSOR % "3"}, "out": null}}'
RECORD = f'{{"operator": "aclnnPrelu", "product": "atlas_a3", "arguments": {ARGUMENTS}}}'
CODE = """
    aclTensor* self = nullptr; std::vector<int64_t> shape = {4, 2}; std::vector<int64_t> three = {3};
    CreateAclTensor(data, shape, &addr, aclDataType::ACL_FLOAT, &self);
    CreateAclTensor(data, three, &addr, aclDataType::ACL_FLOAT, &weight);
    aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor);
"""


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(20_000)
    yield Visit(page)
    page.close()


def found(page: Page, text: str) -> list[str]:
    """The addresses that the field finds for a text."""
    page.fill(FIELD, text)
    page.wait_for_function("text => document.querySelector('.aclspec-door').dataset.answered === text.trim()", arg=text)
    return [str(one.get_attribute("href")) for one in page.query_selector_all(FOUND)]


def call_of(address: str) -> tuple[str, str, dict[str, str]]:
    """The page, the product and the arguments of a filled form."""
    place, _, query = address.partition("?")
    page, _, product = place.partition("#ask/")
    return page, product, {name: texts[0] for name, texts in parse_qs(query).items()}


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_the_field_finds_the_operator_and_fills_its_form(visit: Visit, address: str, folder: str) -> None:
    page = visit.page
    page.goto(f"{address}/{folder}index.html")
    for text in (CALL, RECORD, CODE):
        (link,) = found(page, text)
        name, product, texts = call_of(link)
        assert (name, texts["weight"].partition("[")[2][0]) == ("operators/prelu.html", "3"), text
        assert product == ("atlas_a2" if text == CODE else "atlas_a3")
    log = "call aclnnGelu failed: Tensor self not implemented for DT_DOUBLE, error code is 161002, Ascend310P3"
    name, product, texts = call_of(found(page, log)[0])
    assert (name, product) == ("operators/gelu.html", "atlas_inference")
    assert texts["self"].startswith("float64[")
    both = [call_of(link)[0] for link in found(page, f"{CALL}\n{log}")]
    assert both == ["operators/prelu.html", "operators/gelu.html"]
    assert "operators/softmax.html" in [call_of(link)[0] for link in found(page, "F.softmax fails")]
    assert found(page, "561103") == ["guides/codes.html#no-kernel"]
    assert found(page, "prelu backward")[0] == "operators/prelu_backward.html#ask"
    assert found(page, "no text of any kind " * 9) == []
    assert page.inner_text(".aclspec-door output")
    assert found(page, "<img src=x onerror=alert(1)> aclnnGelu")[0].startswith("operators/gelu.html#ask/")
    assert page.locator(f"{FOUND} img").count() == 0
    assert visit.wrong == []


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_every_text_to_try_finds_something(visit: Visit, address: str, folder: str) -> None:
    page = visit.page
    page.goto(f"{address}/{folder}index.html")
    for at, one in enumerate(SHOWN["tries"]):
        page.locator(".aclspec-door button[data-text]").nth(at).click()
        page.wait_for_function(
            "text => document.querySelector('.aclspec-door').dataset.answered === text", arg=one["text"]
        )
        assert page.locator(FOUND).count() > 0, one
        assert page.evaluate("document.activeElement.matches('textarea')")
    assert visit.wrong == []


def test_a_walk_by_keyboard_from_home_to_an_applied_fix(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}/index.html")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches('{FIELD}')"):
            break
    page.keyboard.insert_text(CALL.replace("atlas_a3", "atlas_a2"))
    page.keyboard.press("Enter")
    page.wait_for_selector(".ask-card[data-product=atlas_a2] .ask-apply")
    assert urlsplit(page.url).path == "/operators/prelu.html"
    assert page.get_attribute(".ask-card[data-product=atlas_a2]", "data-rule") == "weight-numel"
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.ask-card[data-product=atlas_a2] .ask-apply')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".ask-card[data-product=atlas_a2].ask-is-works")
    assert visit.wrong == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_is_an_answer_of_explain(visit: Visit, address: str, lang: Any) -> None:
    """Each product stands there with its answer; the chosen one with its reasons; its link opens the call."""
    page, shown = visit.page, SHOWN["answer"]
    page.goto(f"{address}/{'' if lang == 'en' else 'zh/'}index.html")
    operator = ops.get(shown["operator"])
    call: dict[str, Any] = {name: Tensor.parse(text) for name, text in shown["call"].items()}
    answer = operator.explain(product="all", lang=lang, **call)
    blocks = {
        key: block.inner_text()
        for block in page.locator(".aclspec-verdict").all()
        for key in block.locator("code").all_inner_texts()
    }
    assert blocks.keys() == set(answer)
    assert all(verdict.answer in blocks[product] for product, verdict in answer.items())
    chosen = answer[shown["product"]]
    assert all(line.strip() in blocks[shown["product"]] for line in chosen.lines())
    assert chosen.fixes
    page.click(".aclspec-answer a")
    page.wait_for_selector(f".ask-card.ask-chosen[data-product={shown['product']}]:not(.ask-is-works)")
    assert visit.wrong == []


def test_the_field_works_in_a_file(visit: Visit, site: Path) -> None:
    visit.page.goto(f"file://{site}/zh/index.html")
    assert call_of(found(visit.page, CALL)[0])[1] == "atlas_a3"
    assert visit.wrong == []
