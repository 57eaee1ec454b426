"""Compiled kernel of `aclspec.runtime.kernels.batch_norm_elemt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels.batch_norm_elemt import coefficients
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native.calls import calling
from aclspec.runtime.native.library import Library
from aclspec.runtime.native.plans import FLOATS, Run, check, common_dtype, computes_in_float, floats, rows, usable


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
    plan = rows(c, dtype, x.shape, False, rounds)
    of_channels = _channels(c, precision, (mean, invstd, sum_dy, sum_dy_xmu, weight), counter)
    if of_channels is None:
        return _by_numpy(c, plan, precision)
    weights = None if weight is None else 4
    return calling(c, "batch_norm_elemt", plan, of_channels, 2, 3, 5, 6, weights, 7, 0, 1, 8)


def _channels(c: Library, precision: Precision, arrays: Sequence[Array | None], counter: Array) -> Any | None:
    """How C sees what belongs to channels; None where it cannot take that as it is."""
    operand, accumulate = precision["operand"], precision["accumulate"]
    known = [kind for kind in FLOATS if operand in (DType.FLOAT, kind) and accumulate in (DType.FLOAT, kind)]
    kinds = [known[0] if one is None else BY_NUMPY.get(one.dtype) for one in arrays]
    if any(kind not in known for kind in kinds) or counter.dtype != np.int32 or usable(*arrays, counter) is None:
        return None
    return c.ffi.new("aclspec_channels *", (kinds, counter.size))


def _by_numpy(c: Library, plan: Any, precision: Precision) -> Run:
    """What belongs to channels by the NumPy kernel."""
    arithmetic, address, compute = Arithmetic.of(precision), c.ffi.from_buffer, c.lib.aclspec_batch_norm_elemt

    def run(values: Sequence[Any]) -> None:
        grad_out, x, *of_channels, grad_input = values
        with np.errstate(all="ignore"):
            coefficient = floats(coefficients(arithmetic, *of_channels))
        place = c.ffi.cast("float *", address(coefficient))
        check(compute(plan, address(grad_out), address(x), place, address(grad_input)))

    return run
