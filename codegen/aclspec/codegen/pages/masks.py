"""The two layouts of the mask of max pooling, drawn from the bytes that `pack_mask` writes."""

from __future__ import annotations

import numpy as np

from aclspec.codegen.pages.svg import Picture
from aclspec.codegen.render.manual.words import Lang
from aclspec.runtime.kernels.mask import pack_mask
from aclspec.runtime.kernels.mask_layouts import LANES

SIDE, KERNEL = 4, 2
POSITIONS = np.array([[[[0, 3], [13, 10]]]])
CELL, MARGIN, HEAD, GAP = 34.0, 8.0, 24.0, 40.0
_WORDS = {
    "en": {
        "plane": "positions in the plane",
        "argmax": "int32 words: a position for each window",
        "bits": "a bit for each kernel cell and window",
        "cell": "cell {}",
        "title": "The layout {} of the mask",
    },
    "zh": {
        "plane": "平面内的位置",
        "argmax": "int32：每个窗口一个位置",
        "bits": "每个核单元与窗口各一位",
        "cell": "单元 {}",
        "title": "掩码的 {} 布局",
    },
}


def argmax(lang: Lang) -> str:
    """The plane with its maxima, and the words of the first bytes."""
    words = _WORDS[lang]
    wide = 4 * CELL
    picture = _plane(lang, "argmax", wide)
    left = MARGIN + SIDE * CELL + GAP
    data = pack_mask(POSITIONS, (SIDE, SIDE), KERNEL, layout="argmax").tobytes()
    picture.text(left, HEAD - 8, words["argmax"], middle=False)
    for window in range(POSITIONS.size):
        y = HEAD + window * CELL
        for at, byte in enumerate(data[4 * window : 4 * window + 4]):
            picture.box(left + at * CELL, y, CELL, CELL, f"cell c{window}" if at == 0 else "cell")
            picture.text(left + (at + 0.5) * CELL, y + CELL / 2 + 4, f"{byte:02x}", "code")
        number = int.from_bytes(data[4 * window : 4 * window + 4], "little")
        picture.text(left + 4 * CELL + 8, y + CELL / 2 + 4, f"= {number}", "code", middle=False)
    return str(picture)


def bits(lang: Lang) -> str:
    """The plane with its maxima, and the bit of the first channel in each word."""
    words = _WORDS[lang]
    picture = _plane(lang, "bits", 5.5 * CELL)
    left = MARGIN + SIDE * CELL + GAP
    mask = pack_mask(POSITIONS, (SIDE, SIDE), KERNEL, layout="bits")
    lanes = LANES * (-(-POSITIONS.size // LANES) + 1)
    planes = mask.reshape(-1).view("<u2")[: KERNEL * KERNEL * lanes].reshape(KERNEL * KERNEL, lanes)
    picture.text(left, HEAD - 8, words["bits"], middle=False)
    for cell, plane in enumerate(planes):
        y = HEAD + cell * CELL
        for window in range(POSITIONS.size):
            bit = int(plane[window]) & 1
            picture.box(left + window * CELL, y, CELL, CELL, f"cell c{window}" if bit else "cell")
            picture.text(left + (window + 0.5) * CELL, y + CELL / 2 + 4, str(bit), "code")
        picture.text(left + 4 * CELL + 8, y + CELL / 2 + 4, words["cell"].format(cell), middle=False)
    return str(picture)


def _plane(lang: Lang, layout: str, beside: float) -> Picture:
    """A picture with the plane at its left: the maximum of each window has the window's colour."""
    words = _WORDS[lang]
    width = MARGIN + SIDE * CELL + GAP + max(beside, 290.0) + MARGIN
    picture = Picture(width, HEAD + SIDE * CELL + MARGIN, words["title"].format(layout))
    picture.text(MARGIN, HEAD - 8, words["plane"], middle=False)
    maxima = {int(position): window for window, position in enumerate(POSITIONS.reshape(-1))}
    for position in range(SIDE * SIDE):
        x, y = MARGIN + position % SIDE * CELL, HEAD + position // SIDE * CELL
        picture.box(x, y, CELL, CELL, f"cell c{maxima[position]}" if position in maxima else "cell")
        picture.text(x + CELL / 2, y + CELL / 2 + 4, str(position), "code")
    for at in range(0, SIDE, KERNEL):
        for to in range(0, SIDE, KERNEL):
            picture.box(MARGIN + at * CELL, HEAD + to * CELL, KERNEL * CELL, KERNEL * CELL, "frame")
    return picture


PARTS = {"mask-argmax": argmax, "mask-bits": bits}
