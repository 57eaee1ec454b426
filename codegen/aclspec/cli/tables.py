"""A table for people: in columns where the terminal has room for them, else a short list for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table
    from rich.text import Text

ROOM: Final = 24
"""The least width of the widest column: below it sentences become a column of words."""


class Records:
    """The same heads and rows in two shapes; the width of the terminal chooses one."""

    def __init__(self, table: Table, title: Text | None, heads: Sequence[Text], rows: Sequence[Sequence[Text]]) -> None:
        """Keep both."""
        self.table, self.title, self.heads, self.rows = table, title, heads, rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table where it fits, or where its widest column alone is narrowed and keeps some room."""
        widths = [max((_width(row[at]) for row in self.rows), default=0) for at in range(len(self.heads))]
        widths = [max(width, _width(head)) for width, head in zip(widths, self.heads, strict=True)]
        gaps = 3 * len(widths)
        needed = sum(widths) - max(widths, default=0) + min(max(widths, default=0), ROOM) + gaps
        if needed <= options.max_width:
            yield self.table
        else:
            yield from self._listed()

    def _listed(self) -> Iterator[Any]:
        """A line for what a row is about, and below it a line for each other cell, with its head."""
        from rich.padding import Padding
        from rich.text import Text

        if self.title is not None:
            yield Text.assemble((self.title.plain, "bold"))
        named = next((at for at, head in enumerate(self.heads) if head.plain), 0)
        for row in self.rows:
            own = [cell for at, cell in enumerate(row) if at <= named or not self.heads[at].plain]
            yield Padding(Text("  ").join(cell for cell in own if cell.plain), (0, 0, 0, 1))
            for head, cell in zip(self.heads[named + 1 :], row[named + 1 :], strict=True):
                if head.plain and cell.plain:
                    label = Text(head.plain.replace("_\n", "_").replace("\n", ", "), style="dim")
                    yield Padding(Text.assemble(label, ": ", cell), (0, 0, 0, 4))
        yield Text("")


def _width(text: Text) -> int:
    """The width of the longest line."""
    from rich.cells import cell_len

    return max(map(cell_len, text.plain.splitlines()), default=0)
