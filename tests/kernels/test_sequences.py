"""Sequences where references say too little: fractions, large integers, numbers that are rounded as they are read."""

from __future__ import annotations

import numpy as np

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import sequences


def test_linspace_of_integers_loses_the_fraction() -> None:
    out = np.zeros((2, 2), np.int32)
    ops.linspace(0, 10, 4, out=out)
    assert out.tolist() == [[0, 3], [6, 10]]
    ops.linspace(0, -10, 4, out=out)
    assert out.tolist() == [[0, -3], [-6, -10]]
    assert ops.linspace(2.5, 7.0, 1).out.tolist() == [2.5]


def test_arange_of_integers_is_exact() -> None:
    first = 2**62 + 1
    assert ops.arange(first, first + 3, 1).out.tolist() == [first, first + 1, first + 2]


def test_numbers_are_rounded_to_the_operand_and_computed_in_double() -> None:
    out = np.zeros(2)
    sequences.arange(0.1, 1.0, 0.2, out, {"operand": DType.FLOAT})
    assert out.tolist() == [np.float32(0.1), float(np.float32(0.1)) + float(np.float32(0.2))]
    sequences.linspace(-1.0, 2.0**24, 2, out, {"operand": DType.FLOAT})
    assert out.tolist() == [-1, 2**24]
