"""Pages that would keep the reader busy for hours, each refused by a limit that its sentence states."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.cli.main import main
from tests.importer.conftest import PAGE

ROW = "<tr><td>{}</td><td>输入</td><td>颜料。</td><td>-</td><td>FLOAT</td><td>ND</td><td>1</td><td>√</td></tr>\n"
MANY = [f"ink{at}" for at in range(5000)]


def page(old: str, new: str) -> str:
    """The page of the other tests, with one change."""
    assert old in PAGE
    return PAGE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PAGE + "<table><tr><td>" * 20_000 + "</td></tr></table>" * 20_000, "deeper than 16 levels"),
        (page("<td>1-4</td>", f"<td>{'<table><tr><td>' * 20_000}</td>"), "deeper than 16 levels"),
        (PAGE + "<table></table>\n" * 1_000, "tables; at most 1000 are read"),
        (page("  <tbody>\n", "  <tbody>\n" + "<tr><td>a</td></tr>" * 10_000), "rows of tables; at most 5000"),
        (PAGE + "\n\n" + "*a **b " * 50_000, "brackets and stars in one paragraph; at most 1000"),
        (page("aclnnToyBlend", "aclnn" + "T" * 100_000), "characters in a name; at most 128"),
        (page("paint", "p" * 10_000), "characters in a name; at most 128"),
        (page("paint", "p" * 2_000_000), "more than 1000000 bytes"),
        (
            page("  int64_t              axis,\n", "".join(f"  const aclTensor *{one},\n" for one in MANY)).replace(
                "  <tbody>\n", "  <tbody>\n" + "".join(map(ROW.format, MANY[:3000])), 1
            ),
            "parameters of one function; at most 128",
        ),
        (
            PAGE + "\n```cpp\n" + "".join(f"int aclnn{one}GetWorkspaceSize(aclTensor *a)\n" for one in MANY) + "```\n",
            "functions; at most 16",
        ),
    ],
    ids=lambda value: value[:40] if len(value) < 100 else "",
)
def test_a_page_beyond_a_limit_is_refused(
    text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    assert main(["import", str(path), "--out", str(tmp_path / "drafts")]) == 1
    found = capsys.readouterr().err
    assert sentence in found
    assert len(found) < 300 + len(str(path))
    assert not (tmp_path / "drafts").exists()


@pytest.mark.parametrize(
    "cell", ["1-200000", "9" * 5000, f"({', '.join(['N'] * 20_000)})", "不超过200000维"], ids=lambda cell: cell[:10]
)
def test_a_rank_beyond_all_tensors_is_no_fact(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(page("<td>1-4</td>", f"<td>{cell}</td>"), encoding="utf-8")
    assert main(["import", str(path), "--out", str(tmp_path)]) == 0
    draft = (tmp_path / "toy_blend.yaml").read_text(encoding="utf-8")
    assert "200000" not in draft
    assert len(draft) < 10_000
