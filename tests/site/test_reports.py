"""The pages of reports in a browser: they fit a phone, are legible in light and dark, and show verdicts in colours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aclspec.cli.catalog import find
from aclspec.cli.main import main
from aclspec.codegen.reports.dry import page as dry_page
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.replay.dry import dry_run, read_seen
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import read
from aclspec.runtime.replay.summary import port, summarize
from tests.conform.test_report import foreign
from tests.replay.conftest import line, prelu, tensor, write
from tests.site.test_browser import DESK, NOTICED, PHONE

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["write"]
FRAME = {"file": "a/long/folder/of/a/program/model_of_many_layers.py", "line": 7, "function": "step"}


@pytest.fixture
def pages(write: Any, tmp_path: Path) -> dict[str, Path]:
    """A page of each report: of calls that some products refuse, that fail, and of results that disagree."""
    bf16 = {name: tensor(*shape, dtype="BF16") for name, shape in (("self", (4, 2)), ("weight", (2,)), ("out", (4, 2)))}
    calls = write(prelu(2), prelu(3, status=161002, python=FRAME), line("aclnnPrelu", bf16), line("aclnnOther", {}))
    found = {name: tmp_path / f"{name}.html" for name in ("replay", "dry", "conform")}
    main(["replay", str(calls), "--product", "all", "--backend", "numpy", "--html", str(found["replay"])])
    recording, judge = read([calls]), Judge(find)
    summary = summarize(recording, judge)
    port(summary, recording, judge, KEYS)
    dry = dry_run(summary, recording, read_seen(tmp_path / "none"), judge, 1 << 30)
    found["dry"].write_text(dry_page(dry, "en"), encoding="utf-8")
    results = foreign(tmp_path / "r.parquet", "")
    main(["conform", "report", str(results), "--against", str(results), "--html", str(found["conform"])])
    return found


def test_reports_fit_and_are_legible(browser: Browser, pages: dict[str, Path]) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    page = browser.new_page()
    wrong: list[tuple[Any, ...]] = []
    for name, path in pages.items():
        page.goto(path.as_uri())
        for size in (DESK, PHONE):
            page.set_viewport_size({"width": size["width"], "height": size["height"]})
            if page.evaluate("document.documentElement.scrollWidth") > size["width"]:
                wrong.append((name, size["width"], "wide"))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = axe.run(page, options={"resultTypes": ["violations"]})["violations"]
            wrong += [(name, scheme, one["nodes"][0]["html"]) for one in violations if one["impact"] in NOTICED]
    assert wrong == []
    page.goto(pages["replay"].as_uri())
    colours = page.evaluate("""() => Object.fromEntries(["works", "refused", "not-judged"].map(
        kind => [kind, getComputedStyle(document.querySelector(`b.is-${kind}`)).color]))""")
    assert len(set(colours.values())) == 3
    page.locator("section a").first.click()
    row = page.locator("tr:target")
    assert row.inner_text().startswith("aclnnPrelu")
    page.close()
