"""The shapes of an operator's tensors as a picture: its inputs, its outputs, and the names of their axes.

A tensor of two axes or more is a plane of its last two, with further planes behind it for the axes before them; a
tensor of one axis is a bar. Lines have the colour of the text around them, in either theme.
"""

from __future__ import annotations

from html import escape

from aclspec.codegen.pages.axes import Axes, Drawn
from aclspec.codegen.render.manual.words import Lang
from aclspec.runtime.rules.sentences import WORDS

WIDE, HIGH, BAR, DOT = 64.0, 42.0, 9.0, 9.0
_STEP = 4.0
_HEAD, _CELL, _FOOT = 24.0, 104.0, 30.0
_EACH = 6.7
_IN_ROW = 3
_TEXT: dict[Lang, dict[str, str]] = {
    "en": {
        "inputs": "Shapes of the inputs",
        "outputs": "Shapes of the outputs",
        "arrow": "give",
        "same": "Axes with the same letter have the same size; the ranks are those of an example.",
        "follow": "{0} from {1}.",
        "window": "Dashed: the window, with the size of {0}.",
    },
    "zh": {
        "inputs": "输入的形状",
        "outputs": "输出的形状",
        "arrow": "得到",
        "same": "字母相同的轴大小相同；维数取自一个示例。",
        "follow": "{0} 由 {1} 得出。",
        "window": "虚线框为窗口，其大小取自 {0}。",
    },
}


def diagram(axes: Axes | None, lang: Lang) -> str:
    """The figure as one block of HTML; nothing where nothing is known."""
    if axes is None:
        return ""
    words = _TEXT[lang]
    sides = [[one for one in axes.tensors if one.is_output is is_output] for is_output in (False, True)]
    drawn = [_svg(side, words[key]) for side, key in zip(sides, ("inputs", "outputs"), strict=True) if side]
    arrow = f'<span class="aclspec-gives" role="img" aria-label="{words["arrow"]}">→</span>'
    return (
        f'<figure class="aclspec-shapes">{arrow.join(drawn)}<figcaption>{_caption(axes, lang)}</figcaption></figure>\n'
    )


def _caption(axes: Axes, lang: Lang) -> str:
    words, texts = _TEXT[lang], WORDS[lang]
    groups: dict[tuple[str, ...], tuple[list[str], dict[str, None]]] = {}
    for name, sources in axes.derived.items():
        names, found = groups.setdefault(tuple(one for one in sources if len(one) > 1), ([], {}))
        names.append(name)
        found.update(dict.fromkeys(sources))
    lines = [words["same"]]
    for names, found in groups.values():
        if found:
            told = sorted(found, key=lambda one: len(one) > 1)
            lines.append(words["follow"].format(texts["comma"].join(names), texts["comma"].join(map(_code, told))))
    if axes.windows and any(one.has_window for one in axes.tensors):
        lines.append(words["window"].format(texts["comma"].join(map(_code, axes.windows))))
    return (" " if lang == "en" else "").join(lines)


def _code(name: str) -> str:
    return name if len(name) == 1 else f"<code>{escape(name)}</code>"


def _svg(tensors: list[Drawn], title: str) -> str:
    """The tensors side by side, in rows that a phone has room for."""
    widths = [max(_CELL, len(one.name) * _EACH + 6) for one in tensors]
    rows = [range(at, min(at + _IN_ROW, len(tensors))) for at in range(0, len(tensors), _IN_ROW)]
    height = _HEAD + HIGH + _FOOT
    shapes = []
    for row, members in enumerate(rows):
        left = 0.0
        for at in members:
            shapes.append(_drawn(tensors[at], left, row * height, widths[at]))
            left += widths[at]
    size = (max(sum(widths[at] for at in row) for row in rows), len(rows) * height)
    said = "; ".join(f"{one.name}: {' × '.join(one.axes) or '()'}" for one in tensors)
    head = f'<svg role="img" viewBox="0 0 {size[0]:g} {size[1]:g}" width="{size[0]:g}" height="{size[1]:g}">'
    return f"{head}<title>{title}</title><desc>{escape(said)}</desc>{''.join(shapes)}</svg>"


def _drawn(tensor: Drawn, left: float, top: float, width: float) -> str:
    middle = left + width / 2 + 4
    x, y = middle - WIDE / 2, top + _HEAD
    rank = len(tensor.axes)
    parts = [_text(middle, top + _HEAD + HIGH + 26, tensor.name, "n")]
    if rank == 0:
        parts.append(_box(middle - DOT / 2, y + (HIGH - DOT) / 2, DOT, DOT))
    elif rank == 1:
        parts += [_box(x, y + (HIGH - BAR) / 2, WIDE, BAR), _text(middle, y + HIGH / 2 + 18, tensor.axes[0])]
    else:
        sheets = min(rank - 2, 2)
        parts += [_box(x + at * _STEP, y - at * _STEP, WIDE, HIGH) for at in range(sheets, -1, -1)]
        parts += [_text(middle, y + HIGH + 12, tensor.axes[-1]), _text(x - 4, y + HIGH / 2 + 4, tensor.axes[-2], "e")]
        if tensor.has_window:
            parts.append(_box(x + 5, y + 5, 20, 16, "w"))
    if rank > 2:
        parts.append(_text(middle, y - 2 * _STEP - 3, " × ".join(tensor.axes[:-2])))
    return "".join(parts)


def _box(x: float, y: float, width: float, height: float, style: str = "") -> str:
    known = f' class="{style}"' if style else ""
    return f'<rect{known} x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def _text(x: float, y: float, words: str, style: str = "") -> str:
    known = f' class="{style}"' if style else ""
    return f'<text{known} x="{x:g}" y="{y:g}">{escape(words)}</text>'
