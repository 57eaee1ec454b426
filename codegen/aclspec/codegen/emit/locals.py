"""Which values a generated function keeps in locals: each bound once, just before its first use.

A value gets a local when it is needed at least twice, a ``let`` whenever it can; but only at a place where it is
surely defined, and a value that only one block needs stays in that block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.python import TRUE, Py, Shared, Walk, parts
from aclspec.codegen.emit.rules import Block, Test
from aclspec.codegen.emit.scope import identifier
from aclspec.runtime.predicate.nodes import Name


@dataclass(frozen=True, slots=True)
class Local:
    """The binding of a local; ``first`` is false where the same name was bound in an earlier block."""

    name: str
    shared: Shared
    value: Py
    facts: Facts
    first: bool = True

    @property
    def let(self) -> str | None:
        """The name of the let that this local is."""
        return self.shared.node.id if isinstance(self.shared.node, Name) else None


Part: TypeAlias = "Test | Local | Section"


@dataclass(slots=True)
class Section:
    """A block with its own locals."""

    block: Block
    parts: list[Part]

    @property
    def facts(self) -> Facts:
        """What is known before the block."""
        return self.block.facts


@dataclass(frozen=True, slots=True)
class _Use:
    """A place that needs a value: its part, the section around it, and how often it needs the value."""

    shared: Shared
    part: Test | Local
    section: Section | None
    weight: int


@dataclass
class Locals:
    """Finds the locals of one function; ``taken`` are the names that are not free in it."""

    conditions: Conditions
    taken: frozenset[str]
    names: dict[Hashable, str] = field(default_factory=dict)

    def bind(self, statements: Sequence[Test | Block]) -> list[Part]:
        """The statements with the bindings of locals between them."""
        program: list[Part] = [Section(s, list(s.tests)) if isinstance(s, Block) else s for s in statements]
        while self._bind_one(program):
            pass
        for part in program:
            if isinstance(part, Section):
                part.parts = list(_in_order(part.parts))
        return list(_in_order(program))

    def _bind_one(self, program: list[Part]) -> bool:
        """Bind the largest value that deserves it; whether there was one."""
        uses: dict[Hashable, list[_Use]] = {}
        for use in _uses(program):
            uses.setdefault(use.shared.key, []).append(use)
        for key in sorted(uses, key=lambda key: -_height(uses[key][0].shared)):
            found = [use for use in uses[key] if self._available(use.shared, use.part.facts)]
            while found:
                if self._place(program, found):
                    return True
                found = [use for use in found if use.section is not found[0].section]
        return False

    def _place(self, program: list[Part], uses: list[_Use]) -> bool:
        """Bind a value before the first of these uses, if that is worth it."""
        first = uses[0]
        local = isinstance(first.shared.node, Name)
        if first.section is None:
            return (local or _weight(uses) > 1) and self._insert(program, first.part, first.shared, first.part.facts)
        inside = [use for use in uses if use.section is first.section]
        if len(inside) < len(uses) and self._available(first.shared, first.section.facts):
            return self._insert(program, first.section, first.shared, first.section.facts)
        if not local and _weight(inside) < 2:
            return False
        return self._insert(first.section.parts, first.part, first.shared, first.part.facts)

    def _insert(self, where: list[Part], before: Part, shared: Shared, facts: Facts) -> bool:
        new = shared.key not in self.names
        local = Local(self._name(shared), shared, self._value(shared, facts), facts, new)
        where.insert(next(at for at, part in enumerate(where) if part is before), local)
        return True

    def _value(self, shared: Shared, facts: Facts) -> Py:
        """The value as it is written where these facts hold."""
        if shared.node is None:
            return shared.value
        found = self.conditions.values.value(shared.node, facts)
        return found.value if isinstance(found, Shared) else found

    def _available(self, shared: Shared, facts: Facts) -> bool:
        if shared.node is None:
            return facts.places <= shared.where
        return self.conditions.defined(shared.node, facts) == TRUE

    def _name(self, shared: Shared) -> str:
        if shared.key not in self.names:
            name = identifier(shared.hint)
            while name in self.taken or name in self.names.values():
                name += "_"
            self.names[shared.key] = name
        return self.names[shared.key]


def _in_order(program: Sequence[Part]) -> Iterator[Part]:
    """The program with adjacent locals in the order of the spec, each behind those that it needs."""
    run: list[Local] = []
    for part in program:
        if isinstance(part, Local):
            run.append(part)
            continue
        yield from _sorted(run)
        run = []
        yield part
    yield from _sorted(run)


def _sorted(run: Sequence[Local]) -> Iterator[Local]:
    left = {local.shared.key: local for local in sorted(run, key=_rank)}

    def visit(local: Local) -> Iterator[Local]:
        for shared, _ in _shared(local.value, lambda _: False, 1):
            if shared.key in left and shared.key != local.shared.key:
                yield from visit(left[shared.key])
        if left.pop(local.shared.key, None) is not None:
            yield local

    while left:
        yield from visit(next(iter(left.values())))


def _rank(local: Local) -> int:
    """Where a let stands in the spec; a fact of a parameter comes before all of them."""
    if local.let is None:
        return -1
    return [let.name for let in local.facts.scope.info.lets].index(local.let)


def _uses(program: Sequence[Part]) -> Iterator[_Use]:
    """Every use of a value that no local in sight holds, in the order of the program."""
    bound: set[Hashable] = set()
    for part in program:
        if isinstance(part, Section):
            inner = set(bound)
            for one in part.parts:
                if not isinstance(one, Section):
                    yield from _uses_in(one, part, inner)
        else:
            yield from _uses_in(part, None, bound)


def _uses_in(part: Test | Local, section: Section | None, bound: set[Hashable]) -> Iterator[_Use]:
    root = part.condition if isinstance(part, Test) else part.value
    for shared, weight in _shared(root, bound.__contains__, 1):
        yield _Use(shared, part, section, weight)
    if isinstance(part, Local):
        bound.add(part.shared.key)


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


def _weight(uses: Sequence[_Use]) -> int:
    return sum(use.weight for use in uses)
