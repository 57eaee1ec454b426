"""Functions of the predicate language that generated checks call.

They share no code with the interpreter's library, so that tests can compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce as fold
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.tensors.layout import Layout

if TYPE_CHECKING:
    from aclspec.runtime.tensors.tensor import Scalar, Tensor

Shape: TypeAlias = tuple[int, ...]
Inferred: TypeAlias = tuple[Shape, DType, Format | None] | None
"""An output that follows from the inputs: its shape, its dtype, and its format where the spec says one."""
InferredList: TypeAlias = tuple[tuple[Shape, DType, Format | None], ...] | None
"""An output that is a list of tensors: what each of them is."""

_LARGEST: Final = 2**63 - 1
_MOST: Final = 2**126
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

_NARROW_BITS: Final = {
    DType.INT4: 4,
    DType.UINT1: 1,
    DType.FLOAT6_E3M2: 6,
    DType.FLOAT6_E2M3: 6,
    DType.FLOAT4_E2M1: 4,
    DType.FLOAT4_E1M2: 4,
}


def fits_int64(*tensors: Tensor | None) -> bool:
    """Whether sizes and the number of elements of each tensor and of its storage are INT64."""
    for tensor in tensors:  # noqa: SIM110 - every check asks, and a loop is faster
        if tensor is not None and not tensor.fits_int64:
            return False
    return True


def is_int64(number: int) -> bool:
    """Whether a number is an INT64."""
    return -_LARGEST - 1 <= number <= _LARGEST


def is_bounded(number: int) -> bool:
    """Whether a number is one that the language counts to."""
    return -_MOST <= number <= _MOST


def broadcastable(left: Shape, right: Shape) -> bool:
    """Whether two shapes broadcast: from the last axis on, sizes are equal or one of them is 1."""
    if left == right:
        return True
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one not in (1, other) and other != 1:
            return False
    return True


def broadcast(left: Shape, right: Shape) -> Shape:
    """The common shape of two shapes; ValueError where they do not broadcast."""
    if left == right:
        return left
    if not broadcastable(left, right):
        raise ValueError(f"The shapes {left} and {right} do not broadcast.")
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    lead = len(longer) - len(shorter)
    return longer[:lead] + tuple(other if one == 1 else one for one, other in zip(longer[lead:], shorter, strict=True))


def indexable(shape: Shape, indices: Sequence[Tensor | None]) -> bool:
    """Whether tensors of indices choose something of a shape: they broadcast, and are no more than its axes."""
    if len(indices) > len(shape):
        return False
    found: Shape | None = None
    for index in indices:
        if index is None:
            return False
        if 0 not in index.shape:
            if found is not None and not broadcastable(found, index.shape):
                return False
            found = index.shape if found is None else broadcast(found, index.shape)
    return found is not None


def index_shape(shape: Shape, indices: Sequence[Tensor | None]) -> Shape:
    """The shape of what tensors of indices choose, each for one of the first axes; one without elements is for all.

    The axes to which the others broadcast stand in the place of those, or come first where whole axes stand between.
    """
    chosen = [index is not None and 0 not in index.shape for index in indices]
    places = [at for at, is_chosen in enumerate(chosen) if is_chosen]
    common = fold(broadcast, (index.shape for index in indices if index is not None and 0 not in index.shape))
    first, stop = places[0], places[-1] + 1
    if all(chosen[first:stop]):
        return shape[:first] + common + shape[stop:]
    return common + tuple(size for at, size in enumerate(shape) if at not in places)


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-dividend // divisor)


def range_len(start: float, stop: float, step: float) -> int:
    """The quotient of ``stop - start`` and a step that is not 0, rounded up, and at least 0.

    Integers are divided exactly, other numbers in float64; the answer is 0 where the quotient is not a number.
    """
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(0, ceil_div(stop - start, step))
    return max(0, -scaled(1, (float(start) - float(stop)) / float(step)))


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
        return DType.COMPLEX128 if max(width, size) == 8 else DType.COMPLEX64 if width == 4 else high
    if kind == upper and width == size:  # UINT8 and INT8, FLOAT16 and BF16
        return DType.INT16 if kind == _INTEGER else DType.FLOAT
    return high


def promotable_all(dtypes: Sequence[DType]) -> bool:
    """Whether there are dtypes, and they have a common one."""
    return len(dtypes) > 0 and all(promotable(dtypes[0], dtype) for dtype in dtypes)


def promote_all(dtypes: Sequence[DType]) -> DType:
    """The common dtype of some that have one."""
    return fold(promote, dtypes)


def castable(source: DType, target: DType) -> bool:
    """Whether values of one dtype may be converted to another: to itself, to its own kind or to a higher one."""
    if source == target:
        return True
    lower, upper = _CAST_KINDS.get(source), _CAST_KINDS.get(target)
    return lower is not None and upper is not None and lower <= upper


def promotable_scalar(tensor: DType, scalar: DType) -> bool:
    """Whether a tensor and a scalar of these dtypes have a common one."""
    return tensor in _CAST_KINDS and scalar in _CAST_KINDS


def promote_scalar(tensor: DType, scalar: DType) -> DType:
    """The dtype of a tensor, unless the scalar is of a higher kind: then the default dtype of that kind."""
    kind = _CAST_KINDS[scalar]
    if kind <= _CAST_KINDS[tensor]:
        return tensor
    if kind == _COMPLEX:
        return {DType.FLOAT16: DType.COMPLEX32, DType.DOUBLE: DType.COMPLEX128}.get(tensor, DType.COMPLEX64)
    return DType.FLOAT if kind == _FLOATING else scalar


def itemsize(dtype: DType) -> int:
    """The bytes of an element; those narrower than a byte count as one."""
    return dtype.itemsize


def bits(dtype: DType) -> int:
    """The bits of an element."""
    return _NARROW_BITS.get(dtype, 8 * dtype.itemsize)


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


def replace(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """A list with another value at an index inside it."""
    return (*values[:index], value, *values[index + 1 :])


def remove(values: tuple[int, ...], index: int) -> tuple[int, ...]:
    """A list without the value at an index inside it."""
    return values[:index] + values[index + 1 :]


def insert(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """A list with one more value before an index, or at its end."""
    return (*values[:index], value, *values[index:])


def reduce(shape: Shape, axes: tuple[int, ...], keep: bool) -> Shape:
    """The shape without these axes, or with size 1 in their place; negative ones count from the end."""
    reduced = {axis % len(shape) for axis in axes}
    return tuple(1 if at in reduced else size for at, size in enumerate(shape) if keep or at not in reduced)


def wrap(axis: int, rank: int) -> int:
    """An axis inside -rank <= axis < rank, counted from the front."""
    return axis % rank


def distinct(values: tuple[int, ...]) -> bool:
    """Whether no two elements are equal."""
    ordered = sorted(values)
    return all(one < other for one, other in pairwise(ordered))


def value(scalar: Scalar) -> float:
    """The number of a scalar that is not complex."""
    return scalar.value.real


def is_transposed(tensor: Tensor) -> bool:
    """Whether a tensor is a contiguous one with its last two axes swapped."""
    shape, strides = tensor.shape, tensor.strides
    if len(shape) < 2:
        return False
    swapped = (*strides[:-2], strides[-1], strides[-2])
    return Layout(swapped, 0, ()).is_contiguous((*shape[:-2], shape[-1], shape[-2]))


def is_private(format: Format | None) -> bool:
    """Whether a format is private to the hardware."""
    return format is not None and format.is_private


def in_some_row(
    dtypes: Iterable[tuple[DType | None, ...]], rows: Iterable[tuple[tuple[DType | None, ...] | None, ...]]
) -> bool:
    """Whether one row allows the dtypes of every parameter.

    None is a cell that takes any, () a parameter not given; None among dtypes is a null that only some rows allow.
    """
    given = tuple(dtypes)
    return any(
        all(cell is None or all(dtype in cell for dtype in found) for found, cell in zip(given, row, strict=True))
        for row in rows
    )
