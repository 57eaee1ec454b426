"""The file of figures: written after every row, so that a run that is interrupted loses nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
NAMES = ("operator", "shape", "dtype", "way", "statement")
"""What tells one row of a part from another."""


class Figures:
    """Parts by name; each is a list of rows, or a table of facts."""

    def __init__(self, path: Path) -> None:
        """What the file holds, if there is one."""
        self._path = path
        self.parts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def put(self, part: str, facts: Row) -> None:
        """Write a table of facts."""
        self.parts[part] = facts
        self._save()

    def measure(self, part: str, rows: Iterable[Row], line: Callable[[Row], str], whole: bool) -> None:
        """Print and keep every row as it comes, in place of the one with the same name.

        ``whole``: these are all rows of the part, and what was kept before under other names goes in the end.
        """
        names = []
        for row in rows:
            print(line(row), flush=True)
            names.append(_name(row))
            self.parts[part] = [*(one for one in self.parts.get(part, ()) if _name(one) != names[-1]), row]
            self._save()
        if whole:
            self.parts[part] = [one for one in self.parts.get(part, ()) if _name(one) in names]
            self._save()

    def _save(self) -> None:
        beside = self._path.with_suffix(".new")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(self.parts, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._path)


def _name(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in NAMES)
