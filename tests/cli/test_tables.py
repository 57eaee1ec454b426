"""Tables on terminals of several widths: columns where there is room, else a list for each row."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest
from rich.console import Console

from aclspec import ops
from aclspec.cli import output, show
from aclspec.runtime.api.operator import Operator

HEADS = ("name", "", "atlas_\na2", "meaning")
ROWS = [("self", "in", "yes", "What is read, element by element, and never written."), ("out", "out", "-", "[the] sum")]


def shown(width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    with console.capture() as found:
        console.print(output.table("Parameters", HEADS, ROWS))
    return [line.rstrip() for line in found.get().splitlines()]


def test_a_wide_terminal_has_columns() -> None:
    lines = shown(90)
    assert any(line.split() == ["self", "in", "yes", *ROWS[0][3].split()] for line in lines)


def test_a_narrow_terminal_has_a_list_for_each_row() -> None:
    lines = shown(40)
    assert lines[:3] == ["Parameters", " self  in", "    atlas_a2: yes"]
    assert lines[3].startswith("    meaning: What is read,")
    assert "    meaning: [the] sum" in lines
    assert max(map(len, lines)) <= 40


@dataclass
class Terminal:
    """Standard output as a terminal of 60 columns."""

    text: io.StringIO

    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.text.getvalue().splitlines()]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    text = io.StringIO()
    console = Console(width=60, file=text, force_terminal=True, highlight=False, no_color=True, color_system=None)
    monkeypatch.setattr(output, "console", lambda: console)
    return Terminal(text)


@pytest.mark.parametrize("operator", [ops.get("prelu_backward"), ops.get("layer_norm")], ids=lambda one: one.name)
def test_an_operator_fits_sixty_columns_and_breaks_no_word(operator: Operator, terminal: Terminal) -> None:
    show.show(operator.info, "en", False, show.Filter())
    lines = terminal.lines()
    assert max(map(len, lines)) <= 60
    words = {word for line in lines for word in line.split()}
    names = {param.name for param in operator.info.params} | {rule.id for rule in operator.info.checks}
    assert names <= words
