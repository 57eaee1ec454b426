"""The calls that a spec adds to those that are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from aclspec.codegen.compile.calls import WrittenCall
from aclspec.codegen.derive.search import Search
from aclspec.runtime.search.call import Call, Literal, ScalarMeta, TensorMeta, Value, elements, replaced
from aclspec.runtime.tensors.layout import parse_literal
from aclspec.runtime.testing.expected import scalar


def written(search: Search, calls: Iterable[WrittenCall]) -> Iterator[tuple[str, Call]]:
    """The calls under their ids: an example with other arguments, and with outputs as inferred where none is stated.

    One that is like no example is the base call with other arguments.
    """
    examples = {example.id: example for example in search.space.info.examples}
    for one in calls:
        call = search.example(examples[one.like]) if one.like else search.base
        stated = {search.space.index[name]: literal for name, literal in one.arguments}
        given = {place: _value(search, place, literal) for place, literal in stated.items()}
        for place, value in given.items():
            call = replaced(call, place, value)
        call = search.neighbours.inferred(call)
        for place, value in given.items():
            call = replaced(call, place, value)
        yield one.id, call


def _value(search: Search, place: int, literal: Literal) -> Value:
    """The value that a literal stands for."""
    if isinstance(literal, tuple):
        return tuple(_value(search, place, item) for item in elements(literal))
    kind = search.space.kinds[place]
    if kind in ("tensor", "tensors") and isinstance(literal, str):
        return _tensor(search, place, literal)
    if kind in ("scalar", "scalars") and isinstance(literal, str):
        found = scalar(literal)
        return ScalarMeta(cast("bool | int | float", found.value), found.dtype.name)
    return literal


def _tensor(search: Search, place: int, literal: str) -> TensorMeta:
    """The metadata of a tensor; its format, if none is stated, is the first that its rank may have."""
    parsed = parse_literal(literal)
    shape, format = parsed["shape"], parsed["format"]
    name = format.name if format is not None else (search.space.formats_of(place, len(shape)) or ("ND",))[0]
    return TensorMeta(shape, parsed["dtype"].name, name, parsed["strides"], parsed["offset"], parsed["storage_shape"])
