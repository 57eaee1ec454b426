"""The plots of reports, as SVG that stands in them; their titles are HTML, in any script."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from markupsafe import Markup

SHOWN = 20
"""Bars of a plot, the longest."""
LONGEST = 60
"""Characters of a label."""
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "aclspec",
    "font.family": "sans-serif",
    "text.parse_math": False,  # a name with two dollar signs is no formula
}


def bars(name: str, pairs: Sequence[tuple[str, float]], mark: float | None = None) -> Markup:
    """Horizontal bars, the longest on top, as an SVG element with ids of its own; ``mark`` is where a line stands."""
    chosen = sorted(pairs, key=lambda pair: pair[1])[-SHOWN:]
    places = range(len(chosen))
    with _drawn(name, 8, 0.7 + 0.28 * len(chosen)) as (axes, svg):
        axes.barh(places, [value for _, value in chosen], color="#4664a8")
        axes.set_yticks(places, [_label(label) for label, _ in chosen])
        if mark is not None:
            axes.axvline(mark, color="#b03030", linewidth=1)
    return svg[0]


def histogram(name: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Markup:
    """The percentages of bins, a line for each series."""
    with _drawn(name, 8, 2.6) as (axes, svg):
        for noun, values in series.items():
            axes.plot(labels, values, marker="o", markersize=3, linewidth=1, label=_label(noun))
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter("{x:g}%")
        axes.legend(frameon=False)
    return svg[0]


@contextmanager
def _drawn(name: str, width: float, height: float) -> Iterator[tuple[Any, list[Markup]]]:
    """Axes to draw into, and where the SVG of the figure is afterwards."""
    from matplotlib.figure import Figure

    svg: list[Markup] = []
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # the browser has its own fonts
        drawn = Figure(figsize=(width, height), layout="constrained")
        axes = drawn.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        yield axes, svg
        text = io.StringIO()
        drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg.append(Markup(_with_own_ids(text.getvalue(), name)))


def _label(text: str) -> str:
    """A label of one line, as long as there is room for; a leading underscore would hide it from a legend."""
    shown = "".join(one if one.isprintable() else "?" for one in text.lstrip("_"))
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 3]}..."


def _with_own_ids(text: str, name: str) -> str:
    """The element with the ids that it refers to under its own name: an id stands once in a page."""
    svg = re.sub("<metadata>.*</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    used = set(re.findall(r"[\"(]#([^\")]+)", svg))
    kept = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    return re.sub(rf'([(]|href=")#({"|".join(map(re.escape, used))})', rf"\1#{name}-\2", kept)
