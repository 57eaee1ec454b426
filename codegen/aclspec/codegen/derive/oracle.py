"""What the rules say about a call, fast enough to ask a million times.

Each predicate is compiled, and its value remembered by the values of the parameters that it names, so that a call that
differs in one parameter asks only the rules about that one. Every case that leaves the sampler is confirmed by
`interp.evaluate` itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.closures import Frame
from aclspec.codegen.derive.compiled import Compiler
from aclspec.codegen.derive.space import Space
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.interp import Memory, Report, evaluate
from aclspec.runtime.predicate.nodes import InRows, Node
from aclspec.runtime.predicate.walk import children
from aclspec.runtime.predicate.walk import names as free_names
from aclspec.runtime.testing.suite import Cell


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules of an operator that fail for a call, in order, and the first shortcut whose guard holds."""

    failing: tuple[str, ...]
    shortcut: str | None

    @property
    def first(self) -> str | None:
        """The rule that decides."""
        return self.failing[0] if self.failing else None


class Watched:
    """A predicate with the places of the parameters that it depends on, and its values so far."""

    def __init__(self, node: Node, space: Space) -> None:
        """Find what the predicate depends on."""
        self.node = node
        found = _dependencies(node, space)
        self.places = tuple(sorted(space.index[name] for name in found if name in space.index))
        self.key = _picked(self.places)
        self.by_rows = _asks_rows(node, space)
        self.values: defaultdict[Cell | None, dict[Hashable, Any]] = defaultdict(dict)


def _picked(places: tuple[int, ...]) -> Callable[[Call], Hashable]:
    """What a call has at some places."""
    return itemgetter(*places) if places else lambda call: ()


class Entry(NamedTuple):
    """A rule in its place among the checks, with its predicates."""

    place: int
    rule: RuleInfo
    when: Watched | None
    require: Watched | None

    @property
    def by_rows(self) -> bool:
        """Whether a dtype row decides somewhere in its predicates."""
        return any(watched is not None and watched.by_rows for watched in (self.when, self.require))


class Group:
    """Rules about the same parameters: what they say is remembered together, for all cells with the same rows."""

    def __init__(self, places: tuple[int, ...], entries: tuple[Entry, ...]) -> None:
        """Nothing said yet."""
        self.key = _picked(places)
        self.entries = entries
        self.values: dict[Hashable, tuple[Entry, ...]] = {}


class Oracle:
    """The interpreter with a memory, for one operator."""

    def __init__(self, space: Space) -> None:
        """No call asked yet."""
        self.space = space
        self._watched: dict[Node, Watched] = {}
        self._entries = [
            Entry(place, rule, self._maybe(rule.when), self._maybe(rule.require))
            for place, rule in enumerate(space.info.rules)
            if rule.outcome == "error" and rule.kind != "product"
        ]
        self._groups: dict[Cell, list[Group]] = {}
        self._active: dict[Cell, frozenset[str]] = {}
        self._shared: dict[Hashable, Group] = {}
        self._confirmed: tuple[Call, Memory] = ((), Memory())
        self._by_rows = frozenset(entry.rule.id for entry in self._entries if entry.by_rows)
        self._compiler = Compiler(space)
        self._likes: dict[Cell, Cell] = {}
        self._firsts: dict[Hashable, Cell] = {}
        self._frame: tuple[Call, Cell, Frame] | None = None

    def value(self, node: Node, call: Call, cell: Cell) -> Any:
        """The value of any predicate or expression."""
        return self._compiler.code(node)(self._framed(call, cell))

    def _framed(self, call: Call, cell: Cell) -> Frame:
        """The call as compiled predicates take it; most often the one that was asked about last."""
        last = self._frame
        if last is None or last[0] is not call or last[1] is not cell:
            last = self._frame = (call, cell, self._compiler.frame(call, cell))
        return last[2]

    def _maybe(self, node: Node | None) -> Watched | None:
        return None if node is None else self.watch(node)

    def watch(self, node: Node) -> Watched:
        """A predicate that will be asked again and again."""
        if node not in self._watched:
            self._watched[node] = Watched(node, self.space)
        return self._watched[node]

    def remembered(self, watched: Watched, call: Call, cell: Cell) -> Any:
        """The value of a watched predicate."""
        values = self.values(watched, cell)
        key = watched.key(call)
        try:
            return values[key]
        except KeyError:
            value = values[key] = self.value(watched.node, call, cell)
            return value

    def values(self, watched: Watched, cell: Cell) -> dict[Hashable, Any]:
        """Where the values of a watched predicate are remembered, by its key of a call."""
        return watched.values[self._alike(cell) if watched.by_rows else None]

    def _alike(self, cell: Cell) -> Cell:
        """The first cell that was asked about and has the same dtype rows."""
        found = self._likes.get(cell)
        if found is None:
            cells = tuple(row.cells for row in self.space.rows(cell))
            found = self._likes[cell] = self._firsts.setdefault(cells, cell)
        return found

    def verdict(self, call: Call, cell: Cell) -> Verdict:
        """Which rules fail before the first shortcut that is taken, in the order of the checks."""
        found: list[Entry] = []
        for group in self._groups_of(cell):
            key = group.key(call)
            said = group.values.get(key)
            if said is None:
                said = group.values[key] = tuple(self._speaking(group, call, cell))
            found += said
        found.sort()
        failing: list[str] = []
        for entry in found:
            if entry.rule.kind == "shortcut":
                return Verdict(tuple(failing), entry.rule.id)
            failing.append(entry.rule.id)
        return Verdict(tuple(failing), None)

    def _speaking(self, group: Group, call: Call, cell: Cell) -> Iterator[Entry]:
        """The rules of a group that fail, and the shortcuts that are taken."""
        for entry in group.entries:
            if entry.when is None or self.remembered(entry.when, call, cell) is True:
                fails = entry.require is not None and self.remembered(entry.require, call, cell) is False
                if fails or entry.rule.kind == "shortcut":
                    yield entry

    def _groups_of(self, cell: Cell) -> list[Group]:
        if cell not in self._groups:
            by_places: defaultdict[tuple[int, ...], list[Entry]] = defaultdict(list)
            for entry in self._entries:
                if applies(entry.rule, cell):
                    watched = (part.places for part in (entry.when, entry.require) if part is not None)
                    by_places[tuple(sorted({place for part in watched for place in part}))].append(entry)
            self._groups[cell] = [self._group(places, tuple(entries), cell) for places, entries in by_places.items()]
        return self._groups[cell]

    def _group(self, places: tuple[int, ...], entries: tuple[Entry, ...], cell: Cell) -> Group:
        """The one group of these rules."""
        rows = self._alike(cell) if any(entry.by_rows for entry in entries) else None
        key = (tuple(entry.place for entry in entries), rows)
        if key not in self._shared:
            self._shared[key] = Group(places, entries)
        return self._shared[key]

    def active(self, cell: Cell) -> frozenset[str]:
        """The rules and shortcuts that a cell asks."""
        found = self._active.get(cell)
        if found is None:
            asked = (entry.rule.id for group in self._groups_of(cell) for entry in group.entries)
            found = self._active[cell] = frozenset(asked)
        return found

    def kin(self, one: Cell, other: Cell, rules: frozenset[str]) -> bool:
        """Whether two cells have the same shortcuts, and the same dtype rows where one of the rules asks for them."""
        shortcuts = self.active(one) ^ self.active(other)
        if any(self.space.info.rule(name).kind == "shortcut" for name in shortcuts):
            return False
        return self._alike(one) == self._alike(other) or not rules & self._by_rows

    def confirm(self, call: Call, cell: Cell) -> Report:
        """The interpreter's own report on a call."""
        if self._confirmed[0] is not call:
            self._confirmed = (call, Memory())
        return evaluate(self.space.info, self.space.mapping(call), cell.product, cell.mode, self._confirmed[1])


def applies(rule: RuleInfo, cell: Cell) -> bool:
    """Whether this product, in this mode, checks the rule at all."""
    modes = dict(rule.status)
    in_mode = cell.mode in modes or (rule.kind == "shortcut" and not modes)
    return in_mode and (not rule.products or cell.product in rule.products)


def _dependencies(node: Node, space: Space) -> frozenset[str]:
    """The parameters behind a predicate, seen through its lets and through the guards of a dtype row."""
    found: set[str] = set()
    seen: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        guards = [space.info.param(name).checked for part in _parts(current) for name in _row_params(part)]
        stack.extend(guard for guard in guards if guard is not None)
        for name in free_names(current) - seen:
            seen.add(name)
            if name in space.lets:
                stack.append(space.lets[name])
            else:
                found.add(name)
    return frozenset(found)


def _asks_rows(node: Node, space: Space) -> bool:
    """Whether a dtype row, and with it the product, decides somewhere in the predicate."""
    names = free_names(node) & space.lets.keys()
    return any(_row_params(part) for part in _parts(node)) or any(_asks_rows(space.lets[name], space) for name in names)


def _row_params(node: Node) -> tuple[str, ...]:
    return node.params if isinstance(node, InRows) else ()


def _parts(node: Node) -> list[Node]:
    """A tree's nodes, itself included."""
    return [node, *(part for child in children(node) for part in _parts(child))]
