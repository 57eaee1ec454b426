"""What to change in a call that is refused: one change, or else a few one after the other.

The neighbours of the call in which the deciding rule holds are searched, as derivation searches test cases. A fix is
proposed only after the changed call was checked: no rule refuses it. No fix changes what is computed: an input loses
no elements by another rank, no imaginary part and no meaning as a mask, and is not left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.api.facets import (
    common_facet,
    distance,
    gap,
    is_flattened,
    is_padded,
    is_smaller,
    keeps_meaning,
    kind_of,
    loss,
    part_of,
    shown,
)
from aclspec.runtime.rules.answer_words import FIX_WORDS
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.judgement import judge
from aclspec.runtime.rules.operator_info import MODES, Mode, OperatorInfo
from aclspec.runtime.rules.sentences import WORDS, Lang
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, literal, replaced
from aclspec.runtime.search.changes import fits
from aclspec.runtime.search.neighbours import Neighbours
from aclspec.runtime.search.oracle import Check, Kind, Oracle
from aclspec.runtime.search.repair import Repair
from aclspec.runtime.search.space import Space, Target
from aclspec.runtime.tensors.tensor import Scalar, Tensor

MOST: Final = 3
"""How many fixes are proposed at most."""
BUDGET: Final = 4000
"""How many changed calls are tried at most."""
LONGEST: Final = 64
"""How many elements a list has at most where fixes are searched: each of thousands of candidates is a list as long."""
MOST_AXES: Final = 16
"""How many axes a tensor has at most where fixes are searched."""
STEPS: Final = 3
"""How many changes a fix consists of at most, where one is not enough."""
_CONTINUED: Final = 24
_FACETS: Final = ("dtype", "format", "strides", "value", "shape", "null")


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that makes a call work: a sentence, and the new values by the C names of the parameters.

    ``portable`` says that the changed call works in both conformance modes, not in the one asked about alone.
    """

    sentence: str
    changes: Mapping[str, Any]
    portable: bool

    def __str__(self) -> str:
        """The sentence."""
        return self.sentence


class Fixes:
    """The fixes of one call, given as C names of all parameters; products with the same rules share the search."""

    def __init__(self, info: OperatorInfo, call: Mapping[str, object]) -> None:
        """Nothing is searched until fixes are asked for."""
        self.info, self.call = info, call
        self._changes: dict[tuple[int | str | None, ...], list[_Change]] = {}

    def find(self, product: str, mode: Mode, lang: Lang = "en") -> tuple[Fix, ...]:
        """At most `MOST` fixes on a product; none where the call works already."""
        if not all(map(_is_searched, self.call.values())):
            return ()
        found: dict[tuple[str, tuple[int, ...]], Fix] = {}
        for change in self._sorted(product, mode):
            alternative = (change.facet, change.places)
            if len(found) == MOST or (found and (len(change.places) > 1 or change.is_padded)):
                break
            fix = None if alternative in found else self._fix((change,), product, mode, lang)
            if fix is not None:
                found[alternative] = fix
        several = () if found else self._several(product, mode)
        fix = self._fix(several, product, mode, lang) if several else None
        return tuple(found.values()) if fix is None else (fix,)

    def _fix(self, steps: tuple[_Change, ...], product: str, mode: Mode, lang: Lang) -> Fix | None:
        """Changes one after the other as a fix, unless the interpreter refuses the changed call after all."""
        space, after = self._search.space, steps[-1].after
        places = sorted({place for step in steps for place in step.places})
        changes = {space.names[place]: _written(self._search, place, after[place]) for place in places}
        modes = MODES if steps[-1].portable else (mode,)
        if any(judge(self.info, {**self.call, **changes}, product, one).verdict != "works" for one in modes):
            return None
        sentences = (step.sentence(space, lang) for step in steps)
        return Fix((" " if lang == "en" else "").join(sentences), changes, steps[-1].portable)

    def _several(self, product: str, mode: Mode) -> tuple[_Change, ...]:
        """The best change that makes the deciding rule hold, the best one of that call, and so on until it works."""
        start, kinds = self._start, self._search.kinds(product)
        steps: list[_Change] = []
        while start is not None and len(steps) < STEPS and mode in kinds:
            step = min(self._search.nearer(start, kinds, mode), key=lambda one: one.cost, default=None)
            if step is None:
                return ()
            steps.append(step)
            if all(self._search.oracle.is_valid(step.after, kind) for kind in kinds.values()):
                return (*steps[:-1], replace(step, portable=len(kinds) == len(MODES)))
            start = step.after
        return ()

    @cached_property
    def _search(self) -> _Search:
        return _Search(self.info)

    @cached_property
    def _start(self) -> Call | None:
        return self._search.read(self.call)

    def _sorted(self, product: str, mode: Mode) -> list[_Change]:
        """The changes that make the call work on a product, the best first."""
        decided, start = judge(self.info, self.call, product, mode).report.first, self._start
        if start is None:
            return []
        kinds = self._search.kinds(product)
        key = (mode, decided, *map(id, kinds.values()))
        if key not in self._changes:
            self._changes[key] = sorted(self._search.changes(start, kinds, mode, decided), key=lambda one: one.cost)
        return self._changes[key]


@dataclass(frozen=True)
class _Change:
    """The same change of one facet in one or several parameters; ``inferred`` has the outputs that follow."""

    before: Call
    inferred: Call
    after: Call
    places: tuple[int, ...]
    facet: str
    portable: bool

    @property
    def is_padded(self) -> bool:
        """Whether a tensor gets axes of size 1, so that an axis may mean another one."""
        return self.facet == "shape" and any(is_padded(self.before[at], self.after[at]) for at in self.places)

    @property
    def cost(self) -> tuple[Any, ...]:
        """No new axes before some, one parameter before several, then portable changes, light facets, later parameters.

        Leading axes that become one come first, then small differences, and dtypes that keep more of the numbers.
        """
        old, new = self.before[self.places[0]], self.after[self.places[0]]
        light, far = _FACETS.index(self.facet), distance(old, new)
        near = (
            not is_flattened(old, new),
            far,
            gap(old, new),
            self._dtype_order,
            *(loss(old, new) if self.facet == "dtype" else (0, 0)),
            str(literal(new)),
        )
        return (self.is_padded, len(self.places), not self.portable, light, -self.places[0], *near)

    @property
    def _dtype_order(self) -> int:
        """The place of a new dtype: first the inferred one, then another tensor's, then those of the same kind.

        0 for a change of another facet.
        """
        place = self.places[0]
        old, new, inferred = (part_of(call[place], "dtype") for call in (self.before, self.after, self.inferred))
        if self.facet != "dtype" or new == inferred:
            return 0
        others = (value for at, value in enumerate(self.before) if at not in self.places)
        tensors = (one for value in others for one in (value if isinstance(value, tuple) else (value,)))
        if any(isinstance(one, TensorMeta) and one.dtype == new for one in tensors):
            return 1
        return 2 if kind_of(old) == kind_of(new) else 3

    def sentence(self, space: Space, lang: Lang) -> str:
        """What to do."""
        words, texts, names = FIX_WORDS[lang], WORDS[lang], [space.names[place] for place in self.places]
        listed = texts["and"].join((texts["comma"].join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
        old, new = self.before[self.places[0]], self.after[self.places[0]]
        is_flat = self.facet == "shape" and is_flattened(old, new)
        is_small = self.facet == "dtype" and any(is_smaller(self.before[at], self.after[at]) for at in self.places)
        facet = "flat" if is_flat else "padded" if self.is_padded else "small" if is_small else self.facet
        return words[facet].format(names=listed, new=shown(new, self.facet, words["nothing"]))


class _Search:
    """The neighbours of one operator's calls."""

    def __init__(self, info: OperatorInfo) -> None:
        """Compile the rules."""
        self.space = Space(info)
        self.oracle = Oracle(self.space)
        self.neighbours = Neighbours(self.oracle)
        self.repair = Repair(self.oracle, self.neighbours)
        self.free: frozenset[int] = frozenset()
        """The outputs that the caller left out: they follow every change."""

    def kinds(self, product: str) -> dict[Mode, Kind]:
        """What a product asks, by mode."""
        kinds = ((mode, self.oracle.kind_of.get(Target(product, mode))) for mode in MODES)
        return {mode: kind for mode, kind in kinds if kind is not None}

    def read(self, call: Mapping[str, object]) -> Call | None:
        """The call as the search sees it; None where a value is of a kind that it does not know."""
        self.free = frozenset(place for place, name in enumerate(self.space.names) if call[name] is INFERRED)
        try:
            values = tuple(
                self.space.default(place) if place in self.free else _read(self.space, place, call[name])
                for place, name in enumerate(self.space.names)
            )
        except (TypeError, ValueError):
            return None
        return self._following(values)

    def _following(self, call: Call) -> Call:
        inferred = self.neighbours.inferred(call)
        return tuple(inferred[place] if place in self.free else value for place, value in enumerate(call))

    def changes(self, start: Call, kinds: Mapping[Mode, Kind], mode: Mode, rule: str | None) -> Iterator[_Change]:
        """Neighbours that no rule of the mode refuses and that differ by one change; ``rule`` decides the call."""
        kind = kinds.get(mode)
        active = 0 if kind is None else kind.active
        check = next((one for one in self.oracle.checks if one.bit & active and one.rule.id == rule), None)
        if kind is None or check is None:
            return
        for moved in self._tried(check, start, kind):
            works = {one for one, kind in kinds.items() if self.oracle.is_valid(moved, kind)}
            portable = len(works) == len(kinds)
            if mode in works and (portable or mode == "library"):  # what CANN refuses is no fix
                yield from self._change(start, moved, portable)

    def nearer(self, start: Call, kinds: Mapping[Mode, Kind], mode: Mode) -> Iterator[_Change]:
        """Neighbours of a call in which a later rule decides, or none; they differ by one change."""
        kind = kinds[mode]
        first = self._first(start, kind)
        check = next((one for one in self.oracle.checks if one.bit & first), None)
        tried: dict[Call, None] = {}
        if check is not None:
            self._add(tried, self._moves(check, start))
        for moved in tried:
            decides = self._first(moved, kind)
            if decides > first or (decides == 0 and self.oracle.is_valid(moved, kind)):
                yield from self._change(start, moved, False)

    def _change(self, start: Call, moved: Call, portable: bool) -> Iterator[_Change]:
        """The call as a change of another, where it is one change of one facet and keeps the meaning."""
        places = self._changed(start, moved)
        pairs = [(start[place], moved[place]) for place in places]
        facet = common_facet(pairs) if all(fits(moved[place]) for place in places) else None
        inputs = [
            pair for place, pair in zip(places, pairs, strict=True) if self.space.info.params[place].direction != "out"
        ]
        if facet is not None and all(keeps_meaning(old, new, facet) for old, new in inputs):
            yield _Change(start, self.neighbours.inferred(start), moved, places, facet, portable)

    def _tried(self, check: Check, start: Call, kind: Kind) -> list[Call]:
        """The changed calls, at most `BUDGET`: the neighbours, then those of the first in which the rule holds."""
        tried: dict[Call, None] = {}
        self._add(tried, self._moves(check, start))
        nearer = (
            moved
            for moved in list(tried)
            if not self._first(moved, kind) & check.bit and len(self._changed(start, moved)) == 1
        )
        for moved in islice(nearer, _CONTINUED):  # the same parameter may have to change further
            behind = next((one for one in self.oracle.checks if one.bit & self._first(moved, kind)), None)
            if behind is not None and len(tried) < BUDGET:
                self._add(tried, self._moves(behind, moved))
        return list(tried)

    def _add(self, tried: dict[Call, None], moves: Iterator[Call]) -> None:
        """Add calls until the budget is spent."""
        for moved in moves:
            tried[moved] = None
            if len(tried) == BUDGET:
                return

    def _first(self, call: Call, kind: Kind) -> int:
        """The bit of the rule that decides; 0 where none fails."""
        failing = self.oracle.failing(self.oracle.verdict(call), kind)
        return failing & -failing

    def _changed(self, start: Call, moved: Call) -> tuple[int, ...]:
        pairs = zip(moved, start, strict=True)  # NaN is the same, though not equal
        return tuple(
            at for at, (one, other) in enumerate(pairs) if one is not other and one != other and at not in self.free
        )

    def _moves(self, check: Check, start: Call) -> Iterator[Call]:
        """Neighbours by the parameters that a rule is about."""
        nodes = [node for node in (check.rule.require, check.rule.when) if node is not None]
        for node in nodes:
            yield from map(self._following, self.repair.of(node, start, (0,)))
        yield from map(self._following, self.neighbours.of(start, self.oracle.places(*nodes)))
        yield from map(self._following, self._regrouped(start, self.oracle.places(*nodes)))

    def _regrouped(self, start: Call, places: tuple[int, ...]) -> Iterator[Call]:
        """The call with the leading axes of a tensor as one, or one axis more, alone or as all of its shape."""
        for place in places:
            value = start[place]
            if isinstance(value, TensorMeta) and self.space.info.params[place].direction != "out":
                shape = value.shape
                flat = [(math.prod(shape[:count]), *shape[count:]) for count in range(2, len(shape))]
                longer = [(*shape[:at], 1, *shape[at:]) for at in range(1, len(shape))]
                for regrouped in (*flat, *longer):
                    moved = self.space.reshaped(place, value, regrouped)
                    yield from self.neighbours.followed(replaced(start, place, moved))
                    yield from self.neighbours.together(start, value, moved)


def _is_searched(value: Any) -> bool:
    """Whether a value is short enough to be changed in every place."""
    if isinstance(value, list | tuple):
        return len(value) <= LONGEST and all(map(_is_searched, value))
    return not isinstance(value, Tensor) or value.rank <= MOST_AXES


def _read(space: Space, place: int, value: Any) -> Value:
    if isinstance(value, DType):  # an int, too
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Tensor):
        shape = tuple(map(int, value.shape))
        format = value.format.name if value.format is not None else (space.formats_of(place, len(shape)) or ("ND",))[0]
        plain = value.is_contiguous and value.offset == 0
        strides = None if plain else tuple(value.strides)
        usual = Tensor(shape, value.dtype, value.format, strides, value.offset).storage_shape
        storage = None if value.storage_shape == usual else value.storage_shape
        return TensorMeta(shape, value.dtype.name, format, strides, value.offset, storage)
    if isinstance(value, Scalar) and isinstance(value.value, bool | int | float):
        return ScalarMeta(value.value, value.dtype.name)
    if isinstance(value, Scalar) and isinstance(value.value, complex) and not value.value.imag:
        return ScalarMeta(value.value.real, value.dtype.name)
    if isinstance(value, list | tuple):
        return tuple(_read(space, place, item) for item in value)
    raise TypeError(f"The search knows no {type(value).__name__}.")


def _written(search: _Search, place: int, value: Value) -> Any:
    """A value of the search as a call takes it."""
    if isinstance(value, TensorMeta):
        return Tensor(value.shape, DType[value.dtype], Format[value.format], value.strides, value.offset)
    if isinstance(value, ScalarMeta):
        return Scalar(value.value, DType[value.dtype])
    if isinstance(value, tuple):
        return tuple(_written(search, place, item) for item in value)
    return DType[value] if search.space.kinds[place] == "dtype" and isinstance(value, str) else value
