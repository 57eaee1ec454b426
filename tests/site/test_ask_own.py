"""The form for an operator of one's own, with a parameter of every type, in a page without the site around it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.files import library, render_tables
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.interpreter import INFERRED, evaluate
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.rules.sentences import failure
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from tests.site.test_ask import ANSWERED, call, cards, sentences
from tests.site.test_browser import Visit

pytestmark = pytest.mark.all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SPECS = Path(__file__).parents[1] / "pipeline/specs"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>any</title>
<div class="aclspec-ask" data-op="any" data-lang="en"></div><script src="ask.js"></script></html>"""


@pytest.fixture(scope="module")
def info() -> OperatorInfo:
    return load_project(SPECS).operators[0].info


@pytest.fixture(scope="module")
def page_of_any(info: OperatorInfo, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    project = load_project(SPECS)
    target = target_of(project, "wild.ops")
    files = library() | {"tables.js": render_tables(project), "page.html": PAGE}
    files["operators/any.js"] = render_operator_script(info, target)
    (folder / "operators").mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return (folder / "page.html").as_uri()


def expected(info: OperatorInfo, given: dict[str, Any]) -> tuple[str, list[str]]:
    """The deciding rule and the sentences on atlas_a2: those of the library where it refuses the call."""
    values = {param.name: INFERRED if param.direction == "out" else None for param in info.params} | given
    modes: tuple[Mode, ...] = ("library", "document")
    reports = {mode: evaluate(info, values, "atlas_a2", mode) for mode in modes}
    mode: Mode = "library" if reports["library"].first else "document"
    told = [failure(info, info.rule(rule), values, "atlas_a2", mode) for rule in reports[mode].failing]
    return reports[mode].first or "", told


def shown(page: Page) -> tuple[str, list[str]]:
    return cards(page)["atlas_a2"][1], sentences(page, "atlas_a2")


def test_every_kind_of_field(browser: Browser, info: OperatorInfo, page_of_any: str) -> None:
    page = browser.new_page()
    visit = Visit(page)
    page.goto(page_of_any)
    page.wait_for_selector(".ask-card")
    assert cards(page) == {}  # a number is still missing
    given: dict[str, Any] = {"self": None, "max": 5, "len": (1, 0), "library": float("nan"), "kind": DType.FLOAT16}
    given |= {"mode": "sum", "keep": False, "lambda": None, "min": None, "input": None, "stride": None}
    page.get_by_label("value of max", exact=True).select_option("...")
    page.get_by_label("other value of max").fill("5")
    page.locator("[data-param=len] .ask-check input").uncheck()
    page.get_by_label("value of len", exact=True).fill("1,0")
    page.get_by_label("value of library", exact=True).fill("nan")
    page.get_by_label("value of kind", exact=True).select_option("FLOAT16")
    page.wait_for_selector(ANSWERED)
    assert shown(page) == expected(info, given)
    for name in ("self", "lambda", "min", "mode"):
        page.locator(f"[data-param={name}] .ask-check input").set_checked(name == "mode")
    page.get_by_label("dtype of self").select_option("FLOAT")
    page.get_by_label("shape of self").fill("2,3")
    page.get_by_label("value of lambda", exact=True).fill("float32[2,3]; int8[2]")
    page.get_by_label("value of min", exact=True).fill("1:float32")
    page.get_by_label("value of keep", exact=True).select_option("true")
    self_, int8 = (Tensor(shape=shape, dtype=dtype) for shape, dtype in (((2, 3), "float32"), ((2,), "int8")))
    given |= {"self": self_, "lambda": (self_, int8), "min": Scalar(1, DType.FLOAT), "mode": None, "keep": True}
    assert shown(page) == expected(info, given)
    assert page.get_by_label("shape of outputs").input_value() == "2,1"
    product, texts = call(page)
    assert (product, texts["min"], texts["mode"]) == ("atlas_a2", "1:float32", "null")
    code = page.locator(".ask-code").text_content() or ""
    compile(code, "<copied>", "exec")
    assert "import wild.ops as ops" in code
    assert 'lambda_=[Tensor.parse("float32[2,3]"), Tensor.parse("int8[2]")]' in code
    assert "min=Scalar(1.0, DType.FLOAT)" in code
    assert 'library=float("nan")' in code
    assert visit.wrong == []
    page.close()
