""" "Would this call work?" in a browser: it says what Python says, its link and its code give the call again."""

from __future__ import annotations

import re
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

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LANGUAGES = ["en", "zh"]
ANSWERED = ".ask-card[data-kind]"
PRESETS = ".ask-choices select"


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


def cards(page: Page) -> dict[str, tuple[str, str]]:
    """The answer and the deciding rule of every product, as the page shows them."""
    found = page.evaluate(
        """selector => [...document.querySelectorAll(selector)].map(card =>
            [card.dataset.product, card.querySelector(".ask-verdict")?.textContent ?? "null", card.dataset.rule])""",
        ANSWERED,
    )
    return {str(product): (str(answer), str(rule)) for product, answer, rule in found}


def call(page: Page) -> tuple[str, dict[str, str]]:
    """The product and the texts of the arguments, as the link carries them."""
    link = urlsplit(str(page.get_attribute(".ask-link", "href"))).fragment
    head, _, query = link.partition("?")
    _, product = head.split("/")
    return product, dict(parse_qsl(query, keep_blank_values=True))


def explained(name: str, texts: dict[str, str], lang: Any = "en") -> Explanation:
    """What Python says about the texts of a call, read as the command line reads them."""
    info = ops.get(name).info
    given: Any = {key: values.parse(info.param(key), text) for key, text in texts.items()}
    return ops.get(name).explain(**given, product="all", lang=lang)


def verdicts(explanation: Explanation) -> dict[str, tuple[str, str]]:
    return {
        product: (verdict.answer, (verdict.deciding.rule or "").rpartition(".")[2])
        for product, verdict in explanation.items()
    }


def sentences(page: Page, product: str) -> list[str]:
    """The reasons in the card of a product, without the links behind them."""
    found: list[str] = page.evaluate(
        "selector => [...document.querySelectorAll(selector)].map(one => one.firstChild.textContent)",
        f".ask-card[data-product={product}] .ask-reason",
    )
    return found


def reasons(explanation: Explanation, product: str) -> list[str]:
    return [one.sentence for one in explanation[product].deciding.violations]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", some(2))
def test_the_page_says_what_python_says(visit: Visit, address: str, name: str, language: str) -> None:
    """For every call that the form can start from, in every card; tests/ask has many more calls without a browser."""
    page = opened(visit, address, name, language)
    assert set(verdicts(explained(name, call(page)[1])).values()) & {("works", "")}  # the form starts with a good call
    for preset in page.locator(PRESETS).first.locator("option").all()[1:]:
        page.locator(PRESETS).first.select_option(preset.get_attribute("value"))
        _, texts = call(page)
        explanation = explained(name, texts, language)
        assert cards(page) == verdicts(explanation), texts
        for product in explanation:
            assert sentences(page, product) == reasons(explanation, product), texts
    assert visit.wrong == []


def test_the_link_gives_the_call_again(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    page.get_by_label("shape of self").fill("2,3,4")
    page.get_by_label("dtype of weight").select_option("BF16")
    page.locator("[data-param=gradInput] .ask-check input").first.uncheck()
    page.locator("[data-param=gradOutput] .ask-more").click()
    page.get_by_label("strides of gradOutput").fill("1,4")
    page.click(".ask-card[data-product=atlas_training] .ask-product")
    product, texts = call(page)
    shown = (cards(page), sentences(page, product))
    assert product == "atlas_training"
    assert texts["gradOutput"] == "float32[4,2]:strides=1,4"
    assert "gradInput" in texts
    link = f"#{urlsplit(str(page.get_attribute('.ask-link', 'href'))).fragment}"
    for again in (link, link.replace("atlas_training", "atlas_training/library")):  # as older links are
        page.goto("about:blank")
        other = opened(visit, address, "prelu_backward", link=again)
        assert call(other) == (product, texts)
        assert (cards(other), sentences(other, product)) == shown
    assert verdicts(explained("prelu_backward", texts)) == shown[0]
    assert page.get_by_label("strides of gradOutput").is_visible()
    assert visit.wrong == []


def test_one_control_sets_every_dtype_and_names_go_by_aliases(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    control = page.get_by_label("dtype of all tensors")
    control.fill("bf16")
    control.press("Tab")
    _, texts = call(page)
    assert {texts[name].partition("[")[0] for name in ("gradOutput", "self", "weight")} == {"bfloat16"}
    assert cards(page)["atlas_training"][0].startswith("CANN refuses this with 161002")
    control.fill("bf17")
    control.press("Tab")
    assert page.inner_text(".ask-notice") == "The dtype (bf17) is unknown."
    product = page.get_by_label("Product", exact=True)
    product.fill("910B")
    product.press("Tab")
    assert page.inner_text(".ask-notice") == "910B means atlas_a2 here; a SoC of atlas_training has that name."
    assert call(page)[0] == "atlas_a2"
    product.fill("910")
    product.press("Tab")
    assert "is ambiguous" in page.inner_text(".ask-notice")
    assert visit.wrong == []


def test_a_pasted_line_fills_the_form(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    line = "aclnnPreluBackwardGetWorkspaceSize(gradOutput=FLOAT[4, 2]:ND, self=FLOAT[4, 2]:ND, weight=FLOAT[3]:ND, "
    page.get_by_label("Paste a call").fill(f"{line}gradInput=?, gradWeight=?)")
    page.wait_for_function("document.querySelector('.ask-notice').textContent")  # the parser is loaded now
    assert page.inner_text(".ask-notice") == "3 arguments filled in."
    assert call(page)[1]["weight"] == "float32[3]:ND"
    assert cards(page)["atlas_a2"][1] == "weight-numel"
    page.get_by_label("Paste a call").fill("nothing of the kind")
    page.wait_for_function("document.querySelector('.ask-paste').ariaInvalid === 'true'")
    assert "is neither a line" in page.inner_text(".ask-notice").replace("The text is neither", "is neither")
    assert visit.wrong == []


def test_what_the_spec_lists_is_a_choice_and_other_values_can_be_given(visit: Visit, address: str) -> None:
    page = opened(visit, address, "convolution_backward")
    choice = page.locator("[data-param=cubeMathType] select")
    assert [one.get_attribute("value") for one in choice.locator("option").all()] == ["0", "1", "2", "3", "..."]
    choice.select_option("...")
    page.get_by_label("other value of cubeMathType").fill("9")
    assert call(page)[1]["cubeMathType"] == "9"
    assert cards(page)["atlas_a2"][1] == "value-cube-math-type"
    assert visit.wrong == []


def test_passing_rules_are_folded(visit: Visit, address: str) -> None:
    page = opened(visit, address, "prelu_backward")
    assert page.locator(".ask-table").count() == 0
    page.locator(".ask-all > summary").click()
    page.wait_for_selector(".ask-table")
    assert page.locator(".ask-table tbody tr").count() == len(ops.get("prelu_backward").info.checks)
    assert visit.wrong == []


@pytest.mark.parametrize("name", some(2))
def test_the_python_code_says_the_same(
    visit: Visit, address: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened(visit, address, name)
    page.locator(PRESETS).first.select_option("1")
    page.get_by_role("button", name="Copy as Python").click()
    page.wait_for_function("document.querySelector('.ask-noted').textContent === 'Copied.'")
    code = page.evaluate("navigator.clipboard.readText()")
    scope: dict[str, Any] = {}
    exec(compile(code, "<copied>", "exec"), scope)
    product, _ = call(page)
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
    """From the top of the page the form is within ten tabs; then a null, another product, the code, by Tab alone."""
    page = opened(visit, address, "prelu_backward")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skips to the content
    reached = False
    for _ in range(10):
        page.keyboard.press("Tab")
        reached = reached or page.evaluate("document.activeElement.closest('.aclspec-ask') !== null")
    assert reached
    page.locator(PRESETS).first.focus()
    seen = []
    for _ in range(70):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(document.activeElement.closest('[data-param]')?.dataset.param ?? '') + ' ' +"
            " (document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent)"
        )
        seen.append(str(name).strip())
        if seen[-1] == "self null":
            page.keyboard.press("Space")
        if re.match(r"\W*atlas_a3", seen[-1]):  # a card that says the same as another names that one, too
            page.keyboard.press("Enter")
        if seen[-1] == "Copy as Python":
            break
    assert seen[-1] == "Copy as Python", seen
    assert call(page)[0] == "atlas_a3"
    assert cards(page)["atlas_a3"][1] == "null-self"


@pytest.mark.parametrize("name", some(2))
def test_it_fits_a_phone_with_the_answer_in_view(visit: Visit, address: str, name: str) -> None:
    visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page = opened(visit, address, name)
    for preset in page.locator(PRESETS).first.locator("option").all()[1::3]:
        page.locator(PRESETS).first.select_option(preset.get_attribute("value"))
        page.locator(".ask-more[aria-expanded=false]").evaluate_all("buttons => buttons.forEach(one => one.click())")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.locator(".ask-field").first.scroll_into_view_if_needed()
        box = page.locator(".ask-card.ask-chosen").bounding_box()
        assert box is not None
        assert 0 <= box["y"] < PHONE["height"] - 30
        assert 0 <= box["x"] < PHONE["width"] / 2
    assert visit.wrong == []


def test_a_page_that_is_opened_as_a_file_answers(visit: Visit, site: Path) -> None:
    page = opened(visit, site.as_uri(), "prelu_backward")
    assert cards(page)["atlas_a2"] == ("works", "")
    assert visit.wrong == []


def test_a_card_says_what_to_change_and_changes_it(visit: Visit, address: str) -> None:
    """Every card has the fixes of Python; one of them, applied, makes the call work on its product."""
    page = opened(visit, address, "prelu_backward")
    page.get_by_label("dtype of all tensors").fill("bf16")
    page.get_by_label("dtype of all tensors").press("Tab")
    page.get_by_label("shape of weight").fill("3")
    refused = page.locator(".ask-card:not(.ask-is-works)")
    assert refused.count() == len(cards(page))
    page.wait_for_function(
        "count => document.querySelectorAll('.ask-body[data-fixes]').length === count", arg=refused.count()
    )
    _, texts = call(page)
    for product, verdict in explained("prelu_backward", texts).items():
        found = page.locator(f".ask-card[data-product={product}] .ask-fix > span").all_text_contents()
        assert found == [f"fix: {fix.sentence}" for fix in verdict.fixes], product
    page.locator(".ask-card[data-product=atlas_a2] .ask-apply").first.click()
    assert call(page)[1]["weight"] == "bfloat16[2]:ND"
    assert cards(page)["atlas_a2"] == ("works", "")
    assert page.locator(".ask-card[data-product=atlas_a2] .ask-fix").count() == 0
    assert visit.wrong == []


def test_typing_does_not_wait_for_fixes(visit: Visit, address: str) -> None:
    page = opened(visit, address, "convolution_backward")
    page.evaluate("""() => {
        globalThis.longest = 0;
        const note = (list) => list.getEntries().forEach((one) => (longest = Math.max(longest, one.duration)));
        new PerformanceObserver(note).observe({ entryTypes: ["longtask"] });
    }""")
    page.get_by_label("shape of weight").fill("4,4,3,7")
    page.wait_for_timeout(200)
    page.evaluate("globalThis.longest = 0")  # the answer itself
    page.wait_for_function("document.querySelectorAll('.ask-body[data-fixes]').length > 2")
    assert page.evaluate("longest") < 400
    assert visit.wrong == []
