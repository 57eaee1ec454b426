"""Neighbours of a call: one change of one parameter each, or a null, with outputs that follow their inference.

A tensor may take those with the same shape, dtype or format along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.search.call import Call, TensorMeta, Value, relabelled, replaced
from aclspec.runtime.search.changes import Changes
from aclspec.runtime.search.oracle import Oracle


class Neighbours:
    """The neighbours of one operator's calls."""

    def __init__(self, oracle: Oracle) -> None:
        """Compile what outputs are inferred to be."""
        self.oracle = oracle
        self.space = oracle.space
        self.params = self.space.info.params
        self.changes = Changes(oracle)
        self._infer = [
            (self.space.index[one.param], oracle.remembered(one.shape), oracle.remembered(one.dtype))
            for one in self.space.info.infer
        ]
        self._near: dict[tuple[Call, int], tuple[Call, ...]] = {}
        self._followed: dict[Call, tuple[Call, ...]] = {}
        self._inferred_values: dict[tuple[Any, ...], Value] = {}

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
            for moved in self.changes.tensors(place, value):
                yield replaced(call, place, moved)
                yield from self.together(call, value, moved)
        else:
            for moved in self.changes.values(place, value):
                yield replaced(call, place, moved)
        if PARAM_TYPES[param.type].pointer:
            yield replaced(call, place, None)
            yield from self.switched_off(call, place)

    def switched_off(self, call: Call, place: int) -> Iterator[Call]:
        """A null output, and the flag that it depends on changed so that it is not required."""
        required = self.params[place].required
        for flag in () if required is None or call[place] is None else self.oracle.places(required):
            for value in self.changes.values(flag, call[flag]) if call[flag] is not None else ():
                moved = replaced(replaced(call, place, None), flag, value)
                if required is not None and self.oracle.value(required, moved) is False:
                    yield moved

    def together(self, call: Call, old: TensorMeta, new: TensorMeta) -> Iterator[Call]:
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
