"""Averages whose sums lose in FLOAT what they keep in float64."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.adaptive_pool import adaptive_avg_pool2d


def test_sums_run_in_double() -> None:
    out = np.zeros((1, 1), np.float32)
    roles = {"operand": DType.FLOAT, "accumulate": DType.FLOAT, "result": DType.FLOAT}
    adaptive_avg_pool2d(np.array([[2.0**24, 1, 1, 1, 1]], np.float32), [1, 1], out, roles)
    assert out == np.float32((2**24 + 4) / 5)
