"""The box of the search in a browser: when its list opens and closes, and what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("playwright.sync_api")
BOX = ".md-search__input"
LIST = ".md-search__output"


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(20_000)
    page.goto(f"{address}/index.html")
    yield page
    page.close()


def is_open(page: Page) -> bool:
    return bool(page.evaluate("document.getElementById('__search').checked")) and page.locator(LIST).is_visible()


def test_the_tab_key_alone_opens_nothing(page: Page) -> None:
    for _ in range(15):
        page.keyboard.press("Tab")
        assert not is_open(page)
        if page.evaluate(f"document.activeElement.matches('{BOX}')"):
            break
    assert page.evaluate(f"document.activeElement.matches('{BOX}')")
    page.keyboard.press("Tab")
    assert not is_open(page)
    assert not page.evaluate("Boolean(document.activeElement.closest('.md-search__output'))")


@pytest.mark.parametrize("key", ["a", "ArrowDown"])
def test_typing_and_the_arrow_open_the_list(page: Page, key: str) -> None:
    page.focus(BOX)
    assert not is_open(page)
    page.keyboard.press(key)
    assert is_open(page)


def test_the_list_closes_when_the_focus_leaves(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("prelu")
    page.wait_for_selector(".md-search-result__link")
    assert is_open(page)
    page.keyboard.press("ArrowDown")
    assert is_open(page)
    page.locator("article a").first.focus()
    assert not is_open(page)


def test_a_result_says_what_kind_of_page_it_is(page: Page) -> None:
    page.fill(BOX, "bf16 310P")
    page.wait_for_selector(".md-search-result__link")
    first = page.locator(".md-search-result__link").first
    assert first.locator(".aclspec-kind").inner_text() == "Support"
    count = first.locator("h2").inner_text().split(":")[1].split()[0]
    first.click()
    page.wait_for_selector(".aclspec-filter output:not(:empty)")
    assert page.input_value("select[name=product]") == "atlas_inference"
    assert page.locator(".aclspec-support tbody tr:not([hidden])").count() == int(count)
