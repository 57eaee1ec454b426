"""How windows cover an input: every cell shows which windows it lies in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aclspec.codegen.pages.svg import COLOURS, Picture
from aclspec.codegen.render.manual.words import Lang
from aclspec.runtime.kernels.windows import Axis
from aclspec.runtime.rules.shapes import pool_out

CELL, GAP, MARGIN, HEAD = 36.0, 56.0, 8.0, 22.0
_WORDS = {
    "en": ("input {0} x {0}", "output {0} x {0}", "Windows of {} x {} cells, stride {}, padding {}, dilation {}"),
    "zh": ("输入 {0} x {0}", "输出 {0} x {0}", "窗口 {} x {}，步长 {}，填充 {}，膨胀 {}"),
}


def windows(lang: Lang, size: int, kernel: int, stride: int, padding: int, dilation: int) -> str:
    """A square input under square windows, and beside it the output: a window's cells have its colour."""
    axis = _axis(size, kernel, stride, padding, dilation)
    input_words, output_words, title = _WORDS[lang]
    grid = size + 2 * padding
    left = MARGIN + grid * CELL + GAP
    width = left + axis.count * CELL + MARGIN
    named = title.format(kernel, kernel, stride, padding, dilation)
    picture = Picture(width, HEAD + grid * CELL + MARGIN, named)
    picture.text(MARGIN + grid * CELL / 2, HEAD - 8, input_words.format(size))
    picture.text(left + axis.count * CELL / 2, HEAD - 8, output_words.format(axis.count))
    for row in range(-padding, size + padding):
        for col in range(-padding, size + padding):
            inside = 0 <= row < size and 0 <= col < size
            x, y = MARGIN + (col + padding) * CELL, HEAD + (row + padding) * CELL
            picture.box(x, y, CELL, CELL, "cell" if inside else "pad")
            _marks(picture, axis, row, col, (x, y))
    for at, (row, col) in enumerate(_all(axis)):
        x, y = left + col * CELL, HEAD + row * CELL
        picture.box(x, y, CELL, CELL, f"cell c{at % COLOURS}")
    return str(picture)


def _axis(size: int, kernel: int, stride: int, padding: int, dilation: int) -> Axis:
    count = pool_out(size, kernel, stride, padding, padding, dilation, ceil_mode=False)
    return Axis(size, count, kernel, stride, padding, dilation)


def _all(axis: Axis) -> Iterator[tuple[int, int]]:
    yield from ((row, col) for row in range(axis.count) for col in range(axis.count))


def _marks(picture: Picture, axis: Axis, row: int, col: int, at: tuple[float, float]) -> None:
    """A square in the cell for every window that has it, in the place that the window has in the output."""
    step = (CELL - 6) / axis.count
    for number, (down, right) in enumerate(_all(axis)):
        if _covers(axis, down, row) and _covers(axis, right, col):
            x, y = at[0] + 3 + right * step, at[1] + 3 + down * step
            picture.box(x + 0.5, y + 0.5, step - 1, step - 1, f"mark c{number % COLOURS}", 1.5)


def _covers(axis: Axis, window: int, cell: int) -> bool:
    """Whether a cell, of the padding too, is one of a window's."""
    start = axis.start(window)
    return cell in range(start, start + axis.kernel * axis.dilation, axis.dilation)


PARTS = {
    "windows-plain": partial(windows, size=5, kernel=3, stride=1, padding=0, dilation=1),
    "windows-padded": partial(windows, size=5, kernel=3, stride=2, padding=1, dilation=1),
    "windows-dilated": partial(windows, size=7, kernel=3, stride=2, padding=0, dilation=2),
}
