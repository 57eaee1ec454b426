"""Which values a generated function keeps in locals: each bound once, just before its first use.

A value gets a local when it is needed at least twice, a ``let`` whenever it can; but only at a place where it is
surely defined, and a value that only one block needs stays in that block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.program import Local, Part, Section, expression, in_order
from aclspec.codegen.emit.python import TRUE, Py, Shared, Walk, parts
from aclspec.codegen.emit.scope import identifier
from aclspec.runtime.predicate.nodes import Name


@dataclass(frozen=True, slots=True)
class _Step:
    """One step on the way to a use: a part, and the block that it stands in."""

    block: list[Part]
    part: Part


@dataclass(frozen=True, slots=True)
class _Use:
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
        return self.conditions.defined(shared.node, facts) == TRUE

    def _bind_one(self, program: list[Part]) -> bool:
        """Bind the largest value that deserves it; whether there was one."""
        uses: dict[Hashable, list[_Use]] = {}
        for use in _uses(program, (), set()):
            uses.setdefault(use.shared.key, []).append(use)
        for key in sorted(uses, key=lambda key: -_height(uses[key][0].shared)):
            found = [use for use in uses[key] if self.available(use.shared, use.facts)]
            while found:
                if self._place(found):
                    return True
                block = found[0].way[-1].block
                found = [use for use in found if use.way[-1].block is not block]
        return False

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


def _uses(block: list[Part], way: tuple[_Step, ...], bound: set[Hashable]) -> Iterator[_Use]:
    """Every use of a value that no local in sight holds, in the order of the program."""
    for part in block:
        here = (*way, _Step(block, part))
        for shared, weight in _shared(expression(part), bound.__contains__, 1):
            yield _Use(shared, here, weight)
        if isinstance(part, Local):
            bound.add(part.shared.key)
        if isinstance(part, Section):
            yield from _uses(part.parts, here, set(bound))


def _shared(item: Py, bound: Callable[[Hashable], bool], weight: int) -> Iterator[tuple[Shared, int]]:
    if isinstance(item, Shared):
        if bound(item.key):
            return
        yield item, weight
    if isinstance(item, Walk):
        weight = 2  # inside a loop once is often
    for part in parts(item):
        yield from _shared(part, bound, weight)


def _height(item: Py) -> int:
    return 1 + max((_height(part) for part in parts(item)), default=0)
