"""Pictures as SVG in a page: colours by class, so that the style sheet decides them in either theme."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

COLOURS = 9
"""How many colours the style sheet has, as the classes c0, c1 and so on."""


class Picture:
    """One picture: shapes in the units of its view box, in the order in which they were added."""

    def __init__(self, width: float, height: float, title: str) -> None:
        """An empty picture; the title is what a screen reader says."""
        self._size = (width, height)
        self._title = title
        self._shapes: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, style: str, round_by: float = 0) -> None:
        """A rectangle."""
        corner = f' rx="{_short(round_by)}"' if round_by else ""
        place = f'x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" height="{_short(height)}"'
        self._shapes.append(f'<rect class="{style}" {place}{corner}/>')

    def text(self, x: float, y: float, words: str, style: str = "", middle: bool = True) -> None:
        """A line of text, its baseline at y."""
        classes = " ".join(filter(None, ("t", "m" if middle else "", style)))
        self._shapes.append(f'<text class="{classes}" x="{_short(x)}" y="{_short(y)}">{escape(words)}</text>')

    def arrow(self, points: Iterable[tuple[float, float]], style: str = "arrow") -> None:
        """A line through points, with a head at the last of them; the last stretch is straight."""
        path = list(points)
        (x0, y0), (x, y) = path[-2:]
        size = 5.0
        back = ((x0 > x) - (x0 < x)) * size, ((y0 > y) - (y0 < y)) * size
        across = back[1] / 2, back[0] / 2
        line = " ".join(f"{_short(one)},{_short(other)}" for one, other in path)
        head = [(x, y), (x + back[0] + across[0], y + back[1] + across[1])]
        head.append((x + back[0] - across[0], y + back[1] - across[1]))
        corners = " ".join(f"{_short(one)},{_short(other)}" for one, other in head)
        self._shapes.append(f'<polyline class="{style}" points="{line}"/><polygon class="head" points="{corners}"/>')

    def __str__(self) -> str:
        """The picture as one block of HTML, which scrolls where the page is too narrow for it."""
        width, height = map(_short, self._size)
        head = f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        return (
            f'<figure class="aclspec-picture" tabindex="0">{head}<title>{escape(self._title)}</title>'
            f"{''.join(self._shapes)}</svg></figure>\n"
        )


def _short(number: float) -> str:
    return f"{number:g}"
