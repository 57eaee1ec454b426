"""The figures of ``make bench`` as plots: one bar for each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2, log10
from typing import Any, NamedTuple

from aclspec.codegen.pages.svg import Picture

LEFT, STEP, MOST = 420, 18, 62


class Bar(NamedTuple):
    """A row of a plot."""

    label: str
    place: float
    """Where it ends, in units of the axis."""
    good: bool


class Axis(NamedTuple):
    """The marks of a plot from its first to its last unit, and where bars begin."""

    marks: Sequence[str]
    first: float
    unit: float
    origin: float = 0.0


RATIOS = Axis([f"{2.0**power:g}" for power in range(-3, 7)], -3, 44)
SHARES = Axis([f"{20 * at}%" for at in range(7)], 0, 60)
SECONDS = Axis(["0.1 s", "1 s", "10 s", "100 s", "1000 s"], -1, 80, -1)
MICROSECONDS = Axis(["1 µs", "10 µs", "100 µs", "1 ms"], 0, 110)


def plot(bars: Iterable[Bar], axis: Axis, title: str) -> str:
    """The picture; nothing where there are no bars."""
    rows = list(bars)
    if not rows:
        return ""
    last = axis.first + len(axis.marks) - 1
    picture = Picture(LEFT + axis.unit * (len(axis.marks) - 0.5), STEP * len(rows) + 44, title)
    picture.text(0, 14, title, middle=False)
    for at, mark in enumerate(axis.marks):
        x = LEFT + axis.unit * at
        picture.box(x, 22, 1, STEP * len(rows) + 4, "grid")
        picture.text(x, STEP * len(rows) + 40, mark)
    for at, (label, place, good) in enumerate(rows):
        y = 26 + STEP * at
        begin, end = sorted((axis.origin, min(max(place, axis.first), last)))
        picture.text(0, y + 11, label if len(label) < MOST else f"{label[: MOST - 2]}…", "small", middle=False)
        x = LEFT + axis.unit * (begin - axis.first)
        picture.box(x, y + 2, axis.unit * (end - begin) + 1, STEP - 5, "c0" if good else "c3")
    return str(picture)


def ratios(rows: Iterable[dict[str, Any]], way: str) -> Iterable[Bar]:
    """Times as fast as PyTorch, on a logarithmic scale around 1."""
    for row in rows:
        if way in row:
            yield Bar(_label(row), log2(row[way]["ratio"]), row[way]["ratio"] >= 1)


def shares(rows: Iterable[dict[str, Any]], way: str, limits: dict[str, float]) -> Iterable[Bar]:
    """The share of the limit that each row reaches."""
    for row in rows:
        if way in row:
            share = least_seconds(row, limits) / row[way]["seconds"]
            yield Bar(_label(row), 5 * share, share >= 0.75)


def calls(rows: Iterable[dict[str, Any]]) -> Iterable[Bar]:
    """What a call takes beside its kernel."""
    for row in rows:
        micro = max(1.0, row["over"] * 1e6)
        yield Bar(f"{row['operator'].removeprefix('aclnn')}, {row['way']}", log10(micro), micro <= 10)


def generations(rows: Iterable[dict[str, Any]]) -> Iterable[Bar]:
    """A full run and one with nothing changed, against the number of specs."""
    for row in rows:
        for name in ("full", "again"):
            yield Bar(
                f"{row['specs']} specs, cases {row['cases']}, {name}", log10(max(row[name], 0.1)), name == "again"
            )


def least_seconds(row: dict[str, Any], limits: dict[str, float]) -> float:
    """The time that the machine's limits leave: of memory, or of multiplications and additions."""
    return float(max(row["moved"] / limits["bytes"], row["operations"] / limits["operations"]))


def _label(row: dict[str, Any]) -> str:
    return f"{row['operator'].removeprefix('aclnn')} {row['shape']}"
