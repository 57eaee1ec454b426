"""Shapes near a given one with a wanted rank, size or number of elements; the nearest first."""

from __future__ import annotations

import math
from collections.abc import Iterator

Shape = tuple[int, ...]
MAX_RANK = 12


def of_rank(shape: Shape, rank: int) -> Iterator[Shape]:
    """The shape cut or grown to a rank; the same number of elements where that is possible."""
    if not 0 <= rank <= MAX_RANK:
        return
    missing = rank - len(shape)
    if missing >= 0:
        yield shape + (1,) * missing
        yield (1,) * missing + shape
        if missing and len(shape) > 1:
            yield (*shape[:-1], *(1,) * missing, shape[-1])
        yield shape + (2,) * missing
    else:
        yield shape[:rank]
        yield shape[-missing:]
        if rank:
            yield (*shape[: rank - 1], math.prod(shape[rank - 1 :]))


def of_numel(shape: Shape, numel: int) -> Iterator[Shape]:
    """The shape with another number of elements: one axis changed, then all of them in one axis, then any rank."""
    if numel < 0:
        return
    total = math.prod(shape)
    for axis, size in reversed(list(enumerate(shape))):
        rest = total // size if size else math.prod(shape[:axis] + shape[axis + 1 :])
        if rest and numel % rest == 0:
            yield with_size(shape, axis, numel // rest)
    for axis in range(len(shape)):
        yield tuple(numel if place == axis else 1 for place in range(len(shape)))
    if numel == 1:
        yield ()
    yield (numel,)
    for factor in (2, 3):
        if numel % factor == 0 and numel > factor:
            yield (numel // factor, factor)


def with_size(shape: Shape, axis: int, size: int) -> Shape:
    """The shape with another size of one axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])


def other_lists(values: tuple[int, ...], low: int = 0) -> Iterator[tuple[int, ...]]:
    """Lists that differ from this one: in one element, by one element more or less."""
    for place, value in enumerate(values):
        yield with_size(values, place, value + 1)
        if value - 1 >= low:
            yield with_size(values, place, value - 1)
    yield (*values, 1)
    yield (*values, 2)
    if values:
        yield values[:-1]
        yield tuple(value + 1 for value in values)
        yield tuple(value + 2 for value in values)


def not_broadcast(shape: Shape) -> Iterator[Shape]:
    """Shapes that do not broadcast with this one."""
    for axis, size in enumerate(shape):
        if size != 1:
            yield with_size(shape, axis, size + 1)
            if size > 2:
                yield with_size(shape, axis, size - 1)
    if all(size == 1 for size in shape):
        return
    yield tuple(size + 1 for size in shape)


def strided(shape: Shape) -> tuple[int, ...] | None:
    """The strides of a view that leaves every other element out; None for fewer than two elements."""
    if math.prod(shape) < 2 or any(size < 0 for size in shape):
        return None
    strides = []
    step = 2
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
