"""The function library of the predicate language, as the evaluator computes it.

It shares no code with the helpers of the generated checks, so that each can be tested against the other. Every
function is total over defined arguments: where it has no value it is `UNDEFINED`. Undefined arguments never arrive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.functions import MAX_RANGE, MOST
from aclspec.runtime.language.values import UNDEFINED, Undefined, dtype_of, shape_of, strides_of

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
_COMPLEX_OF: Final = {"FLOAT16": "COMPLEX32", "DOUBLE": "COMPLEX128"}
_NAMED_BITS: Final = {"FLOAT": 32, "DOUBLE": 64, "BOOL": 8}
_LARGEST: Final = 2**63 - 1
_KINDS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"BOOL"}),
    frozenset({"UINT8", "INT8", "INT16", "INT32", "INT64", "UINT16", "UINT32", "UINT64", "INT4"}),
    frozenset({"FLOAT16", "BF16", "FLOAT", "DOUBLE", "HFLOAT32"}),
    frozenset({"COMPLEX32", "COMPLEX64", "COMPLEX128"}),
)


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, undefined where its value is an integer that the language does not count to."""

    def value_of(*args: Any) -> Any:
        found = function(*args)
        return UNDEFINED if type(found) is int and not -MOST <= found <= MOST else found

    return value_of


def windows(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of sliding windows: it has a value only of arguments that are INT64."""
    inside = bounded(function)

    def value_of(*args: int) -> Any:
        return inside(*args) if all(map(_is_int64, args)) else UNDEFINED

    return value_of


def _is_int64(number: int) -> bool:
    return -_LARGEST - 1 <= number <= _LARGEST


def fits_int64(value: Any) -> bool:
    """Whether sizes and the number of elements of each tensor of a value and of its storage are INT64."""
    if isinstance(value, tuple):
        return all(map(fits_int64, value))
    if not hasattr(value, "strides"):
        return True
    return _is_counted(value.shape) and _is_counted(value.storage_shape)


def _is_counted(sizes: Sequence[int]) -> bool:
    return all(map(_is_int64, (*sizes, math.prod(sizes))))


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


def _index_shape(shape: Ints, indices: tuple[Any, ...]) -> Ints | Undefined:
    """The shape of what tensors of indices choose, each for one of the first axes; one without elements is for all."""
    if any(one is None for one in indices) or len(indices) > len(shape):
        return UNDEFINED
    shapes = [shape_of(one) for one in indices]
    named = [at for at, one in enumerate(shapes) if 0 not in one]
    together: Ints | Undefined = () if named else UNDEFINED
    for at in named:
        together = together if isinstance(together, Undefined) else broadcast(together, shapes[at])
    if isinstance(together, Undefined):
        return UNDEFINED
    rest = [size for at, size in enumerate(shape) if at not in named]
    front = named[0] if named == [*range(named[0], named[-1] + 1)] else 0
    return (*rest[:front], *together, *rest[front:])


def promote(left: str, right: str) -> str | Undefined:
    """The dtype in which two dtypes meet; undefined when they have none."""
    if left == right:
        return left
    if left not in _ABOVE or right not in _ABOVE:
        return UNDEFINED
    if {left, right} == {"BF16", "COMPLEX32"}:  # CANN rounds here: COMPLEX64 alone is above both
        return "COMPLEX32"
    common = _not_below(left) & _not_below(right)
    return next(dtype for dtype in common if common <= _not_below(dtype))


@cache
def _not_below(dtype: str) -> frozenset[str]:
    """The dtype and all above it."""
    return frozenset({dtype}).union(*(_not_below(upper) for upper in _ABOVE[dtype]))


def _kind(dtype: str) -> int | None:
    return next((place for place, kind in enumerate(_KINDS) if dtype in kind), None)


def _castable(source: str, target: str) -> bool:
    if source == target:
        return True
    kinds = _kind(source), _kind(target)
    return kinds[0] is not None and kinds[1] is not None and kinds[0] <= kinds[1]


def _promote(left: Any, right: Any) -> str | Undefined:
    """``promote`` of two dtypes, or of a tensor and a scalar."""
    return promote(left, right) if isinstance(left, str) else promote_scalar(dtype_of(left), dtype_of(right))


def promote_scalar(tensor: str | Undefined, scalar: str | Undefined) -> str | Undefined:
    """A tensor's dtype unless the scalar is of a higher kind, whose default dtype then counts."""
    if isinstance(tensor, Undefined) or isinstance(scalar, Undefined):
        return UNDEFINED
    kind, other = _kind(tensor), _kind(scalar)
    if kind is None or other is None:
        return UNDEFINED
    if other <= kind:
        return tensor
    return (scalar, "FLOAT", _COMPLEX_OF.get(tensor, "COMPLEX64"))[other - 1]


def _promotable(left: Any, right: Any) -> bool | Undefined:
    if not isinstance(left, str) and isinstance(dtype_of(right), Undefined):
        return UNDEFINED
    return not isinstance(_promote(left, right), Undefined)


def _promote_all(dtypes: Any) -> str | Undefined:
    """``promote`` of one dtype after the other."""
    common: str | Undefined = dtypes[0] if dtypes else UNDEFINED
    for dtype in dtypes:
        common = common if isinstance(common, Undefined) else promote(common, dtype)
    return common


def _bits(dtype: str) -> int:
    """The number in a dtype's name, but for those named otherwise; that of a narrow float is the first one."""
    if dtype in _NAMED_BITS:
        return _NAMED_BITS[dtype]
    number = re.search("[0-9]+", dtype)
    return 0 if number is None else int(number[0])


def _range_len(start: float, stop: float, step: float) -> int | Undefined:
    if step == 0:
        return UNDEFINED
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(0, -((start - stop) // step))
    quotient = (float(stop) - float(start)) / float(step)
    if math.isnan(quotient) or quotient <= 0:
        return 0
    return _LARGEST if quotient >= 2.0**63 else math.ceil(quotient)


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


def _splice(values: Ints, index: int, count: int, *new: int) -> Ints | Undefined:
    """The list with new elements in place of a number of old ones from an index on."""
    return (*values[:index], *new, *values[index + count :]) if 0 <= index <= len(values) - count else UNDEFINED


def _reduce(shape: Ints, axes: Ints, keep: bool) -> Ints | Undefined:
    if any(_wrap(axis, len(shape)) is UNDEFINED for axis in axes):
        return UNDEFINED
    sizes = [None if at in axes or at - len(shape) in axes else size for at, size in enumerate(shape)]
    return tuple(1 if size is None else size for size in sizes if keep or size is not None)


def _wrap(axis: int, rank: int) -> int | Undefined:
    if not -rank <= axis < rank:
        return UNDEFINED
    return axis + rank if axis < 0 else axis


def _value(scalar: Any) -> int | float | Undefined:
    number = getattr(scalar, "value", scalar)  # a Python number stands for itself
    return UNDEFINED if str(dtype_of(scalar)).startswith("COMPLEX") else number.real


def _is_transposed(tensor: Any) -> bool:
    """Whether the tensor with its last two axes swapped back is contiguous."""
    shape, expected = shape_of(tensor), 1
    if len(shape) < 2:
        return False
    strides = strides_of(tensor)
    *batch, rows, columns = range(len(shape))
    for axis in (rows, columns, *reversed(batch)):
        if min(shape) > 0 and shape[axis] != 1 and strides[axis] != expected:
            return False
        expected *= shape[axis]
    return True


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
    "is_transposed": _is_transposed,
    "strides": strides_of,
    "storage_shape": lambda tensor: tuple(tensor.storage_shape),
    "value": _value,
    "is_private": lambda name: Format[name].is_private,
    "len": len,
    "prod": bounded(math.prod),
    "sum": bounded(sum),
    "min": _extreme(min),
    "max": _extreme(max),
    "abs": abs,
    "ceil_div": _ceil_div,
    "pool_out": windows(_pool_out),
    "conv_out": windows(_conv_out),
    "conv_transpose_out": windows(_conv_transpose_out),
    "broadcast": broadcast,
    "broadcastable": lambda left, right: broadcast(left, right) is not UNDEFINED,
    "indexable": lambda shape, indices: _index_shape(shape, indices) is not UNDEFINED,
    "index_shape": _index_shape,
    "range": _range,
    "range_len": bounded(_range_len),
    "promotable": _promotable,
    "promote": _promote,
    "promotable_all": lambda dtypes: not isinstance(_promote_all(dtypes), Undefined),
    "promote_all": _promote_all,
    "castable": _castable,
    "itemsize": lambda dtype: -(-_bits(dtype) // 8),
    "bits": _bits,
    "scaled": _scaled,
    "slice": _slice,
    "replace": lambda values, index, value: _splice(values, index, 1, value),
    "remove": lambda values, index: _splice(values, index, 1),
    "insert": lambda values, index, value: _splice(values, index, 0, value),
    "reduce": _reduce,
    "wrap": _wrap,
    "distinct": lambda values: len(set(values)) == len(values),
}
