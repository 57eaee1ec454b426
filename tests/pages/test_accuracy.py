"""The page of accuracy: its figures are those of the operators as they are, and each is the dtype's own error."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.pages.accuracy import FIGURES, accuracy
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from tests.benchmarks.accuracy import Row, measure, measured

TOP = Path(__file__).parents[2]
STALE = "python -m tests.benchmarks.accuracy writes site/data/accuracy.json anew."


@pytest.fixture(scope="module")
def written() -> list[Row]:
    """What was measured last, and stands on the page."""
    figures: dict[str, Any] = json.loads((TOP / FIGURES).read_text(encoding="utf-8"))
    return [Row(**row) for row in figures["rows"]]


def kind(row: Row) -> tuple[Any, ...]:
    return row.operator, tuple(row.dtypes), tuple(row.roles.items())


@pytest.mark.parametrize("name", measured())
def test_the_page_has_the_errors_of_every_operator(name: str, written: list[Row]) -> None:
    """The first of the calls that were measured for the page are made again."""
    operator = ops.get(name)
    shown = {kind(row): row for row in written if row.operator == operator.name}
    found = measure(operator, 6)
    assert {product for row in shown.values() for product in row.errors} == {
        product for row in operator.info.rows if "document" in row.modes for product in row.products
    }, STALE
    for row in found:
        assert kind(row) in shown, STALE
        page = shown[kind(row)]
        assert row.errors.keys() <= page.errors.keys(), STALE
        assert all(error <= 1.01 * page.errors[product] + 2.0**-26 for product, error in row.errors.items()), STALE


def test_every_error_is_that_of_a_dtype_that_the_call_goes_through(written: list[Row]) -> None:
    """The terms of a sum can cancel, so that an error is large beside it; tests/kernels has the bound of each."""
    for row in written:
        names = {*row.dtypes, *row.roles.values()}
        coarsest = max(2.0**-12 if name == "HFLOAT32" else unit_roundoff(DType[name]) for name in names)
        assert all(error < 32 * coarsest for error in row.errors.values()), row
        if names == {"FLOAT"} and "Max" not in row.operator:
            assert any(error > 0 for error in row.errors.values()), row


def test_the_page_has_every_operator_that_is_measured_and_no_other(written: list[Row]) -> None:
    assert {row.operator for row in written} == {ops.get(name).name for name in measured()}, STALE


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_shows_every_figure(lang: Lang, written: list[Row]) -> None:
    text = accuracy(lang, TOP)
    for name in measured():
        assert f"[`{ops.get(name).name}`](operators/{name}.md)" in text
    cells = re.findall(r"\| (\d\.\de[-+]\d\d|0)(?= \|)", text)
    assert len(cells) == sum(len(row.errors) for row in written)


def test_a_checkout_without_figures_says_how_to_make_them(tmp_path: Path) -> None:
    assert "make bench" in accuracy("en", tmp_path)
