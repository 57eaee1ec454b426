"""The form of an operator's page: its cards in order, its address, what a failed paste says, focus and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("playwright.sync_api")
OPERATOR = "operators/prelu_backward.html"
READY = ".ask-card[data-kind]"
CARDS = "[...document.querySelectorAll('.ask-card')].map(one => one.dataset.product)"
WRONG = "#ask/atlas_training?gradOutput=bfloat16[4,2]&self=bfloat16[4,2]&weight=bfloat16[3]"


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(20_000)
    page.goto(f"{address}/{OPERATOR}")
    page.wait_for_selector(READY)
    yield page
    page.close()


def at(page: Page, address: str, call: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}/{OPERATOR}{call}")
    page.wait_for_selector(READY)


def test_the_chosen_card_is_first_and_equal_ones_stand_together(page: Page, address: str) -> None:
    assert page.evaluate(CARDS)[0] == "atlas_a2"
    at(page, address, WRONG)
    cards = page.evaluate(CARDS)
    assert cards[0] == "atlas_training"
    alike = page.locator(".ask-alike").evaluate_all("cards => cards.map(one => one.dataset.product)")
    assert {"atlas_a3", "ascend_950"} < set(alike) | {"atlas_a2"}
    first = page.locator(".ask-card[data-product=atlas_a2]")
    assert first.locator(".ask-reason").first.is_visible()
    assert page.locator(".ask-card[data-product=atlas_a3] .ask-as").inner_text() == "as atlas_a2"
    assert not page.locator(".ask-card[data-product=atlas_a3] .ask-body").is_visible()
    page.locator(".ask-card[data-product=atlas_a3] .ask-product").click()
    assert page.evaluate(CARDS)[0] == "atlas_a3"
    assert page.evaluate("document.activeElement.closest('.ask-card').dataset.product") == "atlas_a3"
    assert page.locator(".ask-card[data-product=atlas_a3] .ask-body").is_visible()


def test_the_address_follows_the_form(page: Page) -> None:
    assert "#" not in page.url
    page.locator("[data-param=weight] .ask-shape").fill("3")
    page.wait_for_url(lambda address: "weight=float32%5B3%5D" in address)
    before = page.locator(".ask-cards").inner_text()
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("[data-param=weight] .ask-shape").input_value() == "3"
    assert page.locator(".ask-cards").inner_text().split("fix")[0] == before.split("fix")[0]


def test_a_failed_paste_leaves_no_verdict(page: Page) -> None:
    kinds = "[...document.querySelectorAll('.ask-card')].map(one => one.dataset.kind ?? '')"
    paste = page.locator(".ask-paste")
    before = page.evaluate(kinds)
    assert "works" in before
    paste.fill("aclnnConvolutionGetWorkspaceSize(self=FLOAT[4]:ND)")
    page.locator(".ask-paste[aria-invalid]").wait_for()
    assert set(page.evaluate(kinds)) == {""}
    assert all(text.endswith("?") for text in page.locator(".ask-product").all_inner_texts())
    paste.fill("")
    page.wait_for_selector(READY)
    assert page.evaluate(kinds) == before
    assert page.locator(".ask-paste[aria-invalid]").count() == 0


def test_the_focus_stays_after_a_fix_is_applied(page: Page, address: str) -> None:
    at(page, address, WRONG.replace("atlas_training", "atlas_a2"))
    apply = page.locator(".ask-card[data-product=atlas_a2] .ask-apply").first
    apply.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".ask-card[data-product=atlas_a2][data-kind=works]")
    assert page.evaluate("document.activeElement.closest('.ask-card')?.dataset.product") == "atlas_a2"


def test_every_control_of_the_form_has_a_name_of_its_own(page: Page, address: str) -> None:
    at(page, address, WRONG)
    page.wait_for_selector(".ask-apply")
    names = page.locator(".aclspec-ask").aria_snapshot().splitlines()
    controls = [line.strip() for line in names if line.strip().startswith(("- button", "- checkbox", "- combobox"))]
    heads = [line.partition(":")[0].removesuffix(" [checked]") for line in controls]
    assert len(heads) > 20
    assert len(heads) == len(set(heads))


def test_the_call_is_copied_as_cpp(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as C++").click()
    page.locator(".ask-noted", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "aclnnPreluBackwardGetWorkspaceSize(" in copied
    page.locator("[data-param=weight] .ask-shape").fill("3")
    page.locator(".ask-paste").fill(copied)
    page.locator(".ask-notice", has_text="filled in").wait_for()
    assert page.locator("[data-param=weight] .ask-shape").input_value() == "2"


def test_the_strip_leads_to_the_forward_operator_and_the_contents_to_each_part(page: Page) -> None:
    strip = page.locator(".aclspec-strip").inner_text()
    assert all(word in strip for word in ("atlas_a2", "computed", "aclnnPrelu"))
    links = page.locator(".aclspec-contents a").evaluate_all("all => all.map(one => one.getAttribute('href').slice(1))")
    assert links == page.locator("article h2").evaluate_all("all => all.map(one => one.id)")
    page.locator(".aclspec-strip a", has_text="aclnnPrelu").click()
    page.wait_for_load_state()
    assert page.url.endswith("/operators/prelu.html")


def test_a_name_breaks_between_its_words(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{address}/operators/flash_attention_score.html")
    page.wait_for_selector(READY)
    name = page.locator("[data-param=realShiftOptional] .ask-name")
    assert name.evaluate("one => [...one.childNodes].map(node => node.nodeName)") == ["#text", "WBR"] * 2 + ["#text"]
    null = page.locator("[data-param=paddingMaskOptional]")
    assert null.locator("input[type=checkbox]").is_visible()
    assert not null.locator(".ask-shape").is_visible()
    top = page.locator(".ask-form").bounding_box()
    assert top is not None
    assert top["y"] < 900
    page.close()
