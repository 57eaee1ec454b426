"""The function library of the predicate language, as the interpreter computes it.

Written apart from the helpers of the generated checks, so that the two can be compared. Every function is total
over defined arguments: where it has no value it is `UNDEFINED`. Undefined arguments never arrive here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from aclspec.runtime.formats import Format
from aclspec.runtime.predicate.functions import MAX_RANGE
from aclspec.runtime.predicate.values import UNDEFINED, Undefined, dtype_of, shape_of

Ints = tuple[int, ...]

# The dtypes right above each one, as far as dtypes promote at all; two of them meet in the lowest one above both.
_ABOVE: Final[dict[str, tuple[str, ...]]] = {
    "BOOL": ("UINT8", "INT8"),
    "UINT8": ("INT16",),
    "INT8": ("INT16",),
    "INT16": ("INT32",),
    "INT32": ("INT64",),
    "INT64": ("FLOAT16", "BF16"),
    "FLOAT16": ("FLOAT", "COMPLEX32"),
    "BF16": ("FLOAT",),
    "FLOAT": ("DOUBLE", "COMPLEX64"),
    "COMPLEX32": ("COMPLEX64",),
    "DOUBLE": ("COMPLEX128",),
    "COMPLEX64": ("COMPLEX128",),
    "COMPLEX128": (),
}
_LARGEST: Final = 2**63 - 1
_KINDS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"BOOL"}),
    frozenset({"UINT8", "INT8", "INT16", "INT32", "INT64", "UINT16", "UINT32", "UINT64", "INT4"}),
    frozenset({"FLOAT16", "BF16", "FLOAT", "DOUBLE", "HFLOAT32"}),
    frozenset({"COMPLEX32", "COMPLEX64", "COMPLEX128"}),
)


def _dim(tensor: Any, axis: int) -> int | Undefined:
    shape = shape_of(tensor)
    return shape[axis] if 0 <= axis < len(shape) else UNDEFINED


def _ceil_div(left: int, right: int) -> int | Undefined:
    return UNDEFINED if right == 0 else -(-left // right)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    """``min`` and ``max``: of one list, or of two and more values; undefined over nothing."""

    def extreme(*values: Any) -> Any:
        items = values[0] if len(values) == 1 and isinstance(values[0], tuple) else values
        return choose(items) if items else UNDEFINED

    return extreme


def broadcast(left: Ints, right: Ints) -> Ints | Undefined:
    """The common shape of two shapes, aligned at their last axes; undefined when some axis has two sizes."""
    rank = max(len(left), len(right))
    padded = zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True)
    sizes: list[int] = []
    for one, other in padded:
        if one != other and 1 not in (one, other):
            return UNDEFINED
        sizes.append(other if one == 1 else one)
    return tuple(sizes)


def promote(left: str, right: str) -> str | Undefined:
    """The dtype in which two dtypes meet; undefined when they have none."""
    if left == right:
        return left
    if left not in _ABOVE or right not in _ABOVE:
        return UNDEFINED
    common = _not_below(left) & _not_below(right)
    return next(dtype for dtype in common if common <= _not_below(dtype))


@cache
def _not_below(dtype: str) -> frozenset[str]:
    """The dtype and all above it."""
    return frozenset({dtype}).union(*(_not_below(upper) for upper in _ABOVE[dtype]))


def _castable(source: str, target: str) -> bool:
    kinds = [next((place for place, kind in enumerate(_KINDS) if dtype in kind), None) for dtype in (source, target)]
    return kinds[0] is not None and kinds[1] is not None and kinds[0] <= kinds[1]


def _scaled(size: int, factor: float) -> int:
    try:
        product = size * factor
    except OverflowError:  # a size beyond all floating-point numbers
        product = (math.inf if size > 0 else -math.inf) * factor
    if math.isnan(product):
        return 0
    return math.floor(product) if abs(product) < _LARGEST else math.floor(math.copysign(1, product)) * _LARGEST


def _slice(values: tuple[Any, ...], start: int, stop: int) -> tuple[Any, ...] | Undefined:
    return values[start:stop] if 0 <= start <= stop <= len(values) else UNDEFINED


def _range(start: int, stop: int) -> Ints | Undefined:
    return tuple(range(start, stop)) if stop - start <= MAX_RANGE else UNDEFINED


def _windows(length: int, kernel: int, stride: int, dilation: int) -> int:
    """How many windows start inside a padded axis and end there."""
    reach = dilation * (kernel - 1) + 1
    return (length - reach) // stride + 1


def _pool_out(
    size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int, ceil_mode: bool
) -> int | Undefined:
    if stride <= 0:
        return UNDEFINED
    padded = size + pad_before + pad_after
    if not ceil_mode:
        return _windows(padded, kernel, stride, dilation)
    count = _windows(padded + stride - 1, kernel, stride, dilation)
    last_start = (count - 1) * stride
    return count - 1 if last_start >= size + pad_before else count


def _conv_out(size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int) -> int | Undefined:
    return UNDEFINED if stride <= 0 else _windows(size + pad_before + pad_after, kernel, stride, dilation)


def _conv_transpose_out(
    size: int, kernel: int, stride: int, pad_before: int, pad_after: int, dilation: int, output_padding: int
) -> int | Undefined:
    if stride <= 0:
        return UNDEFINED
    return (size - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - pad_before - pad_after


IMPLEMENTATIONS: Final[dict[str, Callable[..., Any]]] = {
    "rank": lambda tensor: len(shape_of(tensor)),
    "numel": lambda tensor: math.prod(shape_of(tensor)),
    "dim": _dim,
    "shape": shape_of,
    "dtype": dtype_of,
    "is_empty": lambda tensor: 0 in shape_of(tensor),
    "is_contiguous": lambda tensor: bool(tensor.is_contiguous),
    "is_private": lambda name: Format[name].is_private,
    "len": len,
    "prod": math.prod,
    "sum": sum,
    "min": _extreme(min),
    "max": _extreme(max),
    "abs": abs,
    "ceil_div": _ceil_div,
    "pool_out": _pool_out,
    "conv_out": _conv_out,
    "conv_transpose_out": _conv_transpose_out,
    "broadcast": broadcast,
    "broadcastable": lambda left, right: broadcast(left, right) is not UNDEFINED,
    "range": _range,
    "promote": promote,
    "castable": _castable,
    "scaled": _scaled,
    "slice": _slice,
}
