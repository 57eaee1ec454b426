"""The shapes of an operator's tensors as a picture: its inputs, its outputs, and the names of their axes.

The tensors are those of an example; an axis without a name in the spec shows its size. A tensor of two axes or more is
a plane of its last two, with further planes behind it for the axes before them; a tensor of one axis is a bar. Lines
have the colour of the text around them, in either theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.spec.operator import Param
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.search.call import Call, TensorMeta
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Oracle
from aclspec.runtime.search.space import Space

WIDE, HIGH, BAR, DOT = 64.0, 42.0, 9.0, 9.0
_STEP = 4.0
_HEAD, _CELL, _FOOT = 24.0, 104.0, 30.0
_EACH = 6.7
_IN_ROW = 3
_LISTED = 2
_CHANNELS_LAST = ("NHWC", "NDHWC")
_TEXT: dict[Lang, dict[str, str]] = {
    "en": {
        "inputs": "Shapes of the inputs",
        "outputs": "Shapes of the outputs",
        "arrow": "give",
        "named": "Axes with the same name have the same size, or broadcast. ",
        "example": "Ranks, and the sizes of axes without a name, are those of an example.",
    },
    "zh": {
        "inputs": "输入的形状",
        "outputs": "输出的形状",
        "arrow": "得到",
        "named": "名称相同的轴大小相同，或可广播。",
        "example": "维数及无名称的轴的大小取自一个示例。",
    },
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor of the diagram: the C name, and the name of each axis, or else its size."""

    name: str
    axes: tuple[str, ...]
    is_named: bool
    is_output: bool


def example_shapes(operator: Operator) -> tuple[Shape, ...]:
    """The tensors, in C order, of the example that shows most names, or else most tensors."""
    space = Space(operator.info)
    inferred = Neighbours(Oracle(space)).inferred
    found = [tuple(_tensors(operator, inferred(space.example(one)))) for one in operator.info.examples]
    return max(found, key=lambda one: (sum(tensor.is_named for tensor in one), len(one)), default=())


def _tensors(operator: Operator, call: Call) -> Iterator[Shape]:
    """The tensors of a call, of a list the first ones."""
    for param, value in zip(operator.spec.params, call, strict=True):
        listed = value[:_LISTED] if isinstance(value, tuple) else (value,)
        for at, one in enumerate(listed):
            if isinstance(one, TensorMeta):
                names = axis_names(param, one.shape, one.format)
                name = f"{param.name}[{at}]" if isinstance(value, tuple) else param.name
                yield Shape(name, names or tuple(map(str, one.shape)), bool(names), param.direction == "out")


def axis_names(param: Param, shape: tuple[int, ...], format: str) -> tuple[str, ...]:
    """The names of the axes of a tensor, in the order of its format; none where the spec has none for its rank."""
    names = next((one for one in param.axes if len(one) == len(shape)), ())
    is_last = format in _CHANNELS_LAST and len(names) == len(format)
    return (names[0], *names[2:], names[1]) if is_last else names


def diagram(tensors: tuple[Shape, ...], lang: Lang) -> str:
    """The figure as one block of HTML; nothing where there is no tensor."""
    if not tensors:
        return ""
    words = _TEXT[lang]
    sides = [[one for one in tensors if one.is_output is is_output] for is_output in (False, True)]
    shown = [_svg(side, words[key]) for side, key in zip(sides, ("inputs", "outputs"), strict=True) if side]
    arrow = f'<span class="aclspec-gives" role="img" aria-label="{words["arrow"]}">→</span>'
    caption = words["named"] * any(one.is_named for one in tensors) + words["example"]
    return (
        f'<figure class="aclspec-shapes" tabindex="0">{arrow.join(shown)}<figcaption>{caption}</figcaption></figure>\n'
    )


def _svg(tensors: list[Shape], title: str) -> str:
    """The tensors side by side, in rows that a phone has room for."""
    widths = list(map(_width, tensors))
    rows = [range(at, min(at + _IN_ROW, len(tensors))) for at in range(0, len(tensors), _IN_ROW)]
    height = _HEAD + HIGH + _FOOT
    shapes = []
    for row, members in enumerate(rows):
        left = 0.0
        for at in members:
            shapes.append(_picture(tensors[at], left, row * height, widths[at]))
            left += widths[at]
    size = (max(sum(widths[at] for at in row) for row in rows), len(rows) * height)
    said = "; ".join(f"{one.name}: {' × '.join(one.axes) or '()'}" for one in tensors)
    head = f'<svg role="img" viewBox="0 0 {size[0]:g} {size[1]:g}" width="{size[0]:g}" height="{size[1]:g}">'
    return f"{head}<title>{title}</title><desc>{escape(said)}</desc>{''.join(shapes)}</svg>"


def _width(tensor: Shape) -> float:
    """The width that the name and the axes in front take, and the second to last axis beside the plane."""
    beside = max(map(len, tensor.axes[-2:-1]), default=0)
    above = max(len(tensor.name), len(" × ".join(tensor.axes[:-2])))
    return max(_CELL, above * _EACH + 6, WIDE + 2 * beside * _EACH)


def _picture(tensor: Shape, left: float, top: float, width: float) -> str:
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
    if rank > 2:
        parts.append(_text(middle, y - 2 * _STEP - 3, " × ".join(tensor.axes[:-2])))
    return "".join(parts)


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def _text(x: float, y: float, words: str, style: str = "") -> str:
    known = f' class="{style}"' if style else ""
    return f'<text{known} x="{x:g}" y="{y:g}">{escape(words)}</text>'
