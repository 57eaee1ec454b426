"""Average pooling by its definition, window by window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.support.numerics import Array

Ints = tuple[int, ...]


class Case(NamedTuple):
    """Attributes, and the shapes that they go with."""

    input: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...] | None
    padding: tuple[int, ...]
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor: int = 0

    @property
    def attributes(self) -> tuple[Ints, Ints | None, Ints, bool, bool, int, int]:
        flags = self.ceil_mode, self.count_include_pad
        return self.kernel, self.stride, self.padding, *flags, self.divisor, 0

    @property
    def axes(self) -> list[tuple[int, int, int, int, int]]:
        """Size, kernel, stride, padding and output size, of rows and columns."""
        strides = self.stride or self.kernel
        axes = []
        for at in (0, -1):
            size, k, s, p = self.input[-2:][at], self.kernel[at], strides[at], self.padding[at]
            out = (size + 2 * p - k + (s - 1 if self.ceil_mode else 0)) // s + 1
            if self.ceil_mode and (out - 1) * s >= size + p:
                out -= 1
            axes.append((size, k, s, p, out))
        return axes

    @property
    def output(self) -> tuple[int, ...]:
        return (*self.input[:-2], *(axis[-1] for axis in self.axes))


def random_case(rng: np.random.Generator) -> Case:
    """Attributes that the rules allow, of every length, often of unlike rows and columns."""
    while True:
        kernel = tuple(int(one) for one in rng.integers(1, 6, rng.integers(1, 3)))
        stride = tuple(int(one) for one in rng.integers(1, 7, rng.integers(0, 3)))
        padding = tuple(int(rng.integers(0, min(kernel) // 2 + 1)) for _ in range(rng.integers(1, 3)))
        if rng.integers(3) == 0:
            padding = (kernel[0] // 2, kernel[-1] // 2)
        shape = tuple(int(one) for one in rng.integers(1, (4, 5, 12, 12), 4))[rng.integers(2) :]
        divisor = int(rng.choice([0, 0, 0, 1, 7, -3, 255, -255, 10**6]))
        ceil, include = bool(rng.integers(2)), bool(rng.integers(2))
        case = Case(shape, kernel, stride if rng.integers(4) else None, padding, ceil, include, divisor)
        if all(axis[-1] > 0 for axis in case.axes):
            return case


def windows(case: Case) -> list[tuple[int, int, slice, slice, int]]:
    """By the definition: each window's place, its cells inside the input, and its divisor."""
    found = []
    (height, kh, sh, ph, out_h), (width, kw, sw, pw, out_w) = case.axes
    for oh in range(out_h):
        for ow in range(out_w):
            h0, w0 = oh * sh - ph, ow * sw - pw
            h1, w1 = min(h0 + kh, height + ph), min(w0 + kw, width + pw)
            area = (h1 - h0) * (w1 - w0)
            h0, w0, h1, w1 = max(h0, 0), max(w0, 0), min(h1, height), min(w1, width)
            divisor = case.divisor or (area if case.count_include_pad else (h1 - h0) * (w1 - w0))
            found.append((oh, ow, slice(h0, h1), slice(w0, w1), divisor))
    return found


def exact_backward(gradient: Array, case: Case) -> Array:
    result = np.zeros(case.input)
    for oh, ow, rows, cols, divisor in windows(case):
        result[..., rows, cols] += gradient[..., oh, ow, None, None] / divisor
    return result


def exact_forward(x: Array, case: Case) -> Array:
    result = np.zeros(case.output)
    for oh, ow, rows, cols, divisor in windows(case):
        result[..., oh, ow] = x[..., rows, cols].sum(axis=(-2, -1)) / divisor
    return result


def magnitude(case: Case) -> Case:
    return case._replace(divisor=abs(case.divisor))
