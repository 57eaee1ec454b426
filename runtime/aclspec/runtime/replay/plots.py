"""The plots of the page: bars by operator, as SVG that stands in it; their titles are HTML, in any script."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import matplotlib

SHOWN = 20
"""Bars of a plot, the longest."""


def bars(name: str, pairs: Sequence[tuple[str, float]], mark: float | None = None) -> str:
    """Horizontal bars, the longest on top, as an SVG element with ids of its own; ``mark`` is where a line stands."""
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
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    return _with_own_ids(re.sub("<metadata>.*</metadata>", "", svg, flags=re.DOTALL), name)


def _with_own_ids(svg: str, name: str) -> str:
    """The element with the ids that it refers to under its own name: an id stands once in a page."""
    used = set(re.findall(r"[\"(]#([^\")]+)", svg))
    kept = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    return re.sub(rf'([(]|href=")#({"|".join(map(re.escape, used))})', rf"\1#{name}-\2", kept)
