"""What to change in a call that is refused, where one change is enough.

The neighbours of the call in which the deciding rule holds are searched, as derivation searches test cases. A fix is
proposed only after the changed call was checked: no rule refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules.answer_words import FIX_WORDS
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.judgement import judge
from aclspec.runtime.rules.operator_info import MODES, Mode, OperatorInfo
from aclspec.runtime.rules.sentences import WORDS, Lang
from aclspec.runtime.search.call import Call, ScalarMeta, TensorMeta, Value, literal
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
_CONTINUED: Final = 24
_LIMIT: Final = 1 << 20
_FACETS: Final = ("dtype", "format", "strides", "value", "shape", "null")


@dataclass(frozen=True, slots=True)
class Fix:
    """One change that makes a call work: a sentence, and the new values by the C names of the parameters.

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
            if len(found) == MOST or (found and len(change.places) > 1):
                break
            fix = None if alternative in found else change.fix(self._search, self.call, product, mode, lang)
            if fix is not None:
                found[alternative] = fix
        return tuple(found.values())

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
    def cost(self) -> tuple[Any, ...]:
        """One parameter before several, then portable changes, light facets, later parameters, small differences."""
        old, new = self.before[self.places[0]], self.after[self.places[0]]
        light, far = _FACETS.index(self.facet), _distance(old, new)
        return (len(self.places), not self.portable, light, -self.places[0], far, self._dtype_order, str(literal(new)))

    @property
    def _dtype_order(self) -> int:
        """The place of a new dtype: first the inferred one, then another tensor's, then those of the same kind.

        0 for a change of another facet.
        """
        place = self.places[0]
        old, new, inferred = (_part(call[place], "dtype") for call in (self.before, self.after, self.inferred))
        if self.facet != "dtype" or new == inferred:
            return 0
        others = (value for at, value in enumerate(self.before) if at not in self.places)
        tensors = (one for value in others for one in (value if isinstance(value, tuple) else (value,)))
        if any(isinstance(one, TensorMeta) and one.dtype == new for one in tensors):
            return 1
        return 2 if _kind(old) == _kind(new) else 3

    def fix(self, search: _Search, call: Mapping[str, object], product: str, mode: Mode, lang: Lang) -> Fix | None:
        """The change as a fix, unless the interpreter refuses the changed call after all."""
        names = [search.space.names[place] for place in self.places]
        changes = {
            name: _written(search, place, self.after[place]) for name, place in zip(names, self.places, strict=True)
        }
        modes = MODES if self.portable else (mode,)
        if any(judge(search.space.info, {**call, **changes}, product, one).verdict != "works" for one in modes):
            return None
        words, texts = FIX_WORDS[lang], WORDS[lang]
        listed = texts["and"].join((texts["comma"].join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
        new = _shown(self.after[self.places[0]], self.facet, words["nothing"])
        return Fix(words[self.facet].format(names=listed, new=new), changes, self.portable)


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
        inferred = self.neighbours.inferred(start)
        for moved in self._tried(check, start, kind):
            works = {one for one, kind in kinds.items() if self.oracle.is_valid(moved, kind)}
            places = self._changed(start, moved)
            if not all(fits(moved[place]) for place in places):
                continue
            facet = _common_facet([(start[place], moved[place]) for place in places]) if mode in works else None
            portable = len(works) == len(kinds)
            if facet is not None and (portable or mode == "library"):  # what CANN refuses is no fix
                yield _Change(start, inferred, moved, places, facet, portable)

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


def _common_facet(pairs: list[tuple[Value, Value]]) -> str | None:
    """The one facet in which all parameters change alike; None where they do not, or where a tensor becomes empty."""
    facets = {_facet(old, new) for old, new in pairs}
    if len(facets) != 1 or None in facets:
        return None
    (facet,) = facets
    if len(pairs) > 1 and (
        facet not in ("dtype", "format", "shape") or len({_part(new, facet) for _, new in pairs}) > 1
    ):
        return None
    return facet


def _facet(old: Value, new: Value) -> str | None:
    """What of a value changes; None for more than one thing, and for what no caller wants."""
    if (old is None) != (new is None):
        return "null"
    if isinstance(old, TensorMeta) and isinstance(new, TensorMeta):
        if new.numel == 0 < old.numel or any(size < 0 for size in new.shape):
            return None
        layout = (new.strides, new.offset)
        names = ("shape", "dtype", "format")
        changed = [facet for facet in names if getattr(old, facet) != getattr(new, facet)]
        if (old.strides, old.offset) != layout and old.shape == new.shape:
            changed.append("strides")
        return changed[0] if len(changed) == 1 and (layout == (None, 0) or changed == ["dtype"]) else None
    if isinstance(old, ScalarMeta) and isinstance(new, ScalarMeta):
        return "dtype" if old.dtype != new.dtype else "value"
    if isinstance(old, tuple) and isinstance(new, tuple) and any(isinstance(one, TensorMeta) for one in (*old, *new)):
        facets = {_facet(one, other) for one, other in zip(old, new, strict=False) if one != other}
        alike = len(old) == len(new) and len(facets) == 1 and len({_part(one, "dtype") for one in new}) == 1
        return "dtype" if alike and facets == {"dtype"} else None
    return "value"


def _part(value: Value, facet: str) -> Any:
    first = value[0] if isinstance(value, tuple) and value and isinstance(value[0], TensorMeta) else value
    return getattr(first, facet, first)


def _kind(dtype: str) -> str:
    """Whether a dtype holds integers, complex numbers, truth values or real numbers."""
    return next((kind for kind in ("INT", "COMPLEX", "BOOL") if dtype.removeprefix("U").startswith(kind)), "FLOAT")


def _distance(old: Value, new: Value) -> int:
    """By how much two values differ: the numbers that change, and how far."""
    if isinstance(old, TensorMeta) and isinstance(new, TensorMeta):
        return _distance(old.shape, new.shape)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return 64 * abs(len(old) - len(new)) + sum(_distance(*pair) for pair in zip(old, new, strict=False))
    if isinstance(old, int | float) and isinstance(new, int | float):
        return 0 if old == new else 8 + _bits(abs(old - new))
    return int(old != new)


def _bits(size: float) -> int:
    """The bits of the whole part of a number, of a large one and of NaN those of a limit."""
    return int(size if size < _LIMIT else _LIMIT).bit_length()


def _shown(value: Value, facet: str, nothing: str) -> str:
    if value is None:
        return nothing
    if facet in ("dtype", "format", "shape") and not isinstance(value, str):
        part = _part(value, facet)
        return str(list(part)) if facet == "shape" else str(part)
    return _as_text(value)


def _as_text(value: Value) -> str:
    if isinstance(value, TensorMeta):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_text, value))}]"
    return str(value.value if isinstance(value, ScalarMeta) else value)
