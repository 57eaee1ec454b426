"""The generated pages for a code host: short, valid Markdown, with a line for each parameter and each check."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import markdown  # type: ignore[import-untyped]
import pytest

from aclspec import ops
from aclspec.runtime.rules.sentences import requirement

FOLDER = Path(__file__).parents[2] / "generated/docs/en"
MEAN, LONGEST = 63, 300


def page(name: str) -> str:
    return (FOLDER / f"operators/{name}.md").read_text(encoding="utf-8")


def test_pages_are_short() -> None:
    lines = [page(name).count("\n") for name in ops.names()]
    assert sum(lines) <= MEAN * len(lines)
    assert max(lines) <= LONGEST
    assert sorted(path.stem for path in FOLDER.glob("operators/*")) == sorted(ops.names())


@pytest.mark.parametrize("name", ops.names())
def test_a_page_has_every_parameter_and_every_check(name: str) -> None:
    info = ops.get(name).info
    text = page(name)
    root = ET.fromstring(f"<page>{markdown.markdown(text, extensions=['tables']).replace('<br>', '<br/>')}</page>")
    params, *_, checks = root.iter("table")
    for table in (params, checks):
        assert len({len(list(row)) for row in table.iter("tr")}) == 1
    cells = [["".join(cell.itertext()) for cell in row] for row in checks.iter("tr")][1:]
    assert [(row[0], row[3]) for row in cells] == [(rule.id, requirement(rule, "en")) for rule in info.checks]
    for rule, row in zip(info.checks, cells, strict=True):
        statuses = {str(int(code)) for code in re.findall(r"\b\d{6}\b", row[1])}
        assert len(statuses) == len({status for _, status in rule.status} if rule.kind != "shortcut" else ())
    names = ",".join("".join(next(iter(row)).itertext()) for row in list(params.iter("tr"))[1:])
    assert names.split(",") == [param.name for param in info.params]
    assert f"{info.name}GetWorkspaceSize(" in text
    assert text.endswith("\n")
    assert "\n\n\n" not in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_list_of_operators_links_to_each() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(operators/(\w+)\.md\)", text) == [
        ops.get(name).info.snake for name in sorted(ops.names(), key=lambda name: ops.get(name).name)
    ]
