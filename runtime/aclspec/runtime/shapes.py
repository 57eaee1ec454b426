"""What the generated checks call: the functions of the predicate language that are no single expression.

Written apart from the interpreter's library, so that each can be held against the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format

Shape: TypeAlias = tuple[int, ...]
Inferred: TypeAlias = tuple[Shape, DType, Format | None] | None
"""An output that follows from the inputs: its shape, its dtype, and its format where the spec says one."""

_PROMOTES_TO_FLOAT: Final = (DType.FLOAT, DType.FLOAT16, DType.BF16)


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
    return left == right or (left in _PROMOTES_TO_FLOAT and right in _PROMOTES_TO_FLOAT)


def promote(left: DType, right: DType) -> DType:
    """The common dtype of two that have one: floating dtypes that differ meet in FLOAT."""
    return left if left == right else DType.FLOAT


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
