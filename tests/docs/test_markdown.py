"""Plain text as Markdown comes out of the renderer as it went in."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import markdown  # type: ignore[import-untyped]
import pytest

from aclspec.codegen.render.manual.markdown import MARKDOWN, code, escaped
from aclspec.codegen.render.manual.prose import Prose
from aclspec.runtime.rules.sentences import NAME_MARK

EXTENSIONS = ["attr_list", "md_in_html", "tables", "pymdownx.arithmatex", "pymdownx.superfences"]
TEXTS = [
    "2 * padding[1] (2 * 2 = 4) is at most kernel[1], and a * b",
    "The shape of x is [the channel count of x](1, 2).",
    "a | b || c",
    "x <b>bold</b> & y < 3 > 2",
    "_emphasis_ and __strong__ and snake_case",
    "$5 and $6, $$x$$ and \\(y\\) \\[z\\]",
    "# not a heading",
    "~~gone~~ {: #id} {x} `code`",
    "1 < 2 的 形状 (2,)。",
]


def shown(text: str) -> str:
    html = markdown.markdown(f"| head |\n|---|\n| {text} |\n", extensions=EXTENSIONS)
    cell = ET.fromstring(f"<page>{html}</page>").find(".//td")
    assert cell is not None
    return "".join(cell.itertext())


@pytest.mark.parametrize("text", TEXTS)
def test_escaped_text_is_shown_unchanged(text: str) -> None:
    assert shown(escaped(text)) == text


@pytest.mark.parametrize("text", TEXTS)
def test_prose_marks_names_and_nothing_else(text: str) -> None:
    marked = text.replace("x", f"{NAME_MARK}x").replace("padding", f"{NAME_MARK}padding")
    assert shown(Prose(["padding", "x"], "en", MARKDOWN)(marked)).replace("`", "") == text.replace("`", "")


def test_names_become_code() -> None:
    prose = Prose(["self", "gradOutput", "mean"], "en", MARKDOWN)
    assert prose(f"The mean of {NAME_MARK}mean[i] is that of {NAME_MARK}self, not self.") == (
        "The mean of `mean[i]` is that of `self`, not self."
    )
    assert prose(f"{NAME_MARK}gradOutput的形状") == "`gradOutput`的形状"
    assert prose(f"{NAME_MARK}kernel[{NAME_MARK}dim + 1] is 2") == "`kernel[dim + 1]` is 2"
    assert prose.written("The mean of gradOutput, and `mean` itself.") == "The mean of `gradOutput`, and `mean` itself."


def test_a_chinese_text_has_no_word_that_only_looks_like_a_name() -> None:
    assert Prose(["input"], "zh", MARKDOWN).written("对 input 的梯度") == "对 `input` 的梯度"
    assert Prose(["input"], "en", MARKDOWN).written("The input itself.") == "The input itself."


def test_code_may_hold_backticks() -> None:
    assert code("a`b") == "`` a`b ``"
