"""The tables over all operators: cells stand for sets, which are told once."""

from __future__ import annotations

import json
import re

import pytest

from aclspec.codegen.pages.indexes import FEW_RULES, Sets, render_indexes
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.runtime.abi.products import KEYS
from tests.support.project import own_project

ROW = re.compile(r"<tr><td><a href=\"operators/(\w+)\.html.*?</tr>")
CELL = re.compile(r"<td(?: data-set=\"(\d+)\")?>(.*?)</td>")


def test_a_set_is_told_once() -> None:
    sets = Sets()
    assert sets.cell(["FLOAT", "BF16*"], "fp32 <i>bf16</i>") == '<td data-set="0">fp32 <i>bf16</i></td>'
    assert sets.cell(["FLOAT"], "fp32") == '<td data-set="1">fp32</td>'
    assert sets.cell(["FLOAT", "BF16*"], "fp32 <i>bf16</i>") == '<td data-set="0">fp32 <i>bf16</i></td>'
    assert json.loads(sets.json) == [["FLOAT", "BF16*"], ["FLOAT"]]


@pytest.mark.parametrize("lang", LANGS)
def test_the_support_page_says_every_dtype_of_every_product(lang: Lang) -> None:
    page = render_indexes(own_project())[f"{lang}/support.md"]
    sets = json.loads(page.partition('<script type="application/json">')[2].partition("</script>")[0])
    rows = {found[1]: CELL.findall(found[0])[2:] for found in ROW.finditer(page)}
    assert len(rows) == len(own_project().operators)
    for operator in own_project().operators:
        info = operator.info
        for key, (place, short) in zip(KEYS, rows[info.snake], strict=True):
            taken = {one for row in info.rows if key in row.products for _, cell in row.cells for one in cell}
            shown = {name.rstrip("*") for name in sets[int(place)]} if place else set()
            assert shown == taken, (info.name, key)
            words = re.sub("</?i>", "", short).split()
            more = int(words.pop()) if words[-1].startswith("+") else 0
            assert (words == ["-"]) if not taken else (len(words) + more == len(taken))


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_of_statuses_leads_to_forms_and_rules(lang: Lang) -> None:
    project = own_project()
    page = render_indexes(project)[f"{lang}/status-codes.md"]
    assert page.index("{: #what-to-do}") < page.index("{: #operators}") < page.index("{: #status-161002}")
    for operator in project.operators:
        assert f'href="operators/{operator.info.snake}.html#ask"' in page
    for section in page.split("\n## ")[4:]:
        listed = section.count("\n- [`aclnn")
        assert listed <= FEW_RULES
    assert len(page.encode()) < 250_000


@pytest.mark.parametrize("lang", LANGS)
def test_every_category_says_what_its_operators_do(lang: Lang) -> None:
    page = render_indexes(own_project())[f"{lang}/operators/index.md"]
    items = re.findall(r'<li><a href="index\.html\?category=.*?</li>', page)
    assert len(items) == len({one.info.category for one in own_project().operators})
    assert all(item.count("<span") == 2 for item in items)
    assert sum(int(count) for count in re.findall(r'aclspec-count">(\d+)<', page)) == len(own_project().operators)
