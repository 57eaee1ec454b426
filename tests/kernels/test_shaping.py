"""Shapes that change: padding that cuts, and shifts without axes."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import shaping

ROLES = {"operand": DType.INT32, "accumulate": DType.INT32}


@pytest.mark.parametrize("pad", [*product((-4, -1, 0, 2), repeat=2), *product((-1, 0, 3), repeat=4)])
def test_a_negative_padding_cuts(pad: tuple[int, ...]) -> None:
    x = np.arange(20).reshape(4, 5)
    pairs = [(0, 0)] * (2 - len(pad) // 2) + [pad[at : at + 2] for at in range(len(pad) - 2, -1, -2)]
    wide = np.pad(x, 9, constant_values=-7)
    expected = wide[tuple(slice(9 - at, 9 + n + to) for (at, to), n in zip(pairs, x.shape, strict=True))]
    out = np.zeros_like(expected)
    shaping.constant_pad(x, pad, -7, out, ROLES)
    assert out.tolist() == expected.tolist()


def test_the_constant_is_rounded_once() -> None:
    out = np.zeros(2, ml_dtypes.bfloat16)
    shaping.constant_pad(np.ones(1, out.dtype), [0, 1], 1 + 2.0**-8 + 2.0**-40, out, ROLES)
    assert out.tolist() == [1, 1 + 2.0**-7]


def test_a_shift_without_axes_is_one_of_all_elements() -> None:
    x, out = np.arange(6).reshape(2, 3), np.zeros((2, 3), np.int64)
    shaping.roll(x, [2], [], out, ROLES)
    assert out.tolist() == [[4, 5, 0], [1, 2, 3]]
    shaping.roll(x, [1, 1], [0, -1], out, ROLES)
    assert out.tolist() == [[5, 3, 4], [2, 0, 1]]
