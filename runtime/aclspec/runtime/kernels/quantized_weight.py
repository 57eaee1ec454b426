"""The product of a matrix and a quantized one, which is scaled back first."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

_ENCODED = (np.uint64, np.int64)


def weight_quant_batch_matmul(
    x: Array,
    weight: Array,
    antiquant_scale: Array,
    antiquant_offset: Array | None,
    quant_scale: Array | None,
    quant_offset: Array | None,
    bias: Array | None,
    antiquant_group_size: int,
    y: Array,
    precision: Precision,
) -> None:
    """``x @ ((weight + antiquant_offset) * antiquant_scale) + bias``.

    - Shapes: x (..., m, k), weight (..., k, n), or (..., n, k) where the setting ``first`` is 1; scales and
      offsets one, one for each column, or (groups, n), one for each group of rows; bias ends in n.
    - An element of INT32 holds eight numbers of INT4, the first in its lowest bits, along the axis that the setting
      ``packed`` counts from the end; it is 0 where each element is one number.
    - Precision: everything is read in the role ``operand`` and runs in ``accumulate``; y is rounded to ``result``.
    - Extra memory: x, weight twice, and y in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec. A result of INT8, encoded scales, FLOAT4_E2M1 in FLOAT, and a bias
      of other batches than y have no kernel.
    """
    _require_computed(weight, antiquant_scale, antiquant_group_size, y, bias, encoded=quant_scale is not None)
    arithmetic = Arithmetic.of(precision)
    first = bool(precision["first"])
    numbers = arithmetic.read(_unpacked(weight, precision["packed"]))
    if first:
        numbers = np.ascontiguousarray(numbers.swapaxes(-1, -2))
    rows = numbers.shape[-2]

    def by_rows(parameters: Array) -> Array:
        """One row for all, or one for each row."""
        values = arithmetic.read(parameters)
        if antiquant_group_size == 0:
            return values.reshape(1, -1)
        return np.repeat(values.T if first else values, antiquant_group_size, 0)[:rows]

    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        if antiquant_offset is not None:
            numbers = numbers + by_rows(antiquant_offset)
        total = np.matmul(arithmetic.read(x), numbers * by_rows(antiquant_scale))
        if bias is not None:
            total += arithmetic.read(bias)
        arithmetic.write(y, total)


def _require_computed(
    weight: Array, scale: Array, group_size: int, y: Array, bias: Array | None, encoded: bool
) -> None:
    """Refuse what the rules of outcome ``undefined`` in the spec name."""
    sentence = None
    if encoded or scale.dtype in _ENCODED:
        sentence = "No kernel computes a product with encoded scales, those of 64 bits."
    elif weight.dtype.kind == "f" and weight.itemsize >= 4:
        sentence = "No kernel computes a product with eight numbers of FLOAT4_E2M1 in a FLOAT."
    elif group_size == 0 and scale.size not in (1, y.shape[-1]):
        sentence = f"No kernel computes a product with {scale.size} scales for {y.shape[-1]} columns."
    elif bias is not None and bias.ndim > 2 and bias.shape != (*y.shape[:-2], 1, y.shape[-1]):
        sentence = f"No kernel computes a product of shape {y.shape} with a bias of shape {bias.shape}."
    if sentence is not None:
        function = "aclnnWeightQuantBatchMatmulV2"
        raise AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)


def _unpacked(words: Array, packed: DType | str | int) -> Array:
    """The numbers that eight to an element of INT32 lie along an axis."""
    if packed == 0:
        return words
    assert isinstance(packed, int)
    turned = np.moveaxis(words, -packed, -1)
    nibbles = turned[..., None] >> np.arange(0, 32, 4, dtype=np.int32) & np.int32(15)
    numbers = ((nibbles ^ 8) - 8).astype(np.int8)  # 8 to 15 are -8 to -1
    return np.moveaxis(numbers.reshape(*turned.shape[:-1], -1), -1, -packed)
