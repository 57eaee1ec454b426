"""The sum of a matrix and a product: where the product is rounded, and what is not read."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.matmul import addmm

ROLES = {"operand": DType.FLOAT16, "accumulate": DType.FLOAT, "result": DType.FLOAT16, "wide": DType.FLOAT}
LEFT = np.array([[1, 2.0**-6]], np.float16)
RIGHT = np.array([[1], [2.0**-6]], np.float16)
"""Their product is 1 + 2**-12, which is no number of FLOAT16."""


def test_the_product_is_rounded_where_the_output_is_narrow() -> None:
    added, out = np.array([[2.0**-11 - 2.0**-13]], np.float16), np.zeros((1, 1), np.float16)
    addmm(added, LEFT, RIGHT, 1.0, 1.0, out, 1, ROLES)
    assert out == 1
    wide: Any = np.zeros((1, 1), np.float32)
    addmm(added, LEFT, RIGHT, 1.0, 1.0, wide, 1, ROLES)
    assert wide == 1 + 2.0**-12 + 2.0**-11 - 2.0**-13
    addmm(added, LEFT, RIGHT, 1.0, 1.0, wide, 1, {**ROLES, "wide": DType.FLOAT16})
    assert wide == 1 + 2.0**-11 - 2.0**-13


def test_the_factors_are_float() -> None:
    """In FLOAT16 either product would be infinite."""
    out = np.zeros((1, 1), np.float32)
    addmm(np.array([[60000.0]], np.float16), LEFT, RIGHT, 4.0, 2.0**17, out, 1, ROLES)
    assert out == 240000 + 2**17 + 2**5


def test_what_is_added_is_not_read_where_its_factor_is_zero() -> None:
    out = np.zeros((1, 1), np.float32)
    addmm(np.array([[np.nan]], np.float16), LEFT, RIGHT, 0.0, 1.0, out, 1, ROLES)
    assert out == 1 + 2.0**-12
