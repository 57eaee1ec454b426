"""Repair: single changes that bring the two sides of a comparison to a wanted difference.

A side is not inverted: each number that it depends on (an axis, a rank, an attribute, an element) is moved along the
secant of the difference, and what comes out right is proposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.nodes import Call as Function
from aclspec.runtime.rules.nodes import Compare, Each, Index, Int, ListOf, Name, Node, Quantifier, children, substitute
from aclspec.runtime.rules.values import UNDEFINED
from aclspec.runtime.search.call import Call, TensorMeta, relabelled, replaced
from aclspec.runtime.search.compiled import OPERATORS, Code, Frame
from aclspec.runtime.search.neighbours import MAX_RANK, Neighbours, fits, ranked
from aclspec.runtime.search.oracle import Oracle

Setter: TypeAlias = Callable[[Any], Call | None]
_ELEMENTS = 3
_LARGE = 3
_PAIRED = (1, 2, 4, 8)
_SMALL = (0, 1, 2, 3, 4, 5, 6, 8)


class Repair:
    """The directed changes of one operator's calls."""

    def __init__(self, oracle: Oracle, neighbours: Neighbours) -> None:
        """Start with no comparison taken apart."""
        self.oracle = oracle
        self.space = oracle.space
        self.neighbours = neighbours
        self.joint = False
        """Whether several numbers may change at once."""
        self._comparisons: dict[Node, list[Compare]] = {}

    def of(self, node: Node, call: Call, wanted: tuple[int, ...] = (0, 1, -1)) -> Iterator[Call]:
        """Calls in which the sides of a comparison inside a predicate are equal, or differ by a little."""
        for compare in self.comparisons(node):
            for moved in self._compared(compare, call, wanted):
                if all(map(fits, moved)):
                    yield from self.neighbours.followed(moved)

    def comparisons(self, node: Node) -> list[Compare]:
        """The comparisons inside a predicate, those of a quantifier for its first elements."""
        if node not in self._comparisons:
            self._comparisons[node] = list(dict.fromkeys(self._inside(node)))
        return self._comparisons[node]

    def _inside(self, node: Node) -> Iterator[Compare]:
        if isinstance(node, Name) and node.id in self.space.lets:
            yield from self._inside(self.space.lets[node.id])
        elif isinstance(node, Quantifier | Each):
            for at in range(_ELEMENTS):
                yield from self._inside(substitute(node.body, {node.var: Index(node.over, Int(at))}))
        else:
            if isinstance(node, Compare):
                yield from self._operands(node)
            for child in children(node):
                yield from self._inside(child)

    def _operands(self, node: Compare) -> Iterator[Compare]:
        """The comparison, or that with each member of a list."""
        if node.op in ("in", "not in") and isinstance(node.right, ListOf):
            yield from (Compare("==", node.left, item) for item in node.right.items)
        else:
            yield node

    def _compared(self, node: Compare, call: Call, wanted: tuple[int, ...]) -> Iterator[Call]:
        left, right = self.oracle.compiler.code(node.left), self.oracle.compiler.code(node.right)
        frame = Frame(call)
        one, other = left(frame), right(frame)
        if one is UNDEFINED or other is UNDEFINED:
            return
        if isinstance(one, tuple) and isinstance(other, tuple) and node.op in ("==", "!="):
            yield from self._lists(node, one, other, call)
        elif isinstance(one, str) and isinstance(other, str):
            yield from self._labels(node, one, other, call)
        elif not isinstance(one, int | float) or not isinstance(other, int | float) or isinstance(one, bool):
            return
        else:
            difference = _difference(left, right)
            settings = list(self._settings(self.oracle.places(node), call))
            values = list(dict.fromkeys(now for _, now in settings if isinstance(now, int)))
            for setter, now in settings:
                for want in wanted:
                    for moved, value in islice(_secant(difference, setter, now, one - other, want, values), 2):
                        yield moved
                        large = isinstance(node.right, Int) and node.right.value > _LARGE
                        if self.joint and large and isinstance(now, int):
                            yield from self._jointly(moved, now, value)
            if self.joint and node.op == "==" and isinstance(node.right, Int):
                for place, (setter, _) in enumerate(settings):
                    for value in _PAIRED:
                        beside = setter(value)
                        start = difference(beside)
                        if beside is not None and start is not UNDEFINED:
                            others = list(self._settings(self.oracle.places(node), beside))
                            for other, now in others[:place] + others[place + 1 :]:
                                pairs = _secant(difference, other, now, start, 0, [])
                                yield from (moved for moved, _ in islice(pairs, 1))

    def _jointly(self, call: Call, before: int, after: int) -> Iterator[Call]:
        """Another number, or every number, of the inputs that had the value of a changed one, changed with it."""
        inputs = tuple(place for place, param in enumerate(self.space.info.params) if not param.is_output)
        for setter, now in self._settings(inputs, call):
            if now == before and (moved := setter(after)) is not None:
                yield moved
        yield tuple(_renumbered(value, before, after) if place in inputs else value for place, value in enumerate(call))

    def _labels(self, node: Compare, one: str, other: str, call: Call) -> Iterator[Call]:
        """The dtype or format of one side given to what the other side depends on."""
        for facet, side, name in (("", node.left, other), ("", node.right, one)):
            for part in self.oracle.parts(side):
                facet = part.func if isinstance(part, Function) and part.func in ("dtype", "format") else ""
                for place in self.oracle.places(part) if facet else ():
                    yield replaced(call, place, relabelled(call[place], facet, name))

    def _lists(self, node: Compare, one: Any, other: Any, call: Call) -> Iterator[Call]:
        """A shape or an array as the other side has it, and a shape with one size of the other side."""
        for side, value in ((node.left, other), (node.right, one)):
            for place in self.oracle.places(side):
                now = call[place]
                if isinstance(now, TensorMeta) and all(isinstance(size, int) for size in value):
                    for shape in (
                        value,
                        *(_with(now.shape, at, value[at]) for at in range(min(len(value), len(now.shape)))),
                    ):
                        yield replaced(call, place, self.space.reshaped(place, now, shape))
                elif isinstance(now, tuple) and not any(isinstance(item, TensorMeta) for item in now):
                    yield replaced(call, place, value)
        differing = [at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
        for at in map(Int, differing[:2]):
            yield from self._compared(Compare("==", Index(node.left, at), Index(node.right, at)), call, (0,))

    def _settings(self, places: tuple[int, ...], call: Call) -> Iterator[tuple[Setter, Any]]:
        """Every number of some parameters, as a function that sets it, and its value."""
        for place in places:
            value = call[place]
            if isinstance(value, TensorMeta):
                for axis, size in enumerate(value.shape):
                    yield self._axis(call, place, axis), size
                yield self._rank(call, place), len(value.shape)
            elif isinstance(value, tuple):
                for at, item in enumerate(value):
                    if isinstance(item, int) and not isinstance(item, bool):
                        yield self._element(call, place, at), item
                        if self.joint and len(value) == 1 and 2 in self.space.info.params[place].lengths:
                            longer = replaced(call, place, (item, item))
                            yield from ((self._element(longer, place, axis), item) for axis in (0, 1))
                yield self._length(call, place), len(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield self._number(call, place), value

    def _element(self, call: Call, place: int, at: int) -> Setter:
        return lambda value: replaced(call, place, _with(call[place], at, value))

    def _axis(self, call: Call, place: int, axis: int) -> Setter:
        tensor = call[place]
        return lambda size: (
            replaced(call, place, tensor.reshaped(_with(tensor.shape, axis, size))) if size >= -2 else None
        )

    def _rank(self, call: Call, place: int) -> Setter:
        def setter(rank: int) -> Call | None:
            shapes = ranked(call[place].shape, rank, rank) if 0 <= rank <= MAX_RANK else ()
            shape = next((one for one in shapes if len(one) == rank), None)
            return None if shape is None else replaced(call, place, self.space.reshaped(place, call[place], shape))

        return setter

    def _length(self, call: Call, place: int) -> Setter:
        def setter(length: int) -> Call | None:
            if not 0 <= length <= MAX_RANK:
                return None
            value = call[place]
            filler = value[-1:] or (self.space.element(place),)
            return replaced(call, place, (*value[:length], *filler * (length - len(value))))

        return setter

    def _number(self, call: Call, place: int) -> Setter:
        param = PARAM_TYPES[self.space.info.params[place].type]
        if not param.is_integer:
            return lambda value: replaced(call, place, float(value))
        return lambda value: replaced(call, place, value) if param.low <= value <= param.high else None


def _difference(left: Code, right: Code) -> Callable[[Call | None], Any]:
    def difference(call: Call | None) -> Any:
        if call is None:
            return UNDEFINED
        frame = Frame(call)
        one, other = left(frame), right(frame)
        return UNDEFINED if UNDEFINED in (one, other) else OPERATORS["-"](one, other)

    return difference


def _secant(
    difference: Callable[[Call | None], Any], setter: Setter, now: int, here: Any, wanted: int, others: list[int]
) -> Iterator[tuple[Call, int]]:
    """The call with the number set so that the difference is the wanted one, or lies beyond it, and the number."""
    if here == wanted:
        return
    for step in (1, 4):
        beside = difference(setter(now + step))
        if beside is UNDEFINED or beside == here:
            continue
        far = (wanted - here) * step // (beside - here)
        at = now + (int(far) if isinstance(far, int) or math.isfinite(far) else 0)
        found = False
        for value in dict.fromkeys((at, at + 1, at - 1, *others, *_SMALL)):
            moved = setter(value)
            if difference(moved) == wanted and moved is not None:
                found = True
                yield moved, value
        for value in () if found else (at, at + 1, at - 1, 2 * at):
            moved = setter(value)
            beyond = difference(moved)
            if moved is not None and beyond is not UNDEFINED and beyond * wanted > 0:
                yield moved, value
        return


def _renumbered(value: Any, before: int, after: int) -> Any:
    """A value with another number in every place of one number."""
    if isinstance(value, TensorMeta):
        return value.reshaped(_renumbered(value.shape, before, after))
    if isinstance(value, tuple):
        return tuple(_renumbered(item, before, after) for item in value)
    return after if value == before and not isinstance(value, bool) else value


def _with(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])
