""" "Would this call work?" in a browser: it says what Python says, its link and its code give the call again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.runtime.api.answers import Explanation
from tests.site.test_browser import DESK, PHONE, Visit
from tests.support.operators import some

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LANGUAGES = ["en", "zh"]
ANSWERED = ".ask-verdicts button[data-status]"


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    context = browser.new_context(viewport=DESK, permissions=["clipboard-read", "clipboard-write"])  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield Visit(page)
    context.close()


def opened(visit: Visit, address: str, name: str, language: str = "en", link: str = "") -> Page:
    """The page of an operator, once its question is answered."""
    folder = "" if language == "en" else "zh/"
    visit.page.goto(f"{address}/{folder}operators/{name}.html{link}")
    visit.page.wait_for_selector(ANSWERED)
    return visit.page


def cards(page: Page) -> dict[str, tuple[int, str]]:
    """The status and the deciding rule of every product, as the page shows them."""
    found = [button.evaluate("button => ({...button.dataset})") for button in page.query_selector_all(ANSWERED)]
    return {one["product"]: (int(one["status"]), one["rule"]) for one in found}


def call(page: Page) -> tuple[str, str, dict[str, str]]:
    """The product, the mode and the texts of the arguments, as the link carries them."""
    link = urlsplit(str(page.get_attribute(".ask-link", "href"))).fragment
    head, _, query = link.partition("?")
    _, product, mode = head.split("/")
    return product, mode, dict(parse_qsl(query, keep_blank_values=True))


def explained(name: str, mode: str, texts: dict[str, str], lang: Any) -> Explanation:
    """What Python says about the texts of a call, read as the command line reads them."""
    info = ops.get(name).info
    given = {key: values.parse(info.param(key), text) for key, text in texts.items()}
    return ops.get(name).explain(**given, product="all", conformance=mode, lang=lang)


def verdicts(explanation: Explanation) -> dict[str, tuple[int, str]]:
    return {
        product: (int(verdict.status), (verdict.rule or "").rpartition(".")[2])
        for product, verdict in explanation.items()
        if verdict.status is not None
    }


def sentences(page: Page) -> list[str]:
    return [str(one.text_content()) for one in page.query_selector_all(".ask-sentences li p")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", some(6))
def test_the_page_says_what_python_says(visit: Visit, address: str, name: str, language: str) -> None:
    """For every call that the form can start from, in both modes: on all products, and in words on one."""
    page = opened(visit, address, name, language)
    worked = []
    for preset in page.locator(".ask-choices select").first.locator("option").all()[1:]:
        page.locator(".ask-choices select").first.select_option(preset.get_attribute("value"))
        for mode in ("document", "library"):
            page.locator(".ask-choices select").nth(2).select_option(mode)
            product, chosen, texts = call(page)
            explanation = explained(name, mode, texts, language)
            assert chosen == mode
            assert cards(page) == verdicts(explanation), texts
            assert sentences(page) == [one.sentence for one in explanation[product].violations], texts
            worked.append(explanation[product].ok)
    assert set(worked) == {True, False}
    assert visit.wrong == []


def test_the_link_gives_the_call_again(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    page.get_by_label("shape of self").fill("2,3,4")
    page.get_by_label("dtype of weight").select_option("BF16")
    page.locator("[data-param=gradInput] .ask-check input").first.uncheck()
    page.locator("[data-param=gradOutput] .ask-more").click()
    page.get_by_label("strides of gradOutput").fill("1,4")
    page.locator(".ask-choices select").nth(2).select_option("library")
    page.click("button[data-product=atlas_training]")
    expected, shown = call(page), (cards(page), sentences(page))
    assert expected[:2] == ("atlas_training", "library")
    assert expected[2]["gradOutput"] == "float32[4,2]:strides=1,4"
    assert "gradInput" in expected[2]
    link = f"#{urlsplit(str(page.get_attribute('.ask-link', 'href'))).fragment}"
    page.goto("about:blank")
    again = opened(visit, address, "prelu_backward", link=link)
    assert call(again) == expected
    assert (cards(again), sentences(again)) == shown
    assert verdicts(explained("prelu_backward", "library", expected[2], "en")) == shown[0]
    assert again.get_by_label("strides of gradOutput").is_visible()
    assert visit.wrong == []


@pytest.mark.parametrize("name", some(6))
def test_the_python_code_says_the_same(
    visit: Visit, address: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened(visit, address, name)
    for preset in page.locator(".ask-choices select").first.locator("option").all()[1::2]:
        page.locator(".ask-choices select").first.select_option(preset.get_attribute("value"))
        page.get_by_role("button", name="Copy as Python").click()
        page.wait_for_function("document.querySelector('.ask-noted').textContent === 'Copied.'")
        code = page.evaluate("navigator.clipboard.readText()")
        scope: dict[str, Any] = {}
        exec(compile(code, "<copied>", "exec"), scope)
        product, _, _ = call(page)
        assert verdicts(scope["explanation"]) == {product: cards(page)[product]}
        assert product in capsys.readouterr().out
    assert visit.wrong == []


def test_a_value_that_cannot_be_read_is_told(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    before = cards(page)
    page.get_by_label("shape of weight").fill("2,x")
    assert page.inner_text("[data-param=weight] .ask-problem") == "The value (x) is not an integer."
    assert cards(page) == {}
    page.get_by_label("shape of weight").fill("99999999999999999999")
    assert "is outside its range" in page.inner_text("[data-param=weight] .ask-problem")
    page.get_by_label("shape of weight").fill("2")
    assert page.locator("[data-param=weight] .ask-problem").is_hidden()
    assert cards(page) == before
    assert visit.wrong == []


def test_the_keyboard_is_enough(visit: Visit, address: str) -> None:
    """From the first control on, by Tab alone: a null, another product, the code."""
    page = opened(visit, address, "prelu_backward")
    page.locator(".ask-choices select").first.focus()
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(document.activeElement.closest('[data-param]')?.dataset.param ?? '') + ' ' +"
            " (document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent)"
        )
        seen.append(str(name).strip())
        if seen[-1] == "self null":
            page.keyboard.press("Space")
        if seen[-1].startswith("atlas_a3"):
            page.keyboard.press("Enter")
        if seen[-1] == "Copy as Python":
            break
    assert seen[-1] == "Copy as Python", seen
    assert call(page)[0] == "atlas_a3"
    assert cards(page)["atlas_a3"] == (161001, "null-self")
    assert all(seen), seen


@pytest.mark.parametrize("name", some(6))
def test_it_fits_a_phone(visit: Visit, address: str, name: str) -> None:
    visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page = opened(visit, address, name)
    for preset in page.locator(".ask-choices select").first.locator("option").all()[1::3]:
        page.locator(".ask-choices select").first.select_option(preset.get_attribute("value"))
        page.locator(".ask-more[aria-expanded=false]").evaluate_all("buttons => buttons.forEach(one => one.click())")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert visit.wrong == []


def test_a_page_that_is_opened_as_a_file_answers(visit: Visit, site: Path) -> None:
    page = opened(visit, site.as_uri(), "prelu_backward")
    assert cards(page)["atlas_a2"] == (0, "")
    assert visit.wrong == []
