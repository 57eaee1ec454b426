"""Compiled kernel of `aclspec.runtime.kernels.batch_norm_elemt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.kernels.batch_norm_elemt import coefficients
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native.plans import Run, check, common_dtype, computes_in_float, rows, usable


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
    if dtype is None or x.ndim < 2 or not computes_in_float(precision, dtype):
        return None
    c = usable(grad_out, x, grad_input)
    if c is None:
        return None
    plan, address, compute = rows(c, dtype, x.shape, False), c.ffi.from_buffer, c.lib.aclspec_batch_norm_elemt
    arithmetic = Arithmetic.of(precision)

    def run(values: Sequence[Any]) -> None:
        grad_out, x, *of_channels, grad_input = values
        with np.errstate(all="ignore"):
            coefficient = coefficients(arithmetic, *of_channels)
        place = c.ffi.cast("float *", address(coefficient))
        check(compute(plan, address(grad_out), address(x), place, address(grad_input)))

    return run
