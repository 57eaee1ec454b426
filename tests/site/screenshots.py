"""Pictures of the same pages of a built site, for the eye: three widths, light and dark, both languages.

.venv/bin/python -m tests.site.screenshots --site build/site --out DIR
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDERS = {"en": "", "zh": "zh/"}
WIDTHS = (1440, 768, 390)
HEIGHT = 900
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WHOLE = {
    "home": "index.html",
    "convolution": "operators/convolution_backward.html",
    "prelu": "operators/prelu_backward.html",
    "speed": "speed.html",
}
IN_VIEW = {"form": f"{WHOLE['prelu']}#ask", "rule": f"{WHOLE['prelu']}#rule-weight-numel"}
QUERY = {"en": "bf16 max pool backward", "zh": "反向 池化"}


def pictures(page: Page, site: str, lang: str) -> Iterator[tuple[str, bytes]]:
    """The pictures of one language by name: whole pages, and what is in view of the form, of a rule and of a search."""
    for name, path in WHOLE.items():
        page.goto(f"{site}/{FOLDERS[lang]}{path}")
        page.wait_for_timeout(300)
        yield name, whole(page)
    for name, path in IN_VIEW.items():
        page.goto(f"{site}/{FOLDERS[lang]}{path}")
        page.wait_for_timeout(500)
        yield name, page.screenshot()
    page.goto(f"{site}/{FOLDERS[lang]}{WHOLE['home']}")
    search = page.locator(".md-search__input")
    if not search.is_visible():
        page.locator(".md-header label[for=__search]").first.click()
    search.fill(QUERY[lang])
    page.wait_for_selector(".md-search-result__link")
    page.wait_for_timeout(500)
    yield "search", page.screenshot()


def whole(page: Page) -> bytes:
    """The whole page in a window as high as it: Chromium's own picture of one scrolls what scrolls inside of it."""
    assert page.viewport_size is not None
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    page.set_viewport_size({"width": width, "height": page.evaluate("document.documentElement.scrollHeight")})
    page.wait_for_timeout(200)
    picture = page.screenshot()
    page.set_viewport_size({"width": width, "height": height})
    return picture


def main() -> None:
    """Write every picture as PNG."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for lang, width, scheme in product(FOLDERS, WIDTHS, SCHEMES):
            page = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme)
            for name, picture in pictures(page, given.site.resolve().as_uri(), lang):
                (given.out / f"{name}-{lang}-{width}-{scheme}.png").write_bytes(picture)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
