"""Neighbours of a call: one local change each, with outputs that follow their inference.

A neighbour changes one parameter: a dtype, a format, a rank, the size of an axis, a number, the length or an element of
an array, a null. A tensor may take those with the same shape, dtype or format along.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import Compare, Int, Node, Str, Symbol
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules.operator_info import ParamInfo
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.oracle import Oracle
from aclspec.runtime.search.space import DTYPES
from aclspec.runtime.tensors.layout import contiguous_strides

NUMBERS = ("COMPLEX128", "UINT64", "UINT32", "UINT16", "BOOL", "COMPLEX64", "FLOAT")
"""Dtypes that a number of C can have in every version of NumPy, first those that few operators take."""
_SIZES = (0, 1, 2, 3)
_CASTABLE = ("DOUBLE", "INT64")
"""Dtypes that most others can be cast to."""
_LAYOUT = ("is_transposed", "storage_shape", "strides")
_MAX_INT = 2**63 - 1
MAX_RANK = 9
_LONGEST = 64
"""No derived call has a longer list of tensors."""


class Neighbours:
    """The local changes of one operator's calls."""

    def __init__(self, oracle: Oracle) -> None:
        """Collect the constants of the operator's predicates."""
        self.oracle = oracle
        self.space = oracle.space
        self.params = self.space.info.params
        nodes = [node for rule in self.space.info.rules for node in (rule.when, rule.require) if node is not None]
        parts = list(dict.fromkeys(part for node in nodes for part in oracle.parts(node)))
        self.formats = tuple(
            dict.fromkeys(one.name for one in parts if isinstance(one, Symbol) and one.kind == "format")
        )
        self.strings = tuple(dict.fromkeys(one.value for one in parts if isinstance(one, Str)))
        self._layouts = any(isinstance(one, Function) and one.func in _LAYOUT for one in parts)
        limits = [limit for part in parts if (limit := _greatest_length(part)) is not None]
        self._lengths = tuple(dict.fromkeys(limit + step for limit in limits for step in (0, 1)))
        self._infer = [
            (self.space.index[one.param], oracle.remembered(one.shape), oracle.remembered(one.dtype))
            for one in self.space.info.infer
        ]
        self._near: dict[tuple[Call, int], tuple[Call, ...]] = {}
        self._followed: dict[Call, tuple[Call, ...]] = {}
        self._inferred_values: dict[tuple[Any, ...], Value] = {}
        self._illegal = self._illegal_dtype()

    def _illegal_dtype(self) -> str:
        legal = {dtype for row in self.space.info.rows for _, dtypes in row.cells for dtype in dtypes}
        return next((dtype for dtype in reversed(DTYPES) if dtype not in legal), DTYPES[-1])

    def of(self, call: Call, places: tuple[int, ...] | None = None) -> Iterator[Call]:
        """Every neighbour by a change of these parameters, first with outputs that follow."""
        for place in range(len(call)) if places is None else places:
            found = self._near.get((call, place))
            if found is None:
                near = (one for moved in self._changed(call, place) for one in self.followed(moved))
                found = self._near[call, place] = tuple(dict.fromkeys(near))
            yield from found

    def followed(self, call: Call) -> tuple[Call, ...]:
        """The call with its outputs as inferred, with their shapes alone, and as it is."""
        found = self._followed.get(call)
        if found is None:
            found = self._followed[call] = tuple(dict.fromkeys((*self._inferred(call), call)))
        return found

    def inferred(self, call: Call, dtypes: bool = True) -> Call:
        """The call with every output that is given, or required, as it is inferred."""
        full, shaped = self._inferred(call)
        return full if dtypes else shaped

    def _inferred(self, call: Call) -> tuple[Call, Call]:
        """The call with its outputs as inferred, and with their shapes alone."""
        full, shaped = list(call), list(call)
        for place, shape_of, dtype_of in self._infer:
            value, param = call[place], self.params[place]
            if value is None and (param.required is None or self.oracle.value(param.required, call) is not True):
                continue
            shape = shape_of(call)
            if shape is not UNDEFINED:
                value = self.space.default(place) if value is None else value
                full[place] = self._as_inferred(place, value, shape, dtype_of(call))
                shaped[place] = self._as_inferred(place, value, shape, UNDEFINED)
        return tuple(full), tuple(shaped)

    def _as_inferred(self, place: int, value: Value, shape: Any, dtype: Any) -> Value:
        """A tensor, or each of a list, of this shape and dtype; computed once."""
        key = (place, value, shape, dtype)
        found = self._inferred_values.get(key)
        if found is None:
            found = self._inferred_values[key] = self._of_shape(place, value, shape, dtype)
        return found

    def _of_shape(self, place: int, value: Value, shape: Any, dtype: Any) -> Value:
        if isinstance(value, TensorMeta):
            if value.shape != shape:
                value = self.space.reshaped(place, value, shape)
            return value if dtype is UNDEFINED or dtype == value.dtype else replace(value, dtype=dtype)
        filler = next((item for item in value or () if item is not None), self.space.element(place))
        items = [value[at] if at < len(value) and value[at] is not None else filler for at in range(len(shape))]
        dtypes = (UNDEFINED,) * len(shape) if dtype is UNDEFINED else dtype
        return tuple(map(self._of_shape, (place,) * len(shape), items, shape, dtypes))

    def _changed(self, call: Call, place: int) -> Iterator[Call]:
        value, param = call[place], self.params[place]
        if value is None:
            yield replaced(call, place, self.space.default(place))
            for other in {len(one.shape): one for one in call if isinstance(one, TensorMeta)}.values():
                if self.space.kinds[place] == "tensor":
                    yield replaced(call, place, self.space.reshaped(place, self.space.default(place), other.shape))
            return
        if isinstance(value, TensorMeta):
            for moved in self.tensors(place, value):
                yield replaced(call, place, moved)
                yield from self._together(call, value, moved)
        else:
            for moved in self._values(place, value):
                yield replaced(call, place, moved)
        if PARAM_TYPES[param.type].pointer:
            yield replaced(call, place, None)
            yield from self.switched_off(call, place)

    def switched_off(self, call: Call, place: int) -> Iterator[Call]:
        """A null output, and the flag that it depends on changed so that it is not required."""
        required = self.params[place].required
        for flag in () if required is None or call[place] is None else self.oracle.places(required):
            for value in self._values(flag, call[flag]) if call[flag] is not None else ():
                moved = replaced(replaced(call, place, None), flag, value)
                if required is not None and self.oracle.value(required, moved) is False:
                    yield moved

    def _together(self, call: Call, old: TensorMeta, new: TensorMeta) -> Iterator[Call]:
        """All tensors that share the changed shape, dtype or format with one another, changed alike."""

        facet = "shape" if new.shape != old.shape else "dtype" if new.dtype != old.dtype else "format"
        before, after = getattr(old, facet), getattr(new, facet)

        def moved(place: int, value: Value) -> Value:
            if isinstance(value, tuple):
                return tuple([moved(place, item) for item in value])
            if isinstance(value, TensorMeta):
                if getattr(value, facet) != before:
                    return value
                shaped = facet == "shape"
                return self.space.reshaped(place, value, after) if shaped else relabelled(value, facet, after)
            is_other = old.dtype != new.dtype and getattr(value, "dtype", value) == old.dtype
            return relabelled(value, "dtype", new.dtype) if is_other else value

        yield tuple([value if value is None else moved(place, value) for place, value in enumerate(call)])

    def tensors(self, place: int, value: TensorMeta) -> Iterator[TensorMeta]:
        """A tensor with another dtype, format, layout, rank or size of one axis."""
        param, shape = self.params[place], value.shape
        wide = _CASTABLE if param.is_output else ()
        for dtype in dict.fromkeys((*self.space.legal_dtypes(param.name), self._illegal, *wide)):
            yield replace(value, dtype=dtype)
        legal = [format for _, formats in param.formats for format in formats]
        beside = ("ND", "FRACTAL_NZ", *(("NCHW",) if "FRACTAL_NZ" in legal else ()))  # of which one is illegal
        for format in dict.fromkeys((*legal, *self.formats, *beside)):
            yield replace(value, format=format)
        for axis, size in enumerate(shape):
            for other in dict.fromkeys((*_SIZES, size + 1, size - 1, 2 * size, -1)):
                yield self.space.reshaped(place, value, (*shape[:axis], other, *shape[axis + 1 :]))
        for other_shape in ranked(shape, *param.rank):
            yield self.space.reshaped(place, value, other_shape)
            yield value.reshaped(other_shape)
        if (strides := strided(shape)) is not None:
            yield replace(value, strides=strides, storage=None)
            if self._layouts and len(shape) > 1 and 1 not in shape[-2:]:  # else it is the row-major one
                yield replace(value, strides=transposed(shape), storage=None)

    def _values(self, place: int, value: Value) -> Iterator[Value]:
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
            yield from dict.fromkeys((*(str(one) for one in param.values), *self.strings, "", "other"))
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
                yield (*value[:at], other, *value[at + 1 :])
        limits = self._lengths if kind == "tensors" else ()
        for length in dict.fromkeys(
            (len(value) + 1, len(value) - 1, 0, *param.lengths, max(param.lengths, default=0) + 1, *limits)
        ):
            if length >= 0 and length != len(value):
                yield (*value[:length], *(filler,) * (length - len(value)))
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
            yield from (*self._values(place, item), None)
        elif isinstance(item, bool):
            yield not item
        elif isinstance(item, int):
            yield from dict.fromkeys((item + 1, item - 1, *_SIZES, -1, 2 * item))
        else:
            yield from (0.0, 2 * item, -item)


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


def transposed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor with its last two axes swapped."""
    *batch, columns, rows = contiguous_strides((*shape[:-2], shape[-1], shape[-2]))
    return (*batch, rows, columns)


def strided(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of a view that skips every other element; None for fewer than two elements."""
    if math.prod(shape) < 2 or any(size < 0 for size in shape):
        return None
    strides, step = [], 2
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
