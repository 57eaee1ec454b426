"""Max pooling by its definition, and its masks byte by byte."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.support.numerics import Array

Ints = tuple[int, ...]


class Case(NamedTuple):
    """Attributes, and the shapes that they go with."""

    input: Ints
    kernel: Ints
    stride: Ints | None
    padding: Ints
    dilation: Ints = (1,)
    ceil_mode: bool = False

    @property
    def attributes(self) -> tuple[Ints, Ints | None, Ints, Ints, bool]:
        return self.kernel, self.stride, self.padding, self.dilation, self.ceil_mode

    @property
    def axes(self) -> list[tuple[int, int, int, int, int, int]]:
        """Size, kernel, stride, padding, dilation and output size, of rows and columns."""
        axes = []
        for at in (0, -1):
            size, k, p, d = self.input[-2:][at], self.kernel[at], self.padding[at], self.dilation[at]
            s = (self.stride or self.kernel)[at]
            out = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if self.ceil_mode else 0)) // s + 1
            if self.ceil_mode and (out - 1) * s >= size + p:
                out -= 1
            axes.append((size, k, s, p, d, out))
        return axes

    @property
    def output(self) -> Ints:
        return (*self.input[:-2], *(axis[-1] for axis in self.axes))

    @property
    def planes(self) -> tuple[int, int]:
        """Samples and channels."""
        samples, channels = (1, *self.input)[-4:-2]
        return samples, channels

    @property
    def mask(self) -> Ints:
        """The declared shape of the mask."""
        (_, kh, _, _, _, oh), (_, kw, _, _, _, ow) = self.axes
        return (*self.input[:-2], kh * kw, (-(-oh * ow // 16) + 1) * 32)


def random_case(rng: np.random.Generator, dilated: bool = False) -> Case:
    """Attributes that the rules allow, of every length, often of unlike rows and columns."""
    while True:
        kernel = tuple(int(one) for one in rng.integers(1, 5, rng.integers(1, 3)))
        stride = tuple(int(one) for one in rng.integers(1, 6, rng.integers(0, 3)))
        padding = (int(rng.integers(0, kernel[0] // 2 + 1)), int(rng.integers(0, kernel[-1] // 2 + 1)))
        shape = tuple(int(one) for one in rng.integers(1, (4, 40, 12, 12), 4))[rng.integers(2) :]
        dilation = tuple(int(one) for one in rng.integers(1, 4, 2)) if dilated else (1,) * int(rng.integers(1, 3))
        pads = padding[:1] if padding[0] == padding[1] else padding
        case = Case(shape, kernel, stride if rng.integers(4) else None, pads, dilation, bool(rng.integers(2)))
        if all(axis[-1] > 0 for axis in case.axes):
            return case


def windows(case: Case) -> list[tuple[int, int, list[tuple[int, int, int]]]]:
    """By the definition: each window's place, and its cells inside the input as (row, column, kernel cell)."""
    found = []
    (height, kh, sh, ph, dh, out_h), (width, kw, sw, pw, dw, out_w) = case.axes
    for oh in range(out_h):
        for ow in range(out_w):
            cells = [(oh * sh - ph + i * dh, ow * sw - pw + j * dw, i * kw + j) for i in range(kh) for j in range(kw)]
            found.append((oh, ow, [one for one in cells if 0 <= one[0] < height and 0 <= one[1] < width]))
    return found


def exact_forward(x: Array, case: Case) -> tuple[Array, Array]:
    """The maxima and their positions: the first largest, and -1 in a window without cells."""
    out, positions = np.full(case.output, -np.inf), np.full(case.output, -1)
    for oh, ow, cells in windows(case):
        for row, col, _ in reversed(cells):
            better = (x[..., row, col] >= out[..., oh, ow]) | np.isnan(x[..., row, col])
            out[..., oh, ow] = np.where(better, x[..., row, col], out[..., oh, ow])
            positions[..., oh, ow] = np.where(better, row * case.axes[1][0] + col, positions[..., oh, ow])
    return out, positions


def exact_backward(gradient: Array, positions: Array, case: Case) -> Array:
    """Each window's gradient at the position of its maximum."""
    flat = np.zeros((*case.input[:-2], case.axes[0][0] * case.axes[1][0]))
    for at in np.ndindex(*case.output):
        if positions[at] >= 0:
            flat[(*at[:-2], positions[at])] += gradient[at]
    return flat.reshape(case.input)


def positions_mask(positions: Array, case: Case, fill: int) -> Array:
    """The layout of positions, byte by byte."""
    mask = np.full(int(np.prod(case.mask)), fill, np.int8)
    data = b"".join(int(one).to_bytes(4, "little", signed=True) for one in positions.reshape(-1))
    mask[: len(data)] = np.frombuffer(data, np.int8)
    return mask.reshape(case.mask)


def bits_mask(positions: Array, case: Case, fill: int) -> Array:
    """The layout of bits, bit by bit; also the bits that are not used, up to the last word, are zero."""
    samples, channels = case.planes
    kernel, width = case.mask[-2], case.mask[-1] // 2
    words = np.zeros((samples, -(-channels // 16), kernel, width), np.uint16)
    planes = positions.reshape(samples, channels, *case.output[-2:])
    for oh, ow, cells in windows(case):
        for row, col, cell in cells:
            for n, c in np.argwhere(planes[:, :, oh, ow] == row * case.axes[1][0] + col):
                words[n, c // 16, cell, oh * case.output[-1] + ow] |= np.uint16(1 << (c % 16))
    mask = np.full(int(np.prod(case.mask)), fill, np.int8)
    mask[: words.nbytes] = np.frombuffer(words.astype("<u2").tobytes(), np.int8)
    return mask.reshape(case.mask)


MASKS: dict[str, Any] = {"argmax": positions_mask, "bits": bits_mask}
