"""Repair: single changes that bring the two sides of a comparison to a wanted difference.

A side is not inverted: each number that it depends on (an axis, a rank, an attribute, an element) is moved along the
secant of the difference, and what comes out right is proposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from aclspec.runtime.language.evaluation import OPERATORS, Frame
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import (
    Compare,
    Each,
    Index,
    Int,
    ListOf,
    Name,
    Node,
    Quantifier,
    children,
    substitute,
)
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.search.call import Call, TensorMeta, Value, key_of, relabelled, replaced
from aclspec.runtime.search.changes import Setter, fits, renumbered
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Oracle

_ELEMENTS = 3
_LARGE = 3
_PAIRED = (1, 2, 4, 8)
_SMALL = (0, 1, 2, 3, 4, 5, 6, 8)


class Change(NamedTuple):
    """Other values of some parameters; ``number`` is one that changed, before and after: others may change with it."""

    values: tuple[tuple[int, Value], ...]
    number: tuple[int, int] | None = None


class Repair:
    """The directed changes of one operator's calls."""

    def __init__(self, oracle: Oracle, neighbours: Neighbours) -> None:
        """Start with no comparison taken apart."""
        self.oracle = oracle
        self.space = oracle.space
        self.neighbours, self.changes = neighbours, neighbours.changes
        self.joint = False
        """Whether several numbers may change at once."""
        self._comparisons: dict[Node, list[Compare]] = {}
        self._changes: dict[tuple[Any, ...], tuple[Change, ...]] = {}

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
        """The call with each change; changes are found once for the values of the parameters that they depend on."""
        key = (node, wanted, self.joint, key_of(self.oracle.places(node))(call))
        found = self._changes.get(key)
        if found is None:
            found = self._changes[key] = tuple(self._found(node, call, wanted))
        for values, number in found:
            moved = call
            for place, value in values:
                moved = replaced(moved, place, value)
            yield moved
            if number is not None:
                yield from self._jointly(moved, *number)

    def _found(self, node: Compare, call: Call, wanted: tuple[int, ...]) -> Iterator[Change]:
        frame = Frame(call)
        one, other = (self.oracle.compiler.code(side)(frame) for side in (node.left, node.right))
        if one is UNDEFINED or other is UNDEFINED:
            return
        if isinstance(one, tuple) and isinstance(other, tuple) and node.op in ("==", "!="):
            yield from self._lists(node, one, other, call)
        elif isinstance(one, str) and isinstance(other, str):
            yield from self._labels(node, one, other, call)
        elif isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, bool):
            yield from self._numbers(node, one - other, call, wanted)

    def _numbers(self, node: Compare, here: Any, call: Call, wanted: tuple[int, ...]) -> Iterator[Change]:
        """One number set so that the difference is a wanted one, or two so that it is 0."""
        constant = node.right.value if isinstance(node.right, Int) else None
        settings = list(self._settings(self.oracle.places(node), call))
        values = list(dict.fromkeys(now for _, _, now in settings if isinstance(now, int)))
        for place, setter, now in settings:
            difference = self._difference(node, call, place)
            is_joint = self.joint and constant is not None and constant > _LARGE and isinstance(now, int)
            for want in wanted:
                for moved, value in islice(_secant(difference, setter, now, here, want, values), 2):
                    yield Change(((place, moved),), (now, value) if is_joint else None)
        if not self.joint or node.op != "==" or constant is None:
            return
        for at, (place, setter, _) in enumerate(settings):
            for value in _PAIRED:
                first = setter(value)
                start = self._difference(node, call, place)(first)
                if first is not None and start is not UNDEFINED:
                    beside = replaced(call, place, first)
                    others = list(self._settings(self.oracle.places(node), beside))
                    for other_place, other, now in others[:at] + others[at + 1 :]:
                        pairs = _secant(self._difference(node, beside, other_place), other, now, start, 0, [])
                        yield from (Change(((place, first), (other_place, moved))) for moved, _ in islice(pairs, 1))

    def _difference(self, node: Compare, call: Call, place: int) -> Callable[[Value], Any]:
        """The difference of the sides of a comparison where a parameter has another value."""
        left, right = self.oracle.compiler.code(node.left), self.oracle.compiler.code(node.right)

        def difference(value: Value) -> Any:
            if value is None:
                return UNDEFINED
            frame = Frame(replaced(call, place, value))
            one, other = left(frame), right(frame)
            return UNDEFINED if one is UNDEFINED or other is UNDEFINED else OPERATORS["-"](one, other)

        return difference

    def _jointly(self, call: Call, before: int, after: int) -> Iterator[Call]:
        """Another number, or every number, of the inputs that had the value of a changed one, changed with it."""
        inputs = tuple(place for place, param in enumerate(self.space.info.params) if not param.is_output)
        for place, setter, now in self._settings(inputs, call):
            if now == before and (moved := setter(after)) is not None:
                yield replaced(call, place, moved)
        yield tuple(renumbered(value, before, after) if place in inputs else value for place, value in enumerate(call))

    def _labels(self, node: Compare, one: str, other: str, call: Call) -> Iterator[Change]:
        """The dtype or format of one side given to what the other side depends on."""
        for facet, side, name in (("", node.left, other), ("", node.right, one)):
            for part in self.oracle.parts(side):
                facet = part.func if isinstance(part, Function) and part.func in ("dtype", "format") else ""
                for place in self.oracle.places(part) if facet else ():
                    yield Change(((place, relabelled(call[place], facet, name)),))

    def _lists(self, node: Compare, one: Any, other: Any, call: Call) -> Iterator[Change]:
        """A shape or an array as the other side has it, and a shape with one size of the other side."""
        for side, value in ((node.left, other), (node.right, one)):
            for place in self.oracle.places(side):
                now = call[place]
                if isinstance(now, TensorMeta) and all(isinstance(size, int) for size in value):
                    for shape in (
                        value,
                        *(replaced(now.shape, at, value[at]) for at in range(min(len(value), len(now.shape)))),
                    ):
                        yield Change(((place, self.space.reshaped(place, now, shape)),))
                elif isinstance(now, tuple) and not any(isinstance(item, TensorMeta) for item in now):
                    yield Change(((place, value),))
        differing = [at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
        for at in map(Int, differing[:2]):
            yield from self._found(Compare("==", Index(node.left, at), Index(node.right, at)), call, (0,))

    def _settings(self, places: tuple[int, ...], call: Call) -> Iterator[tuple[int, Setter, Any]]:
        """Every number of some parameters: the parameter, a function that sets the number, and the number."""
        for place in places:
            for setter, now in self.changes.numbers(place, call[place], self.joint):
                yield place, setter, now


def _secant(
    difference: Callable[[Value], Any], setter: Setter, now: int, here: Any, wanted: int, others: list[int]
) -> Iterator[tuple[Value, int]]:
    """The parameter with the number set so that the difference is the wanted one, or lies beyond it, and the number."""
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
