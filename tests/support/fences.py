"""The fenced blocks of a Markdown page: what a reader would copy."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="(?P<title>[^"]+)"')


@dataclass(frozen=True)
class Block:
    """One block: where it stands, its language, its title (a file to write) and its text."""

    where: str
    language: str
    title: str | None
    text: str

    @property
    def commands(self) -> tuple[tuple[str, str], ...]:
        """The commands of a console block, each with the output that the page shows below it."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
        return tuple((command, "\n".join(shown)) for command, shown in found)


def blocks(page: Path) -> tuple[Block, ...]:
    """The blocks of a page, in order."""
    return tuple(_blocks(page, page.read_text(encoding="utf-8")))


def _blocks(page: Path, text: str) -> Iterator[Block]:
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        info = found["info"].strip()
        title = _TITLE.search(info)
        yield Block(
            f"{page.name}:{line}",
            info.split()[0] if info else "",
            title["title"] if title else None,
            textwrap.dedent(found["body"]),
        )


def words(command: str) -> list[str]:
    """A command as a shell splits it."""
    return shlex.split(command)
