"""How the axes of an operator's tensors hang together, seen on calls that its rules accept.

One number of a valid call is changed, an axis or an attribute, and what a failing rule is about is changed with it
until the call is valid again; outputs follow their inference. Axes that have the same size in all of these calls are
one axis and have one name. What is drawn is what the rules and the inference do, whatever the operator's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.nodes import Index, Node
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.search.call import Call, TensorMeta, Value, replaced
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Check, Kind, Oracle
from aclspec.runtime.search.repair import Repair
from aclspec.runtime.search.space import Space

_DEPTH: Final = 5
_BUDGET: Final = 60
_MOVES: Final = 8
_REPAIRED: Final = 2
_WINDOWS: Final = ("pool_out", "conv_out", "conv_transpose_out")  # the last where an operator has no other
_SELECTING: Final = {"wrap": 0, "dim": 1, "replace": 1, "remove": 1, "insert": 1, "reduce": 1}
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AFTER_FORMATS: Final = "KRSPQTUVABEFGIJMOXYZ"
_FACTORS: Final = (2, 16)
_LONGEST: Final = 6
_LISTED: Final = 2
_PLANES: Final = len("NCHW")

Spot = tuple[int, ...]
"""A number of a call: the place of its parameter, then an axis or an element, or an element of a list and its axis."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tensor of the diagram: the C name, the name of each axis, and whether a window moves over it."""

    name: str
    axes: tuple[str, ...]
    is_output: bool
    has_window: bool = False


@dataclass(frozen=True, slots=True)
class Axes:
    """The tensors in C order; ``derived`` are the names of axes that follow from others, and ``windows`` what moves."""

    tensors: tuple[Drawn, ...]
    derived: Mapping[str, tuple[str, ...]]
    windows: tuple[str, ...]


def axes_of(info: OperatorInfo) -> Axes | None:
    """The axes of an operator; None where none of its examples is a valid call with a tensor."""
    probing = _Probing(info)
    start = probing.start()
    return None if start is None else _Naming(probing, start).axes()


class _Probing:
    """Valid calls of one operator, each from one number changed."""

    def __init__(self, info: OperatorInfo) -> None:
        self.space = Space(info)
        self.oracle = Oracle(self.space)
        self.neighbours = Neighbours(self.oracle)
        self.repair = Repair(self.oracle, self.neighbours)
        self.kind: Kind = self.oracle.kinds[0]
        self.left, self.repairs = 0, False

    def start(self) -> Call | None:
        """The valid call, of those of the examples, whose tensors have most sizes: there fewest are equal by chance."""
        found = []
        for at, example in enumerate(self.space.info.examples):
            call = self.neighbours.inferred(self.space.example(example))
            self.kind = next((kind for kind in self.oracle.kinds if self.oracle.is_valid(call, kind)), self.kind)
            if self.oracle.is_valid(call, self.kind) and any(is_axis(call, spot) for spot, _ in numbers(call)):
                call = self._lifted(call)
                found.append(((*self._clarity(call), -at), call, self.kind))
        if not found:
            return None
        _, call, self.kind = max(found, key=lambda one: one[0])
        return call

    def _clarity(self, call: Call) -> tuple[float, ...]:
        """How much a call shows: tensors, planes of images, sizes other than 1, sizes that differ."""
        inputs = [one for place in range(len(call)) if self._is_input(place) for _, one in tensors(call, place)]
        sizes = self._sizes(call)
        planes = sum(len(_letters(one)) == _PLANES for one in inputs)
        return len(inputs), planes, -sizes.count(1), len(set(sizes)) / (len(sizes) or 1)

    def _sizes(self, call: Call) -> list[int]:
        """The sizes of all inputs."""
        return [size for spot, size in numbers(call) if self._is_input(spot[0]) and is_axis(call, spot)]

    def _is_input(self, place: int) -> bool:
        return self.space.info.params[place].direction != "out"

    def _lifted(self, call: Call) -> Call:
        """The call with other sizes for axes of one element, which broadcast or say little, where it stays valid."""
        for spot, size in list(numbers(call)):
            if size == 1 and self._is_input(spot[0]) and is_axis(call, spot):
                for other in dict.fromkeys(one for one in self._sizes(call) if one > 1):
                    moved = self.neighbours.inferred(self._set(call, spot, other))
                    if self.oracle.is_valid(moved, self.kind):
                        call = moved
                        break
        return call

    def calls(self, start: Call) -> Iterator[tuple[Spot, Call]]:
        """For each number that can change, a few valid calls in which it does."""
        selectors = self._selectors()
        for spot, size in numbers(start):
            for value in dict.fromkeys((size + 1, *(factor * size for factor in _FACTORS))):
                if value == size or spot[0] in selectors or not self._is_input(spot[0]):
                    continue
                moved = self._changed(start, spot, (size, value))
                if moved is not None:
                    yield spot, moved

    def _changed(self, start: Call, spot: Spot, change: tuple[int, int]) -> Call | None:
        """The call with another number, and with as few other changes as make it valid."""
        call = self._set(start, spot, change[1])
        for self.repairs in (False, True):  # what is equal now is changed alike, if that is enough
            for depth in range(_REPAIRED if self.repairs else _DEPTH + 1):
                self.left = _BUDGET
                moved = self._mended(start, call, change, frozenset({spot}), depth)
                if moved is not None:
                    return moved
        return None

    def _selectors(self) -> frozenset[int]:
        """The attributes that say which axis is meant: with another one it is another picture."""
        found: set[int] = set()
        for part in self.parts():
            if isinstance(part, Index):
                found.update(self.oracle.places(part.index))
            elif isinstance(part, Function) and part.func in _SELECTING:
                found.update(self.oracle.places(part.args[_SELECTING[part.func]]))
        return frozenset(place for place in found if not self.space.kinds[place].startswith("tensor"))

    def _set(self, call: Call, spot: Spot, value: int) -> Call:
        place, *path = spot
        return replaced(call, place, _with(call[place], path, value))

    def _mended(
        self, start: Call, call: Call, change: tuple[int, int], changed: frozenset[Spot], depth: int
    ) -> Call | None:
        """The call with the same change in other numbers, or with another that a rule asks for, if valid then."""
        call = self.neighbours.inferred(call)
        check = self._failing(call)
        if check is None:
            return call if self.oracle.is_valid(call, self.kind) else None
        self.left -= 1
        if self.left < 0:
            return None
        nodes = [node for node in (check.rule.require, check.rule.when) if node is not None]
        if not depth:
            return self._repaired(call, nodes, changed) if self.repairs else None
        places = self.oracle.places(*nodes)
        alike = [
            spot for spot, size in numbers(start) if spot[0] in places and size == change[0] and spot not in changed
        ]
        for spot in alike:
            moved = self._mended(start, self._set(call, spot, change[1]), change, changed | {spot}, depth - 1)
            if moved is not None:
                return moved
        return None

    def _repaired(self, call: Call, nodes: Sequence[Node], changed: frozenset[Spot]) -> Call | None:
        for at, moved in enumerate(chain.from_iterable(self.repair.of(node, call, (0,)) for node in nodes)):
            if at < _MOVES and self._keeps(call, moved, changed) and self.oracle.is_valid(moved, self.kind):
                return moved
        return None

    def _keeps(self, call: Call, moved: Call, changed: frozenset[Spot]) -> bool:
        """Whether a repair leaves alone what was changed already, and the ranks."""
        before, after = dict(numbers(call)), dict(numbers(moved))
        return before.keys() == after.keys() and all(after.get(spot) == before.get(spot) for spot in changed)

    def _failing(self, call: Call) -> Check | None:
        failing = self.oracle.failing(self.oracle.verdict(call), self.kind)
        return next((one for one in self.oracle.checks if one.bit & failing & -failing), None)

    def attributes(self, name: str) -> tuple[str, ...]:
        """The attributes that the shape of an output is computed from."""
        nodes = [one.shape for one in self.space.info.infer if one.param == name]
        params = [self.space.info.params[place] for place in self.oracle.places(*nodes)]
        return tuple(param.name for param in params if not param.type.startswith("tensor"))

    def parts(self) -> Iterator[Node]:
        """All that rules and inference are made of."""
        info = self.space.info
        nodes = [node for rule in info.rules for node in (rule.when, rule.require) if node is not None]
        for node in (*nodes, *(one.shape for one in info.infer)):
            yield from self.oracle.parts(node)

    def windows(self) -> tuple[frozenset[int], frozenset[int]]:
        """The tensors that a window moves over, and what its size is read from."""
        calls = [part for part in self.parts() if isinstance(part, Function) and part.func in _WINDOWS]
        found = [part for part in calls if part.func != _WINDOWS[-1]] or calls
        over = {place for part in found for place in self.oracle.places(part.args[0])}
        sizes = {place for part in found for place in self.oracle.places(part.args[1])}
        tensors = {place for place in over if self.space.kinds[place] == "tensor"}
        return frozenset(tensors - sizes), frozenset(sizes)


def numbers(call: Call) -> Iterator[tuple[Spot, int]]:
    """Every size of a tensor, also of the first ones of a list, and every integer of a call."""
    for place, value in enumerate(call):
        for path, number in _inside(value):
            yield (place, *path), number


def _inside(value: Value) -> Iterator[tuple[Spot, int]]:
    if isinstance(value, TensorMeta):
        yield from (((axis,), size) for axis, size in enumerate(value.shape))
    elif isinstance(value, tuple):
        tensors = [item for item in value if isinstance(item, TensorMeta)]
        for at, item in enumerate(value[:_LISTED] if tensors else value):
            yield from (((at, *path), number) for path, number in _inside(item))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield (), value


def _with(value: Value, path: Sequence[int], number: int) -> Value:
    """The value with another number at a place inside it."""
    if not path:
        return number
    if isinstance(value, TensorMeta):
        return value.reshaped(_with(value.shape, path, number))
    at, *rest = path
    return (*value[:at], _with(value[at], rest, number), *value[at + 1 :])


def is_axis(call: Call, spot: Spot) -> bool:
    """Whether a number is the size of an axis of a tensor."""
    value = call[spot[0]]
    return isinstance(value, TensorMeta) or (len(spot) > 2 and isinstance(value[spot[1]], TensorMeta))


def tensors(call: Call, place: int) -> Iterator[tuple[Spot, TensorMeta]]:
    """The tensor of a parameter, or the first ones of its list."""
    value = call[place]
    if isinstance(value, TensorMeta):
        yield (place,), value
    elif isinstance(value, tuple):
        yield from (((place, at), one) for at, one in enumerate(value[:_LISTED]) if isinstance(one, TensorMeta))


class _Naming:
    """The names of the axes of a call, from what its numbers are in the calls beside it."""

    def __init__(self, probing: _Probing, start: Call) -> None:
        self.probing, self.info, self.start = probing, probing.space.info, start
        self.over, self.sizes = probing.windows()
        self.drawn = [(path, one) for place in range(len(start)) for path, one in tensors(start, place)]
        self.drawn.sort(key=lambda one: self._is_output(one[0]))  # outputs have names of their own where they differ
        self.spots = dict(numbers(start))
        probes = [(spot, dict(numbers(moved))) for spot, moved in probing.calls(start)]
        probes = [(spot, found) for spot, found in probes if found.keys() == self.spots.keys()]
        self.seeds = [spot for spot, _ in probes]
        self.seen = {spot: (size, *(found[spot] for _, found in probes)) for spot, size in self.spots.items()}
        self.names: dict[tuple[int, ...], str] = {}
        self.derived: dict[str, tuple[str, ...]] = {}

    def _is_output(self, path: Spot) -> bool:
        return self.info.params[path[0]].direction == "out"

    def axes(self) -> Axes:
        """The axes of all tensors."""
        for path, tensor in self.drawn:
            for axis in range(len(tensor.shape)):
                self._name(path, tensor, axis)
        over = [path[0] for path, _ in self.drawn if path[0] in self.over and not self._is_output(path)]
        found = tuple(
            Drawn(
                self.info.params[path[0]].name + "".join(f"[{at}]" for at in path[1:]),
                tuple(self._label((*path, axis)) for axis in range(len(tensor.shape))),
                self._is_output(path),
                path[0] in over,
            )
            for path, tensor in self.drawn
        )
        windows = tuple(self.info.params[place].name for place in sorted(self.sizes)) if over else ()
        return Axes(found, self.derived, windows)

    def _label(self, spot: Spot) -> str:
        seen = self.seen[spot]
        return self.names.get(seen) or str(seen[0])

    def _name(self, path: Spot, tensor: TensorMeta, axis: int) -> None:
        """Name what has no name yet and is not the same number in every call."""
        seen = self.seen[*path, axis]
        if seen in self.names or len(set(seen)) == 1:
            return
        name = self._attribute(seen) or self._quotient(seen)
        if not name:
            name = self._letter(tensor, axis)
            if self._is_output(path):
                self.derived[name] = self._sources(seen, self.info.params[path[0]].name)
        self.names[seen] = name

    def _attribute(self, seen: tuple[int, ...]) -> str:
        """The attribute that an axis is the value of."""
        for spot, values in self.seen.items():
            name = self.info.params[spot[0]].name + "".join(f"[{at}]" for at in spot[1:])
            if values == seen and not is_axis(self.start, spot) and len(name) <= _LONGEST:
                return name
        return ""

    def _quotient(self, seen: tuple[int, ...]) -> str:
        """An axis that is a named one divided by an attribute, as the channels of a group are."""
        for spot, divisor in self.seen.items():
            if len(spot) == 1 and len(set(divisor)) > 1:
                product = tuple(one * by for one, by in zip(seen, divisor, strict=True))
                if product in self.names:
                    return f"{self.names[product]}/{self.info.params[spot[0]].name}"
        return ""

    def _letter(self, tensor: TensorMeta, axis: int) -> str:
        """The letter that a format has for an axis, if it is free, else the next one."""
        own = _letters(tensor)
        alphabet = _AFTER_FORMATS if any(_letters(one) for _, one in self.drawn) else _LETTERS
        used = set(self.names.values())
        return next((one for one in (own[axis : axis + 1] + alphabet) if one not in used), "·")

    def _sources(self, seen: tuple[int, ...], output: str) -> tuple[str, ...]:
        """The axes that were changed where this number changed with them, and the attributes that its shape reads."""
        found = {
            self.names.get(self.seen[seed], "")
            for seed, one in zip(self.seeds, seen[1:], strict=True)
            if one != seen[0] and is_axis(self.start, seed)
        }
        return (*sorted(name for name in found if len(name) == 1), *self.probing.attributes(output))


def _letters(tensor: TensorMeta) -> str:
    """The letters of a format that names the axes of a tensor; none of one that does not."""
    name = tensor.format
    return name if name != "ND" and name.isalpha() and len(name) == len(tensor.shape) == len(set(name)) else ""
