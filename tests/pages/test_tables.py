"""Columns of long tables have their width from the first row on."""

from __future__ import annotations

from aclspec.codegen.pages.tables import PROSE, with_widths


def test_the_head_of_a_column_has_its_longest_texts() -> None:
    rows = "".join(
        f'<tr><td data-set="1"><i>{"n" * size}</i> &lt;</td><td>{"long " * size}</td></tr>'
        for size in range(PROSE // 4)
    )
    found = with_widths(
        f"before <table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>{rows}</tbody></table> after"
    )
    widest = "&#10;".join(f"{'n' * size} &lt;" for size in (14, 13, 12, 11))
    assert (
        f'<th data-widest="{widest}">A</th><th data-widest="">B</th>' in found
    )  # a column of prose has no width of its own
    assert rows in found
    assert found.startswith("before <table>")
    assert found.endswith("</table> after")
