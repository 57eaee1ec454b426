"""One run: the planned pieces through one process or a fleet, their rows into parts, the disagreements shrunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from aclspec.codegen.conform.calls import Piece, Settings
from aclspec.codegen.conform.describe import describe
from aclspec.codegen.conform.process import Caller, Row
from aclspec.codegen.conform.results import Parts, rows_of
from aclspec.codegen.conform.shrink import is_finding, kind_of, shrinking, shrunk_rows

KINDS = 500
"""Kinds of disagreement that are shrunk, at most."""


class Watcher(Protocol):
    """Who watches a run."""

    def __call__(self, doing: str, done: int, of: int, calls: int, findings: int) -> None:
        """Report that ``done`` of ``of`` pieces are done."""


@dataclass
class Summary:
    """How a run ended."""

    pieces: int = 0
    resumed: int = 0
    calls: int = 0
    findings: int = 0
    kinds: dict[tuple[Any, ...], Row] = field(default_factory=dict)
    """The least call of each kind of disagreement, before it was shrunk."""
    lost: list[str] = field(default_factory=list)
    """Why pieces are without a result, which `--resume` does again."""

    def meet(self, row: Row) -> None:
        """Count a row."""
        self.calls += 1
        if is_finding(row):
            self.findings += 1
            kind = kind_of(row)
            known = self.kinds.get(kind)
            if known is None or (row["size"], row["id"]) < (known["size"], known["id"]):
                self.kinds[kind] = row


Work = Callable[[Settings, Piece], list[Row]]
Execute = Callable[[Settings, Iterable[Piece]], Iterator[tuple[Piece, list[Row] | Exception]]]
"""Does pieces, in any order; an exception stands for one that could not be done."""


def work(caller: Caller, piece: Piece) -> list[Row]:
    """The rows of a piece."""
    if piece.origin == "shrunk":
        return shrunk_rows(caller, caller.settings, piece)
    return caller.rows(piece)


def alone(settings: Settings, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, list[Row] | Exception]]:
    """The pieces one after the other, by one process that makes the calls."""
    caller = Caller(settings)
    try:
        for piece in pieces:
            try:
                found: list[Row] | Exception = work(caller, piece)
            except Exception as error:  # told at the end; the other pieces go on
                found = error
            yield piece, found
    finally:
        caller.close()


def conform(
    pieces: Sequence[Piece],
    settings: Settings,
    out: Path,
    execute: Execute = alone,
    watch: Watcher = lambda *_: None,
) -> Summary:
    """Do the pieces that are not done yet, shrink the disagreements, and make the file of results.

    KeyboardInterrupt leaves the parts of what was done.
    """
    parts, summary = Parts(out), Summary(pieces=len(pieces))
    keys = {piece.id(settings): piece for piece in pieces}
    done = parts.pieces()
    try:
        left = [piece for key, piece in keys.items() if key not in done]
        summary.resumed = len(keys) - len(left)
        _resume(parts, set(keys) & done, summary)
        _all(left, settings, parts, execute, summary, watch, "calling")
        shrunk = [shrinking(row) for row in _least(summary)]
        again = [piece for piece in shrunk if piece.id(settings) not in done]
        _all(again, settings, parts, execute, summary, watch, "shrinking")
        keys |= {piece.id(settings): piece for piece in shrunk}
    finally:
        parts.flush()
    if not summary.lost:
        parts.merge(keys, {"settings": asdict(settings), "environment": describe()})
    return summary


def _resume(parts: Parts, keys: set[str], summary: Summary) -> None:
    """Meet the rows of the pieces that were done before, each once."""
    left = set(keys)
    for file in parts.files() if keys else ():
        own: set[str] = set()
        for row in rows_of(file):
            if row["piece"] in left and row["origin"] != "shrunk":
                own.add(row["piece"])
                summary.meet(row)
        left -= own


def _least(summary: Summary) -> list[Row]:
    return [row for _, row in sorted(summary.kinds.items(), key=lambda one: str(one[0]))][:KINDS]


def _all(
    pieces: Sequence[Piece],
    settings: Settings,
    parts: Parts,
    execute: Execute,
    summary: Summary,
    watch: Watcher,
    doing: str,
) -> None:
    for at, (piece, rows) in enumerate(execute(settings, pieces), 1):
        if isinstance(rows, Exception):
            summary.lost.append(f"{piece.operator} on {piece.product}: {rows}")
            continue
        parts.add(piece.id(settings), rows)
        if piece.origin != "shrunk":
            for row in rows:
                summary.meet(row)
        watch(doing, at, len(pieces), summary.calls, summary.findings)
