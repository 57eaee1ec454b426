"""Small changes of a call: every other place takes its changes from here and chooses among them.

A change gives one value another dtype, format, layout, rank, size of an axis, number, element or length, or several
values the same of these. Whether rules accept the changed call, and who wants it, is not asked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import Compare, Int, Node, Str, Symbol
from aclspec.runtime.rules.operator_info import NULL, ParamInfo
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.oracle import Oracle
from aclspec.runtime.search.space import DTYPES, Space
from aclspec.runtime.tensors.layout import contiguous_strides

Setter: TypeAlias = Callable[[Any], Value]
"""The value of a parameter with one of its numbers set; None where it cannot have that number."""
NUMBERS = ("COMPLEX128", "UINT64", "UINT32", "UINT16", "BOOL", "COMPLEX64", "FLOAT")
"""Dtypes that a number of C can have in every version of NumPy, first those that few operators take."""
_SIZES = (0, 1, 2, 3)
_CASTABLE = ("DOUBLE", "INT64")
"""Dtypes that most others can be cast to."""
_LAYOUT = ("is_transposed", "storage_shape", "strides")
OFFSET = 3
_MAX_INT = 2**63 - 1
MAX_RANK = 9
_LONGEST = 64
"""No derived call has a longer list of tensors."""


class Changes:
    """The changes of one value of an operator's calls."""

    def __init__(self, oracle: Oracle) -> None:
        """Collect the constants of the operator's predicates."""
        self.space = oracle.space
        self.params = self.space.info.params
        nodes = [node for rule in self.space.info.rules for node in (rule.when, rule.require) if node is not None]
        parts = list(dict.fromkeys(part for node in nodes for part in oracle.parts(node)))
        self._formats = tuple(
            dict.fromkeys(one.name for one in parts if isinstance(one, Symbol) and one.kind == "format")
        )
        self._strings = tuple(dict.fromkeys(one.value for one in parts if isinstance(one, Str)))
        self._layouts = any(isinstance(one, Function) and one.func in _LAYOUT for one in parts)
        limits = [limit for part in parts if (limit := _greatest_length(part)) is not None]
        self._lengths = tuple(dict.fromkeys(limit + step for limit in limits for step in (0, 1)))
        legal = {dtype for row in self.space.info.rows for _, dtypes in row.cells for dtype in dtypes}
        self._illegal = next((dtype for dtype in reversed(DTYPES) if dtype not in legal), DTYPES[-1])

    def tensors(self, place: int, value: TensorMeta) -> Iterator[TensorMeta]:
        """A tensor with another dtype, format, layout, rank or size of one axis."""
        param, shape = self.params[place], value.shape
        wide = _CASTABLE if param.is_output else ()
        for dtype in dict.fromkeys((*self.space.legal_dtypes(param.name), self._illegal, *wide)):
            yield replace(value, dtype=dtype)
        legal = [format for _, formats in param.formats for format in formats]
        beside = ("ND", "FRACTAL_NZ", *(("NCHW",) if "FRACTAL_NZ" in legal else ()))  # one of them is illegal
        for format in dict.fromkeys((*legal, *self._formats, *beside)):
            yield replace(value, format=format)
        for axis, size in enumerate(shape):
            for other in dict.fromkeys((*_SIZES, size + 1, size - 1, 2 * size, -1)):
                yield self.space.reshaped(place, value, replaced(shape, axis, other))
        for other_shape in ranked(shape, *param.rank):
            yield self.space.reshaped(place, value, other_shape)
            yield value.reshaped(other_shape)
        if (strides := strided(shape)) is not None:
            yield replace(value, strides=strides, storage=None)
            if self._layouts and len(shape) > 1 and 1 not in shape[-2:]:  # else it is the row-major one
                yield replace(value, strides=transposed(shape), storage=None)

    def values(self, place: int, value: Value) -> Iterator[Value]:
        """Another value of a parameter that is no tensor."""
        param, kind = self.params[place], self.space.kinds[place]
        if isinstance(value, tuple):
            yield from self._lists(place, value)
        elif isinstance(value, bool):
            yield not value
        elif isinstance(value, int):
            bounds = (one for legal in param.values if isinstance(legal, int) for one in (legal - 1, legal, legal + 1))
            yield from self._fitting(param, (*bounds, *_SIZES, value + 1, value - 1, -1, -value))
        elif isinstance(value, float):
            yield from (0.0, 1.0, -value, value / 2, 2 * value)
        elif kind == "dtype":
            default = (str(param.default),) if param.has_default else ()
            yield from dict.fromkeys((*self.space.legal_dtypes(param.name), *default, self._illegal))
        elif isinstance(value, str):
            yield from dict.fromkeys((*(str(one) for one in param.values), *self._strings, "", "other"))
        elif isinstance(value, ScalarMeta):
            legal = self.space.legal_dtypes(param.name)
            illegal = next((dtype for dtype in NUMBERS if dtype not in legal), self._illegal)
            yield from (value.of_dtype(dtype) for dtype in (*legal, illegal))
            yield from (replace(value, value=number) for number in (0, 1, -1, 2))

    def _fitting(self, param: ParamInfo, values: tuple[int, ...]) -> Iterator[int]:
        low, high = PARAM_TYPES[param.type].low, PARAM_TYPES[param.type].high
        return (value for value in dict.fromkeys(values) if low <= value <= high)

    def _lists(self, place: int, value: tuple[Any, ...]) -> Iterator[Value]:
        """An array with another element, another length, or other elements throughout."""
        param, kind = self.params[place], self.space.kinds[place]
        filler = value[-1] if value else self.space.element(place)
        for at, item in enumerate(value):
            for other in self._elements(place, item):
                yield replaced(value, at, other)
        limits = self._lengths if kind == "tensors" else ()
        for length in dict.fromkeys(
            (len(value) + 1, len(value) - 1, 0, *param.lengths, max(param.lengths, default=0) + 1, *limits)
        ):
            if length >= 0 and length != len(value):
                yield of_length(value, length, filler)
        if kind == "ints" and value:
            bounds = [one for legal in param.values if isinstance(legal, int) for one in (legal - 1, legal, legal + 1)]
            yield from ((one,) * len(value) for one in (1, 2, 0, *bounds))
        if kind == "bools":
            yield from (
                tuple(bool(one >> at & 1) for at in range(len(value))) for one in range(1 << min(len(value), 4))
            )

    def _elements(self, place: int, item: Value) -> Iterator[Value]:
        if item is None:
            yield self.space.element(place)
        elif isinstance(item, TensorMeta):
            yield from (*self.tensors(place, item), None)
        elif isinstance(item, ScalarMeta):
            yield from (*self.values(place, item), None)
        elif isinstance(item, bool):
            yield not item
        elif isinstance(item, int):
            yield from dict.fromkeys((item + 1, item - 1, *_SIZES, -1, 2 * item))
        else:
            yield from (0.0, 2 * item, -item)

    def numbers(self, place: int, value: Value, paired: bool = False) -> Iterator[tuple[Setter, Any]]:
        """Every number of a value, and a function that sets it; ``paired`` also sets one of two for an array of one."""
        if isinstance(value, TensorMeta):
            for axis, size in enumerate(value.shape):
                yield _axis(value, axis), size
            yield self._rank(place, value), len(value.shape)
        elif isinstance(value, tuple):
            for at, item in enumerate(value):
                if isinstance(item, int) and not isinstance(item, bool):
                    yield _element(value, at), item
                    if paired and len(value) == 1 and 2 in self.params[place].lengths:
                        yield from ((_element((item, item), axis), item) for axis in (0, 1))
            yield self._length(place, value), len(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield self._number(place), value

    def _rank(self, place: int, tensor: TensorMeta) -> Setter:
        def setter(rank: int) -> Value:
            shapes = ranked(tensor.shape, rank, rank) if 0 <= rank <= MAX_RANK else ()
            shape = next((one for one in shapes if len(one) == rank), None)
            return None if shape is None else self.space.reshaped(place, tensor, shape)

        return setter

    def _length(self, place: int, value: tuple[Any, ...]) -> Setter:
        def setter(length: int) -> Value:
            if not 0 <= length <= MAX_RANK:
                return None
            return of_length(value, length, value[-1] if value else self.space.element(place))

        return setter

    def _number(self, place: int) -> Setter:
        param = PARAM_TYPES[self.params[place].type]
        return (lambda value: value if param.low <= value <= param.high else None) if param.is_integer else float


def _element(values: tuple[Any, ...], at: int) -> Setter:
    return lambda value: replaced(values, at, value)


def _axis(tensor: TensorMeta, axis: int) -> Setter:
    return lambda size: tensor.reshaped(replaced(tensor.shape, axis, size)) if size >= -2 else None


def of_length(values: tuple[Any, ...], length: int, filler: Value) -> tuple[Any, ...]:
    """The array with another length: its end left out, or one element repeated at its end."""
    return (*values[:length], *(filler,) * (length - len(values)))


def without(values: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    """The shape without an axis, the array without an element."""
    return (*values[:at], *values[at + 1 :])


def renumbered(value: Any, before: int, after: int) -> Any:
    """A tensor, a shape or an array with another number in every place of one number."""
    if isinstance(value, TensorMeta):
        return value.reshaped(renumbered(value.shape, before, after))
    if isinstance(value, tuple):
        return tuple(renumbered(item, before, after) for item in value)
    return after if value == before and not isinstance(value, bool) else value


def reshaped(space: Space, call: Call, place: int, shape: tuple[int, ...]) -> Call:
    """The call with another shape of one tensor."""
    return replaced(call, place, space.reshaped(place, call[place], shape))


def typed(space: Space, call: Call, dtypes: Mapping[int, str]) -> Call:
    """The call with other dtypes of some parameters; `NULL` stands for a null pointer."""
    for place, dtype in dtypes.items():
        given = space.default(place) if call[place] is None else call[place]
        call = replaced(call, place, None if dtype == NULL else relabelled(given, "dtype", dtype))
    return call


def with_axes(space: Space, call: Call, step: int) -> Call:
    """The call with one axis more, or fewer, of each tensor and array of integers."""

    def changed(place: int, value: Value) -> Value:
        if isinstance(value, TensorMeta) and value.shape[1:]:
            return space.reshaped(place, value, (*value.shape, 1) if step > 0 else value.shape[:-1])
        if space.kinds[place] == "ints" and value:
            return of_length(value, len(value) + step, value[-1])
        return value

    return tuple(changed(place, value) for place, value in enumerate(call))


def _greatest_length(node: Node) -> int | None:
    """The greatest length that a predicate gives a list, where a call of a test may have it."""
    match node:
        case Compare(op="<=", left=Function(func="len"), right=Int(value=limit)) if limit <= _LONGEST:
            return limit
    return None


@lru_cache(maxsize=10_000)
def fits(value: Value) -> bool:
    """Whether every number of a value fits its C type."""
    if isinstance(value, TensorMeta):
        return len(value.shape) <= MAX_RANK and all(-_MAX_INT <= size <= _MAX_INT for size in value.shape)
    return all(map(fits, value)) if isinstance(value, tuple) else not isinstance(value, int) or abs(value) <= _MAX_INT


def ranked(shape: tuple[int, ...], low: int, high: int) -> Iterator[tuple[int, ...]]:
    """The shape with other ranks: those that are legal, and those beside them."""
    for rank in dict.fromkeys((*range(max(low - 1, 0), high + 2), 0, len(shape) + 1, len(shape) - 1)):
        missing = rank - len(shape)
        if 0 <= rank <= MAX_RANK and missing > 0:
            yield shape + (1,) * missing
            yield shape + (2,) * missing
            yield (1,) * missing + shape
        elif 0 <= rank < len(shape):
            yield shape[:rank]
            yield shape[-missing:]
            if rank:
                yield (*shape[: rank - 1], math.prod(shape[rank - 1 :]))


def layouts(tensor: TensorMeta, read_only: bool) -> Iterator[tuple[str, TensorMeta]]:
    """Views of a tensor of two elements or more, by name; only one that is read may have an element twice."""
    shape = tensor.shape
    yield "strided", replace(tensor, strides=strided(shape), storage=None)
    yield "offset", replace(tensor, offset=OFFSET, storage=None)
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) > 1:
        columns = tuple(reversed(contiguous_strides(tuple(reversed(shape)))))
        yield "transposed", replace(tensor, strides=columns, storage=None)
    if read_only:
        strides = contiguous_strides((1, *shape[long[0] + 1 :]))[1:]
        yield "repeated", replace(tensor, strides=(0,) * (len(shape) - len(strides)) + strides, storage=None)


def transposed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor with its last two axes swapped."""
    *batch, columns, rows = contiguous_strides((*shape[:-2], shape[-1], shape[-2]))
    return (*batch, rows, columns)


def strided(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of a view that skips every other element; None for fewer than two elements."""
    if math.prod(shape) < 2 or any(size < 0 for size in shape):
        return None
    return tuple(2 * step for step in contiguous_strides(shape))
