"""The site in a real browser: no error, no overflow, search, the switch of languages, the filters, accessibility."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

from aclspec import ops
from tests.support.operators import some

pytestmark = pytest.mark.all

pytest.importorskip("playwright.sync_api")
PHONE = {"width": 390, "height": 800}
DESK = {"width": 1280, "height": 800}
OPERATOR, MATRIX, HOME = "operators/prelu_backward.html", "support.html", "index.html"
LEFT_OUT = set(ops.names()) - set(some(5))  # pages of operators, at the small sizes
NOTICED = ("serious", "critical")
MOVED = 0.005  # of the window, by the distance: a button in the head of a page
SLOW_LINE = {"offline": False, "latency": 40, "downloadThroughput": 250_000, "uploadThroughput": 100_000}


class Visit:
    """A page of the browser that remembers what went wrong on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("console", lambda one: self.wrong.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: self.wrong.append(str(one)))
        page.on("response", lambda one: self.wrong.append(f"{one.status} {one.url}") if one.status >= 400 else None)

    def search(self, words: str) -> list[str]:
        """The addresses that a search finds."""
        self.page.fill(".md-search__input", words, force=True)
        self.page.wait_for_selector(".md-search-result__link", state="attached")
        found: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('.md-search-result__link')].map(one => one.getAttribute('href'))"
        )
        return found

    def found(self, query: str) -> list[str]:
        """The places that a search finds, below the folder of the language, without its box."""
        places: list[str] = self.page.evaluate(
            "query => aclspecSearch.find(aclspecSearch.index, query).map(one => one.location)", query
        )
        return places


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    page = browser.new_page(viewport=DESK)  # type: ignore[arg-type]
    page.set_default_timeout(20_000)
    yield Visit(page)
    page.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_loads_and_fits_a_phone(visit: Visit, address: str, site: Path, language: str) -> None:
    folder = site if language == "en" else site / "zh"
    found = [path for path in sorted(folder.rglob("*.html")) if not LEFT_OUT & {path.stem, path.parent.name}]
    names = [path.relative_to(site).as_posix() for path in found if language == "zh" or site / "zh" not in path.parents]
    assert len(names) > 30
    visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    wide = []
    for name in names:
        visit.page.goto(f"{address}/{name}", wait_until="load")
        if visit.page.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            wide.append(name)
    assert (visit.wrong, wide) == ([], [])


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_folded_rules_open_where_they_are_asked_for(visit: Visit, address: str, folder: str) -> None:
    """A link to a rule opens the group and the rule, and shows it below the header of the page."""
    page = visit.page
    page.goto(f"{address}/{folder}{OPERATOR}")
    check = "#rule-weight-numel"
    assert not page.locator(check).is_visible()
    page.goto(f"{address}/{folder}index.html")
    page.goto(f"{address}/{folder}{OPERATOR}{check}")
    page.wait_for_selector(".aclspec-ask[data-ready]")
    page.locator("details:has(> summary #rule-weight-numel) > p").last.wait_for(state="visible")
    page.wait_for_timeout(300)
    header, box = page.locator(".md-header").bounding_box(), page.locator(check).bounding_box()
    assert header is not None
    assert box is not None
    assert header["y"] + header["height"] <= box["y"] < DESK["height"] / 2
    page.locator(".aclspec-rule[open] a[href*='clauses.html#clause-']").first.click()
    page.wait_for_load_state()
    assert urlsplit(page.url).path.endswith("/operators/prelu_backward/clauses.html")
    assert page.locator("td [id^=clause-]").count() > 5
    assert visit.wrong == []


def test_rules_are_filtered_by_product_and_mode(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}/{OPERATOR}")
    rules = ops.get("prelu_backward").info.checks
    assert page.inner_text(".aclspec-rules output") == f"{len(rules)} of {len(rules)} rules"
    page.select_option(".aclspec-rules select[name=mode]", "library")
    left = [rule for rule in rules if "library" in dict(rule.status) or not rule.status]
    assert page.inner_text(".aclspec-rules output") == f"{len(left)} of {len(rules)} rules"
    assert page.locator(".aclspec-rule:not([hidden])").count() == len(left) < len(rules)
    assert visit.wrong == []


def test_printing_opens_what_is_folded(visit: Visit, address: str) -> None:
    visit.page.goto(f"{address}/{OPERATOR}")
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.locator("details.aclspec-fold:not([open])").count() > 20
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    visit.page.wait_for_function("!document.querySelector('details.aclspec-fold:not([open])')")
    assert visit.wrong == []


FIRST = {
    "en": {
        "maxpool2d": r"operators/max_pool\w*.html",
        "MaxPool2dWithMaskBackward": r"operators/max_pool2d_with_mask_backward.html",
        "bf16 max pool backward": r"operators/\w*max_pool\w*backward.html",
        "910B": r"products.html",
        "conv backward": r"operators/convolution_backward.html",
        "161002": r"status-codes.html.*",
        "ACLNN_ERR_PARAM_NULLPTR": r"status-codes.html#status-161001",
        "aclnnPreluBackward.weight-numel": r"operators/prelu_backward.html#rule-weight-numel",
        "Atlas 800T A2": r"products.html",
        "gradOutput": r"operators/.*",
        "prelu": r"operators/prelu.html",
    },
    "zh": {
        "反向 池化": r"operators/\w*pool\w*backward.html",
        "maxpool2d": r"operators/max_pool\w*.html",
        "MaxPool2dWithMaskBackward": r"operators/max_pool2d_with_mask_backward.html",
        "bf16 max pool backward": r"operators/\w*max_pool\w*backward.html",
        "910B": r"products.html",
        "卷积 反向": r"operators/convolution_backward.html",
        "161002": r"status-codes.html.*",
        "返回码": r"status-codes.html",
        "aclnnPreluBackward.weight-numel": r"operators/prelu_backward.html#rule-weight-numel",
        "310P": r"products.html",
    },
}


@pytest.mark.parametrize("language", FIRST)
def test_search_finds_the_right_page_first(visit: Visit, address: str, language: str) -> None:
    folder = "" if language == "en" else f"{language}/"
    visit.page.goto(f"{address}/{folder}index.html")
    links = [urlsplit(link) for link in visit.search("weight-numel")]
    assert any((one.path, one.fragment) == (f"/{folder}{OPERATOR}", "rule-weight-numel") for one in links)
    found = {query: "".join(visit.found(query)[:1]) for query in FIRST[language]}
    wrong = {query: place for query, place in found.items() if not re.fullmatch(FIRST[language][query], place)}
    assert wrong == {}
    assert visit.wrong == []


@pytest.mark.parametrize("name", [HOME, OPERATOR, MATRIX])
def test_the_switch_stays_on_the_page(visit: Visit, address: str, name: str) -> None:
    visit.page.goto(f"{address}/{name}")
    for language, expected in (("zh", f"/zh/{name}"), ("en", f"/{name}")):
        visit.page.hover(".md-select button")
        visit.page.click(f".md-select__link[hreflang={language}]")
        visit.page.wait_for_load_state()
        assert urlsplit(visit.page.url).path == expected
        assert visit.page.evaluate("document.documentElement.lang") == language
    assert visit.wrong == []


def rows(page: Page) -> list[str]:
    """The names of the operators that the table shows."""
    return texts(page, "tbody tr:not([hidden]) td:first-child")


def texts(page: Page, selector: str) -> list[str]:
    """The texts of all elements, in one question to the browser."""
    found: list[str] = page.evaluate(
        "selector => [...document.querySelectorAll(selector)].map(one => one.textContent.trim())", selector
    )
    return found


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_the_matrix_filters(visit: Visit, address: str, folder: str) -> None:
    page = visit.page
    page.goto(f"{address}/{folder}{MATRIX}")
    everything = rows(page)
    page.select_option("select[name=product]", "atlas_inference")
    page.select_option("select[name=dtype]", "BF16")
    assert rows(page) == []
    page.select_option("select[name=product]", "atlas_a2")
    some = rows(page)
    assert some
    heads = texts(page, "thead th:not([hidden])")
    assert heads[2:] == ["atlas_a2"]
    whole = texts(page, "tbody tr:not([hidden]) td:not([hidden])[data-set]")
    assert all("BF16" in text.split() for text in whole)  # the column that is chosen shows every dtype
    assert "product=atlas_a2" in page.url
    page.reload()
    assert rows(page) == some
    page.select_option("select[name=product]", "")
    page.select_option("select[name=dtype]", "")
    page.fill("input[name=name]", "prelub")
    assert rows(page) == ["aclnnPreluBackward"]
    page.fill("input[name=name]", "")
    assert rows(page) == everything
    assert visit.wrong == []


@pytest.mark.parametrize("name", [MATRIX, "operators/index.html", "signatures.html", "status-codes.html"])
def test_a_long_table_scrolls_below_its_head(visit: Visit, address: str, name: str) -> None:
    """The page stays short, and the head in view."""
    page = visit.page
    page.goto(f"{address}/{name}")
    assert page.evaluate("document.documentElement.scrollHeight") < 5000
    page.locator(".aclspec-scroll").evaluate(
        "box => { box.scrollIntoView({block: 'end'}); box.scrollTop = box.scrollHeight; }"
    )
    head = page.locator(".aclspec-filtered thead th").first.bounding_box()
    last = page.locator(".aclspec-filtered tbody tr").last.bounding_box()
    assert head is not None
    assert last is not None
    assert 0 < head["y"] < last["y"] < DESK["height"]
    assert visit.wrong == []


def test_a_support_row_is_one_line(visit: Visit, address: str) -> None:
    visit.page.goto(f"{address}/{MATRIX}")
    heights = visit.page.evaluate(
        "[...document.querySelectorAll('.aclspec-support tbody tr')].map(one => one.offsetHeight)"
    )
    assert max(heights) < 34


def test_a_signature_is_found_by_its_anchor(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}/signatures.html#einsum")
    row = page.locator("tr#einsum")
    row.locator("details[open] pre").wait_for()
    box, header = row.bounding_box(), page.locator(".md-header").bounding_box()
    assert box is not None
    assert header is not None
    assert header["height"] <= box["y"] < DESK["height"]
    page.fill("input[name=name]", "einsum")
    assert rows(page) == ["aclnnEinsum"]
    page.fill("input[name=name]", "")
    page.select_option("select[name=product]", "atlas_a2")
    shown = page.locator(".aclspec-filter output").inner_text()
    assert 0 < int(shown.split()[0]) < int(shown.split()[2])


def test_the_page_of_statuses_leads_from_a_code_to_a_form(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}/status-codes.html?code=561002#operators")
    assert 0 < len(rows(page)) < len(ops.names())
    page.goto(f"{address}/status-codes.html")
    page.fill("input[name=name]", "prelub")
    page.locator("tbody tr:not([hidden]) a", has_text="ask").click()
    page.wait_for_selector(".aclspec-ask[data-ready]")
    assert urlsplit(page.url).path == f"/{OPERATOR}"
    assert visit.wrong == []


def test_copied_code_has_no_prompts(visit: Visit, address: str) -> None:
    """Material copies what a block shows while it copies: neither prompts nor what a program prints."""
    page = visit.page
    for name in (OPERATOR, "guides/quickstart.html"):
        page.goto(f"{address}/{name}")
        copied = page.evaluate(
            """() => [...document.querySelectorAll("pre > code:has(.gp)")].map(code => {
                code.setAttribute("data-md-copying", "");
                const text = code.innerText;
                code.removeAttribute("data-md-copying");
                return text;
            })"""
        )
        assert copied
        assert [line for text in copied for line in text.splitlines() if re.match(r"(>>>|\.\.\.|\$) ", line)] == []


def test_the_list_of_operators_filters(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}/operators/index.html?category=Activation")
    infos = [ops.get(name).info for name in ops.names()]
    activations = [info for info in infos if info.category == "activation"]
    assert rows(page) == [info.name for info in activations]
    page.select_option("select[name=product]", "atlas_inference")
    left = [info.name for info in activations if "atlas_inference" in dict(info.products)]
    assert rows(page) == left
    assert len(left) < len(activations)
    assert page.inner_text(".aclspec-filter output").startswith(f"{len(left)} of ")


@pytest.mark.parametrize("name", [HOME, OPERATOR, f"zh/{MATRIX}", "signatures.html", "status-codes.html"])
def test_accessibility(browser: Browser, address: str, name: str, scheme: Any) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page = browser.new_page(viewport=DESK, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{address}/{name}")
    page.evaluate("document.querySelectorAll('tbody tr:nth-child(n + 12)').forEach(one => one.remove())")
    found = axe.run(page, options={"resultTypes": ["violations"]})["violations"]
    page.close()
    bad = [f"{one['id']}: {one['nodes'][0]['html']} ({len(one['nodes'])})" for one in found if one["impact"] in NOTICED]
    assert bad == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_moves_while_a_page_loads(browser: Browser, address: str, size: Any) -> None:
    """On a processor and a network that are slow, a browser shows a page in many parts: none moves another one."""
    page = browser.new_page(viewport=size)
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    slow.send("Network.emulateNetworkConditions", SLOW_LINE)
    page.set_default_timeout(120_000)
    moved = {}
    for name in (HOME, OPERATOR, MATRIX, f"{MATRIX}?dtype=BF16&product=atlas_a2", "operators/index.html"):
        page.goto(f"{address}/{name}", wait_until="networkidle")
        moved[name] = page.evaluate(
            """() => new Promise(done => {
                const found = [];
                const named = ({node}) => node ? node.outerHTML.slice(0, 80) : "";
                new PerformanceObserver(list => list.getEntries().forEach(one => {
                    found.push([one.value, one.sources.map(named)]);
                })).observe({type: "layout-shift", buffered: true});
                setTimeout(() => done(found), 300);
            })"""
        )
    page.close()
    assert {name: found for name, found in moved.items() if sum(value for value, _ in found) > MOVED} == {}


def test_a_page_opens_as_a_file(visit: Visit, site: Path) -> None:
    visit.page.goto(f"file://{site}/zh/{HOME}")
    assert any(link.endswith("#rule-weight-numel") for link in visit.search("weight-numel"))
    visit.page.goto(f"file://{site}/{MATRIX}")
    visit.page.fill("input[name=name]", "prelub")
    assert rows(visit.page) == ["aclnnPreluBackward"]
    visit.page.goto(f"file://{site}/404.html")
    visit.page.click("a[href='index.html']")
    assert visit.page.url == f"file://{site}/index.html"
    assert visit.wrong == []


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_a_missing_address_finds_what_it_seems_to_name(browser: Browser, address: str, folder: str) -> None:
    page = browser.new_page()
    missing = f"{address}/{folder}operator/prelu_backwards.html"
    page.route(missing, lambda route: route.fulfill(response=page.request.get(f"{address}/404.html")))
    page.goto(missing)
    page.locator("ol a").first.click()
    page.wait_for_load_state()
    assert page.url == f"{address}/{folder}{OPERATOR}"
    page.close()


def test_a_missing_address_leads_home(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.route("**/no/such/page.html", lambda route: route.fulfill(response=page.request.get(f"{address}/404.html")))
    page.goto(f"{address}/no/such/page.html")
    page.click("a >> nth=0")
    assert page.url == f"{address}/index.html"
    page.close()
