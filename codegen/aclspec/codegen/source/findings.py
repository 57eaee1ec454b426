"""What is wrong with a spec, and where: findings, and the error that carries all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from aclspec.runtime.abi.suggest import nearest as nearest
from aclspec.runtime.abi.suggest import one_of as one_of
from aclspec.runtime.abi.suggest import question
from aclspec.runtime.language.nodes import Position
from aclspec.runtime.language.types import dtype_hint as dtype_hint

did_you_mean = question


Severity: TypeAlias = Literal["error", "warning"]
START = Position(1, 1)


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about one place of one file; ``kind`` names the sort of finding, as in ``unknown-key``."""

    file: str
    at: Position
    kind: str
    message: str
    severity: Severity = "error"
    context: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``file:line:column: message``, with the context below it; each is one line, whatever a value holds."""
        mark = "" if self.severity == "error" else "warning: "
        below = "".join(f"\n - while {_printable(line)}" for line in self.context)
        return f"{self.file}:{self.at.line}:{self.at.column}: {mark}{_printable(self.message)}{below}"

    @property
    def sort_key(self) -> tuple[str, int, int, str]:
        """By place, then by text."""
        return (self.file, self.at.line, self.at.column, self.message)


def _printable(text: str) -> str:
    """The text with line ends and other control characters as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


class SpecErrors(Exception):
    """Every finding of a run, in the order of the files and lines."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        """Sort the findings; the text of the exception is all of them."""
        self.findings = tuple(sorted(set(findings), key=lambda finding: finding.sort_key))
        super().__init__("\n".join(str(finding) for finding in self.findings))

    def __reduce__(self) -> tuple[type[SpecErrors], tuple[tuple[Finding, ...]]]:
        """Pickle the findings, not the text."""
        return SpecErrors, (self.findings,)


def display_path(path: Path) -> str:
    """The path as a reader of messages wants it: relative where that is shorter and below the working directory."""
    relative = os.path.relpath(path)
    return path.as_posix() if relative.startswith("..") else Path(relative).as_posix()


def listing(words: Iterable[str]) -> str:
    """``a, b and c`` for a message."""
    return " and ".join(", ".join(words).rsplit(", ", 1))
