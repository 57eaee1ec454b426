"""How answers are shown: rich text for people, JSON for programs, progress on a terminal; never a control character."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aclspec.cli.printable import printable, printable_json

if TYPE_CHECKING:
    from rich.console import Console

    from aclspec.cli.tables import Records

AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
AsLang = Annotated[
    str, typer.Option("--lang", envvar="ACLSPEC_LANG", show_envvar=False, help="Language: en or zh; else ACLSPEC_LANG.")
]
PIPE_WIDTH = 100_000
"""The width where no terminal says its own: in a file or a pipe each line stays whole."""


@cache
def console() -> Console:
    """Standard output for people: colours and the terminal's width, or plain text in a pipe."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(width=width, highlight=False, soft_wrap=False)


def show(*parts: object) -> None:
    """Print for people; a string is text as it is, never markup."""
    shown = [plain(part) if isinstance(part, str) else part for part in parts]
    if console().is_terminal:
        console().print(*shown)
        return
    with console().capture() as found:
        console().print(*shown)
    for line in found.get().splitlines():
        print(line.rstrip())  # a cell of a table is as wide as its column


def write(text: object, end: str = "\n", error: bool = False) -> None:
    """Print lines that are never folded, on standard output or standard error."""
    print(printable(str(text)), end=end, file=sys.stderr if error else sys.stdout, flush=True)


def show_json(value: object) -> None:
    """Print for programs: one JSON document with keys in the order given, escaped where standard output is no UTF-8."""
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    print(printable_json(json.dumps(value, indent=2, ensure_ascii=not is_utf8, default=str)))


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Records:
    """A plain table, or on a narrow terminal a list for each row; cells are text, never markup."""
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    from aclspec.cli.tables import Records

    # Chinese has no spaces to break at: where a line is full it is broken, and nothing of it is left out.
    named = None if title is None else plain(title)
    heads = [plain(name) for name in columns]
    folding = [Column(head, overflow="fold") for head in heads]
    made = Table(*folding, title=named, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold", pad_edge=False)
    cells = [[cell if isinstance(cell, Text) else plain(str(cell)) for cell in row] for row in rows]
    for row in cells:
        made.add_row(*row)
    return Records(made, named, heads, cells)


def plain(text: str, style: str = "") -> Any:
    """Text that is shown as it is, brackets and all."""
    from rich.text import Text

    return Text(printable(text), style=style)


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@contextmanager
def progress(doing: str) -> Generator[Callable[[str], None], None, None]:
    """A spinner on standard error while something takes its time; nothing where nobody watches.

    It yields a function that shows the current part.
    """
    if not sys.stderr.isatty():
        yield lambda part: None
        return
    from rich.console import Console

    with Console(stderr=True).status(doing) as status:
        yield lambda part: status.update(plain(part))
