"""Which values a generated function keeps in locals: each bound once, just before its first use.

A value gets a local when it is needed at least twice, a ``let`` whenever it can; but only at a place where it is
surely defined, and a value that only one block needs stays in that block.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.program import Local, Part, Section, expression, in_order
from aclspec.codegen.emit.python import Py, Shared, Walk, parts
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.same import Same
from aclspec.runtime.predicate.nodes import Name


class _Step(NamedTuple):
    """One step on the way to a use: a part, and the block that it stands in."""

    block: list[Part]
    part: Part


class _Found(NamedTuple):
    """A shared value in an expression, whether it stands inside a loop there, and those inside of it."""

    shared: Shared
    often: bool
    inside: _Outline


_Outline: TypeAlias = "tuple[_Found, ...]"


class _Use(NamedTuple):
    """A place that needs a value: the way to it from the outermost block, and how often it needs the value."""

    shared: Shared
    way: tuple[_Step, ...]
    weight: int

    @property
    def facts(self) -> Facts:
        """What is known where the value is needed."""
        return self.way[-1].part.facts

    def within(self, part: Part, depth: int) -> bool:
        """Whether the way leads into this part."""
        return len(self.way) > depth and self.way[depth].part is part


@dataclass
class Locals:
    """Finds the locals of one function; ``taken`` are the names that are not free in it."""

    conditions: Conditions
    taken: frozenset[str]
    names: dict[Hashable, str] = field(default_factory=dict)
    outlines: dict[int, tuple[Py, _Outline]] = field(default_factory=dict)
    heights: dict[Same[Shared], int] = field(default_factory=dict)

    def bind(self, statements: Sequence[Part]) -> list[Part]:
        """The statements with the bindings of locals between them."""
        program = list(statements)
        while self._bind_one(program):
            pass
        return list(in_order(program))

    def available(self, shared: Shared, facts: Facts) -> bool:
        """Whether a value is surely defined where these facts hold."""
        if shared.node is None:
            return facts.places <= shared.where
        return self.conditions.surely(shared.node, facts)

    def _bind_one(self, program: list[Part]) -> bool:
        """Bind the largest value that deserves it; whether there was one."""
        uses: dict[Hashable, list[_Use]] = {}
        for use in self._uses(program, (), set()):
            uses.setdefault(use.shared.key, []).append(use)
        for key in sorted(uses, key=lambda key: -self._height(uses[key][0].shared)):
            found = list(self._available(uses[key]))
            while found:
                if self._place(found):
                    return True
                block = found[0].way[-1].block
                found = [use for use in found if use.way[-1].block is not block]
        return False

    def _available(self, uses: list[_Use]) -> Iterator[_Use]:
        """The uses where a value is surely defined; where it is in a block, it is in the rest of that."""
        blocks: set[int] = set()
        for use in uses:
            block = id(use.way[-1].block)
            if block in blocks or self.available(use.shared, use.facts):
                blocks.add(block)
                yield use

    def _place(self, uses: list[_Use]) -> bool:
        """Bind a value before the first of these uses, or before a block around it and others, if that is worth it."""
        first = uses[0]
        for depth, step in enumerate(first.way):
            inside = [use for use in uses if use.within(step.part, depth)]
            last = depth == len(first.way) - 1
            if last or (len(inside) < len(uses) and self.available(first.shared, step.part.facts)):
                if not isinstance(first.shared.node, Name) and sum(use.weight for use in uses) < 2:
                    return False
                self._insert(step, first.shared)
                return True
            uses = inside
        return False

    def _insert(self, step: _Step, shared: Shared) -> None:
        facts = step.part.facts
        local = Local(self._name(shared), shared, self._value(shared, facts), facts)
        step.block.insert(next(at for at, part in enumerate(step.block) if part is step.part), local)

    def _value(self, shared: Shared, facts: Facts) -> Py:
        """The value as it is written where these facts hold."""
        if shared.node is None:
            return shared.value
        found = self.conditions.values.value(shared.node, facts)
        return found.value if isinstance(found, Shared) else found

    def _name(self, shared: Shared) -> str:
        if shared.key not in self.names:
            name = identifier(shared.hint)
            while name in self.taken or name in self.names.values():
                name += "_"
            self.names[shared.key] = name
        return self.names[shared.key]

    def _uses(self, block: list[Part], way: tuple[_Step, ...], bound: set[Hashable]) -> Iterator[_Use]:
        """Every use of a value that no local in sight holds, in the order of the program."""
        for part in block:
            outline = self._outline(expression(part))
            if outline:
                here = (*way, _Step(block, part))
                for shared, weight in _unbound(outline, bound):
                    yield _Use(shared, here, weight)
            if isinstance(part, Local):
                bound.add(part.shared.key)
            if isinstance(part, Section):
                yield from self._uses(part.parts, (*way, _Step(block, part)), set(bound))

    def _outline(self, item: Py) -> _Outline:
        """The shared values of an expression, worked out once: it is looked through again for every local."""
        known = self.outlines.get(id(item))
        if known is None:
            known = self.outlines[id(item)] = item, tuple(_outlined(item, False))  # the item holds its id
        return known[1]

    def _height(self, shared: Shared) -> int:
        known = self.heights.get(Same(shared))
        if known is None:
            known = self.heights[Same(shared)] = _height(shared)
        return known


def _outlined(item: Py, often: bool) -> Iterator[_Found]:
    often = often or isinstance(item, Walk)  # inside a loop once is often
    inside = (found for part in parts(item) for found in _outlined(part, often))
    if isinstance(item, Shared):
        yield _Found(item, often, tuple(inside))
    else:
        yield from inside


def _unbound(outline: _Outline, bound: set[Hashable]) -> Iterator[tuple[Shared, int]]:
    """The shared values that are not bound, with how much each counts, outer ones first."""
    for found in outline:
        if found.shared.key not in bound:
            yield found.shared, 2 if found.often else 1
            yield from _unbound(found.inside, bound)


def _height(item: Py) -> int:
    return 1 + max((_height(part) for part in parts(item)), default=0)
