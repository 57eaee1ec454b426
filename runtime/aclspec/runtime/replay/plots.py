"""The plots of the page: bars by operator, as SVG that stands in it; their titles are HTML, in any script."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import matplotlib

SHOWN = 20
"""Bars of a plot, the longest."""


def bars(pairs: Sequence[tuple[str, float]], mark: float | None = None) -> str:
    """Horizontal bars, the longest on top, as an SVG element; ``mark`` is where a line stands."""
    from matplotlib.figure import Figure

    chosen = sorted(pairs, key=lambda pair: pair[1])[-SHOWN:]
    names, values = [name for name, _ in chosen], [value for _, value in chosen]
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "aclspec", "font.family": "sans-serif"}):
        figure = Figure(figsize=(8, 0.7 + 0.28 * len(chosen)), layout="constrained")
        axes = figure.subplots()
        axes.barh(names, values, color="#4664a8")
        if mark is not None:
            axes.axvline(mark, color="#b03030", linewidth=1)
        axes.spines[["top", "right"]].set_visible(False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _without_ids(text.getvalue()[text.getvalue().index("<svg") :])


def _without_ids(svg: str) -> str:
    """The element without the ids that nothing refers to: a page has several, and an id stands once in a page."""
    used = set(re.findall(r"#([\w-]+)", svg))
    return re.sub(r' id="([\w-]+)"', lambda found: found[0] if found[1] in used else "", svg)
