"""What the generated checks call: the functions of the predicate language that are no single expression.

Written apart from the interpreter's library, so that each can be held against the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, TypeAlias

from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format

Shape: TypeAlias = tuple[int, ...]
Inferred: TypeAlias = tuple[Shape, DType, Format | None] | None
"""An output that follows from the inputs: its shape, its dtype, and its format where the spec says one."""
InferredList: TypeAlias = tuple[tuple[Shape, DType, Format | None], ...] | None
"""An output that is a list of tensors: what each of them is."""

_LARGEST: Final = 2**63 - 1
_BOOLEAN, _INTEGER, _FLOATING, _COMPLEX = range(4)
# The kind and the width of a part in bytes of each dtype that promotes.
_WIDTHS: Final = {
    DType.BOOL: (_BOOLEAN, 1),
    DType.UINT8: (_INTEGER, 1),
    DType.INT8: (_INTEGER, 1),
    DType.INT16: (_INTEGER, 2),
    DType.INT32: (_INTEGER, 4),
    DType.INT64: (_INTEGER, 8),
    DType.FLOAT16: (_FLOATING, 2),
    DType.BF16: (_FLOATING, 2),
    DType.FLOAT: (_FLOATING, 4),
    DType.DOUBLE: (_FLOATING, 8),
    DType.COMPLEX32: (_COMPLEX, 2),
    DType.COMPLEX64: (_COMPLEX, 4),
    DType.COMPLEX128: (_COMPLEX, 8),
}
_CAST_KINDS: Final = {dtype: kind for dtype, (kind, _) in _WIDTHS.items()} | {
    DType.UINT16: _INTEGER,
    DType.UINT32: _INTEGER,
    DType.UINT64: _INTEGER,
    DType.INT4: _INTEGER,
    DType.HFLOAT32: _FLOATING,
}


def broadcastable(left: Shape, right: Shape) -> bool:
    """Whether two shapes broadcast: from the last axis on, sizes are equal or one of them is 1."""
    if left == right:
        return True
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one not in (1, other) and other != 1:
            return False
    return True


def broadcast(left: Shape, right: Shape) -> Shape:
    """The common shape of two shapes that broadcast."""
    if left == right:
        return left
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    lead = len(longer) - len(shorter)
    return longer[:lead] + tuple(other if one == 1 else one for one, other in zip(longer[lead:], shorter, strict=True))


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-dividend // divisor)


def conv_out(size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int) -> int:
    """The output size of a convolution along one axis, for a positive stride."""
    return (size + pad_before + pad_after - dilation * (kernel - 1) - 1) // stride + 1


def pool_out(
    size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int, ceil_mode: bool
) -> int:
    """The output size of a pooling along one axis, for a positive stride; in ceil mode no window starts outside."""
    if not ceil_mode:
        return conv_out(size, kernel, stride, pad_before, pad_after, dilation)
    out = ceil_div(size + pad_before + pad_after - dilation * (kernel - 1) - 1, stride) + 1
    return out - ((out - 1) * stride >= size + pad_before)


def conv_transpose_out(
    size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int, output_padding: int
) -> int:
    """The output size of a transposed convolution along one axis, for a positive stride."""
    return (size - 1) * stride - pad_before - pad_after + dilation * (kernel - 1) + output_padding + 1


def promotable(left: DType, right: DType) -> bool:
    """Whether two dtypes have a common one."""
    return left == right or (left in _WIDTHS and right in _WIDTHS)


def promote(left: DType, right: DType) -> DType:
    """The common dtype of two that have one: the wider of a kind, and of two kinds one of the higher."""
    if left == right:
        return left
    low, high = sorted((left, right), key=_WIDTHS.__getitem__)
    (kind, width), (upper, size) = _WIDTHS[low], _WIDTHS[high]
    if upper == _COMPLEX and kind == _FLOATING:
        return DType.COMPLEX128 if max(width, size) == 8 else DType.COMPLEX64 if low != DType.FLOAT16 else high
    if kind == upper and width == size:  # UINT8 and INT8, FLOAT16 and BF16
        return DType.INT16 if kind == _INTEGER else DType.FLOAT
    return high


def castable(source: DType, target: DType) -> bool:
    """Whether values of one dtype may be converted to another: to its own kind or to a higher one."""
    lower, upper = _CAST_KINDS.get(source), _CAST_KINDS.get(target)
    return lower is not None and upper is not None and lower <= upper


def scaled(size: int, factor: float) -> int:
    """The product of a size and a factor, rounded down, within what an int64 holds; 0 for what is not a number."""
    try:
        product = float(size) * factor
    except OverflowError:
        product = (math.inf if size > 0 else -math.inf) * factor
    if math.isnan(product):
        return 0
    if abs(product) >= 2.0**63:
        return _LARGEST if product > 0 else -_LARGEST
    return math.floor(product)


def cut(values: tuple[int, ...], start: int, stop: int | None) -> tuple[int, ...]:
    """A part of a list; ``stop`` is None for its end."""
    return values[start:stop]


def is_private(format: Format | None) -> bool:
    """Whether a format is private to the hardware."""
    return format is not None and format.is_private


def in_some_row(dtypes: Iterable[tuple[DType, ...]], rows: Iterable[tuple[tuple[DType, ...] | None, ...]]) -> bool:
    """Whether one row allows the dtypes of every parameter; None is a cell that takes any, () a parameter not given."""
    given = tuple(dtypes)
    return any(
        all(cell is None or all(dtype in cell for dtype in found) for found, cell in zip(given, row, strict=True))
        for row in rows
    )
