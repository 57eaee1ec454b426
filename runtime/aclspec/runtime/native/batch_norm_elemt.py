"""Compiled kernel of `aclspec.runtime.kernels.batch_norm_elemt`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.kernels.batch_norm_elemt import coefficients
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native.plans import Run, check, common_dtype, computes_in_float, floats, rows, usable


def batch_norm_elemt_backward(
    grad_out: Array,
    x: Array,
    mean: Array,
    invstd: Array,
    weight: Array | None,
    sum_dy: Array,
    sum_dy_xmu: Array,
    counter: Array,
    grad_input: Array,
    precision: Precision,
) -> Run | None:
    """The same bits as NumPy's."""
    dtype = common_dtype(grad_out, x, grad_input)
    if dtype is None or x.ndim < 2:
        return None
    rounds = dtype is not DType.FLOAT and precision["accumulate"] is dtype
    if not computes_in_float({**precision, "accumulate": DType.FLOAT} if rounds else precision, dtype):
        return None
    c = usable(grad_out, x, grad_input)
    if c is None:
        return None
    if rounds and prod(x.shape[2:]) < c.lib.ACLSPEC_SHORT_ROW:
        return None  # the kernel of short rows does not round in between
    plan, address, compute = rows(c, dtype, x.shape, False, rounds), c.ffi.from_buffer, c.lib.aclspec_batch_norm_elemt
    arithmetic = Arithmetic.of(precision)

    def run(values: Sequence[Any]) -> None:
        grad_out, x, *of_channels, grad_input = values
        with np.errstate(all="ignore"):
            coefficient = floats(coefficients(arithmetic, *of_channels))
        place = c.ffi.cast("float *", address(coefficient))
        check(compute(plan, address(grad_out), address(x), place, address(grad_input)))

    return run
