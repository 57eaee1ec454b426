"""The largest or smallest elements along one axis."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision, round_to


def topk(
    values: Array,
    k: int,
    dim: int,
    largest: bool,
    in_order: bool,
    chosen: Array,
    indices: Array,
    precision: Precision,
) -> None:
    """Write the first k elements along one axis of those sorted by size, and their indices.

    - Order: a NaN is larger than every number; of equal elements the one with the smaller index stands first.
    - Precision: the elements are rounded to the role ``operand`` before they are compared.
    - Extra memory: two index arrays of the size of values, and a copy of them.
    - Source: the formula of the operator's spec.
    """
    del in_order
    operand = precision["operand"]
    assert isinstance(operand, DType)
    source = np.atleast_1d(values if values.dtype == operand.numpy else round_to(values, operand))
    keys = source if source.dtype.isbuiltin == 1 else source.astype(np.float32)  # sorting BF16 stops at a NaN
    if largest:  # sorted from the end, so that equal elements keep their order when the result is turned round
        last = source.shape[dim] - 1
        order = last - np.flip(np.argsort(np.flip(keys, dim), dim, kind="stable"), dim)
    else:
        order = np.argsort(keys, dim, kind="stable")
    first = np.take(order, np.arange(k), axis=dim)
    np.copyto(indices, first.reshape(indices.shape))
    np.copyto(chosen, np.take_along_axis(source, first, dim).reshape(chosen.shape), casting="unsafe")
