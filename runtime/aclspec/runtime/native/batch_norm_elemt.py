"""Compiled kernel of `aclspec.runtime.kernels.batch_norm_elemt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import BY_NUMPY, DType
from aclspec.runtime.kernels.batch_norm_elemt import coefficients
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native.arguments import FLOATS, check, common_dtype, computes_in_float, floats, rows, usable
from aclspec.runtime.native.library import Library


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
) -> bool:
    """The same bits as NumPy's."""
    dtype = common_dtype(grad_out, x, grad_input)
    if dtype is None or x.ndim < 2:
        return False
    rounds = dtype is not DType.FLOAT and precision["accumulate"] is dtype
    if not computes_in_float({**precision, "accumulate": DType.FLOAT} if rounds else precision, dtype):
        return False
    c = usable(grad_out, x, grad_input)
    if c is None:
        return False
    of, address = rows(c, dtype, x.shape, False, rounds), c.ffi.from_buffer
    of_channels = (mean, invstd, sum_dy, sum_dy_xmu, weight)
    channels = _channels(c, precision, of_channels, counter)
    ends = address(grad_out), address(x)
    if channels is None:
        arithmetic = Arithmetic.of(precision)
        with np.errstate(all="ignore"):
            coefficient = floats(coefficients(arithmetic, mean, invstd, weight, sum_dy, sum_dy_xmu, counter))
        place = c.ffi.cast("float *", address(coefficient))
        check(c.lib.aclspec_batch_norm_elemt(of, *ends, place, address(grad_input)))
        return True
    arrays = [c.ffi.NULL if one is None else address(one) for one in of_channels]
    counts = address("int32_t[]", counter)
    check(c.lib.aclspec_batch_norm_elemt_of(of, channels, arrays, counts, *ends, address(grad_input)))
    return True


def _channels(c: Library, precision: Precision, arrays: Sequence[Array | None], counter: Array) -> Any | None:
    """How C sees what belongs to channels; None where it cannot take that as it is."""
    operand, accumulate = precision["operand"], precision["accumulate"]
    known = [kind for kind in FLOATS if operand in (DType.FLOAT, kind) and accumulate in (DType.FLOAT, kind)]
    kinds = [known[0] if one is None else BY_NUMPY.get(one.dtype) for one in arrays]
    if any(kind not in known for kind in kinds) or counter.dtype != np.int32 or usable(*arrays, counter) is None:
        return None
    return c.ffi.new("aclspec_channels *", (kinds, counter.size))
