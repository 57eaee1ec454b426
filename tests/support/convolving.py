"""Convolution by its definition, one kernel cell and one channel at a time, in float64."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from tests.support.numerics import Array

Ints = tuple[int, ...]


class Case(NamedTuple):
    """Attributes, and the shapes of the input and the weight."""

    input: Ints
    weight: Ints
    stride: Ints
    padding: Ints
    dilation: Ints
    transposed: bool = False
    output_padding: Ints = ()
    groups: int = 1

    @property
    def axes(self) -> int:
        return len(self.input) - 2

    @property
    def pads(self) -> list[tuple[int, int]]:
        """Begin and end, for each axis."""
        if len(self.padding) == 2 * self.axes:
            return [(self.padding[2 * at], self.padding[2 * at + 1]) for at in range(self.axes)]
        return [(one, one) for one in self.padding]

    @property
    def extra(self) -> Ints:
        return self.output_padding or (0,) * self.axes

    @property
    def channels(self) -> int:
        """Channels of the output."""
        return self.weight[1] * self.groups if self.transposed else self.weight[0]

    @property
    def output(self) -> Ints:
        sizes = []
        for at, size in enumerate(self.input[2:]):
            k, s, d, pads = self.weight[at + 2], self.stride[at], self.dilation[at], sum(self.pads[at])
            if self.transposed:
                sizes.append((size - 1) * s - pads + d * (k - 1) + self.extra[at] + 1)
            else:
                sizes.append((size + pads - d * (k - 1) - 1) // s + 1)
        return (self.input[0], self.channels, *sizes)

    @property
    def attributes(self) -> tuple[Ints, Ints, Ints, bool, Ints, int]:
        return self.stride, self.padding, self.dilation, self.transposed, self.extra, self.groups


def random_case(rng: np.random.Generator) -> Case:
    """Attributes that the rules allow: every rank, dense, grouped and depthwise, plain and transposed."""
    while True:
        axes = int(rng.integers(1, 4))
        most = (14, 8, 6)[axes - 1]
        groups = int(rng.choice([1, 1, 2, 3, 5]))
        near, far = (int(one) for one in rng.integers(1, 4, 2))
        if rng.integers(4) == 0:
            near = 1  # depthwise, with a multiplier
        transposed = bool(rng.integers(2))
        kernel = tuple(int(one) for one in rng.integers(1, 5, axes))
        weight = (groups * (near if transposed else far), far if transposed else near, *kernel)
        shape = (int(rng.integers(1, 4)), groups * near, *(int(one) for one in rng.integers(1, most, axes)))
        stride, dilation = (tuple(int(one) for one in rng.integers(1, 4, axes)) for _ in range(2))
        four_sided = axes == 2 and rng.integers(2) == 0
        padding = tuple(int(one) for one in rng.integers(0, 4, axes * (1 + four_sided)))
        extra = tuple(int(rng.integers(0, one)) if transposed else 0 for one in stride)
        case = Case(shape, weight, stride, padding, dilation, transposed, extra, groups)
        if min(case.output) > 0:
            return case


def pairs(case: Case, at: int, tap: int) -> tuple[list[int], list[int]]:
    """Near cells (whose steps are one) and far cells (that the taps reach into) which meet by a tap on one axis."""
    near, far = (case.input, case.output) if case.transposed else (case.output, case.input)
    found = []
    for cell in range(near[at + 2]):
        other = cell * case.stride[at] - case.pads[at][0] + tap * case.dilation[at]
        if 0 <= other < far[at + 2]:
            found.append((cell, other))
    return [one for one, _ in found], [other for _, other in found]


def each(case: Case) -> list[tuple[Ints, slice, slice, Any, Any]]:
    """For each kernel cell and group: the tap, the channels of the near and far tensor, their cells that meet."""
    found = []
    near, far = case.weight[0] // case.groups, case.weight[1]
    for tap in np.ndindex(*case.weight[2:]):
        meeting = [pairs(case, at, one) for at, one in enumerate(tap)]
        ours, others = (np.ix_(*(np.array(both[side], int) for both in meeting)) for side in (0, 1))
        for group in range(case.groups):
            channels = slice(group * near, (group + 1) * near), slice(group * far, (group + 1) * far)
            found.append((tap, *channels, ours, others))
    return found


def at(*parts: Any) -> Any:
    """An index."""
    return parts


def forward(case: Case, x: Array, weight: Array, bias: Array | None) -> Array:
    y = np.zeros(case.output)
    for tap, near, far, ours, others in each(case):
        w = weight[at(near, slice(None), *tap)]
        if case.transposed:
            y[at(slice(None), far, *others)] += np.einsum("nc...,co->no...", x[at(slice(None), near, *ours)], w)
        else:
            y[at(slice(None), near, *ours)] += np.einsum("nc...,oc->no...", x[at(slice(None), far, *others)], w)
    return y if bias is None else y + bias.reshape(-1, *(1,) * case.axes)


def _over_cells(one: Array, other: Array) -> Array:
    """The products of each two channels, added up over samples and cells."""
    flat = (array.reshape(*array.shape[:2], prod(array.shape[2:])) for array in (one, other))
    product: Array = np.einsum("nap,nbp->ab", *flat)
    return product


def backward(case: Case, gradient: Array, x: Array, weight: Array) -> tuple[Array, Array, Array]:
    grad_input, grad_weight = np.zeros(case.input), np.zeros(case.weight)
    for tap, near, far, ours, others in each(case):
        w = weight[at(near, slice(None), *tap)]
        in_near, in_far = at(slice(None), near, *ours), at(slice(None), far, *others)
        if case.transposed:
            grad_input[in_near] += np.einsum("no...,co->nc...", gradient[in_far], w)
            product = _over_cells(x[in_near], gradient[in_far])
        else:
            grad_input[in_far] += np.einsum("no...,oc->nc...", gradient[in_near], w)
            product = _over_cells(gradient[in_near], x[in_far])
        grad_weight[at(near, slice(None), *tap)] += product
    return grad_input, grad_weight, gradient.sum(axis=(0, *range(2, gradient.ndim)))
