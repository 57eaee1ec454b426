"""The plots of pages, as SVG that stands in them; their titles are HTML, in any script."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib

SHOWN = 20
"""Bars of a plot, the longest."""
_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "aclspec", "font.family": "sans-serif"}


def bars(name: str, pairs: Sequence[tuple[str, float]], mark: float | None = None) -> str:
    """Horizontal bars, the longest on top, as an SVG element with ids of its own; ``mark`` is where a line stands."""
    chosen = sorted(pairs, key=lambda pair: pair[1])[-SHOWN:]
    names, values = [name for name, _ in chosen], [value for _, value in chosen]
    with _drawn(name, 8, 0.7 + 0.28 * len(chosen)) as (axes, svg):
        axes.barh(names, values, color="#4664a8")
        if mark is not None:
            axes.axvline(mark, color="#b03030", linewidth=1)
    return svg[0]


def histogram(name: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """The percentages of bins, a line for each series."""
    with _drawn(name, 8, 2.6) as (axes, svg):
        for noun, values in series.items():
            axes.plot(labels, values, marker="o", markersize=3, linewidth=1, label=noun)
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter("{x:g}%")
        axes.legend(frameon=False)
    return svg[0]


@contextmanager
def _drawn(name: str, width: float, height: float) -> Iterator[tuple[Any, list[str]]]:
    """Axes to draw into, and where the SVG of the figure is afterwards."""
    from matplotlib.figure import Figure

    svg: list[str] = []
    with matplotlib.rc_context(_SETTINGS):
        drawn = Figure(figsize=(width, height), layout="constrained")
        axes = drawn.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        yield axes, svg
        text = io.StringIO()
        drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg.append(_with_own_ids(text.getvalue(), name))


def _with_own_ids(text: str, name: str) -> str:
    """The element with the ids that it refers to under its own name: an id stands once in a page."""
    svg = re.sub("<metadata>.*</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    used = set(re.findall(r"[\"(]#([^\")]+)", svg))
    kept = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    return re.sub(rf'([(]|href=")#({"|".join(map(re.escape, used))})', rf"\1#{name}-\2", kept)
