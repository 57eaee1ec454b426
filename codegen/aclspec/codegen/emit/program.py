"""The statements of a generated function: what it asks, what it answers, and its locals in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.python import Py, Shared, parts
from aclspec.runtime.info import RuleInfo
from aclspec.runtime.predicate.nodes import Name


@dataclass(frozen=True, slots=True)
class Test:
    """One rule in the generated code: the condition on which it decides, and the facts at its place."""

    rule: RuleInfo
    condition: Py
    facts: Facts


@dataclass(frozen=True, slots=True)
class Line:
    """``<before> value``, such as an assignment or a return, below a comment where there is one."""

    before: str
    value: Py
    facts: Facts
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Local:
    """The binding of a local."""

    name: str
    shared: Shared
    value: Py
    facts: Facts

    @property
    def let(self) -> str | None:
        """The name of the let that this local is."""
        return self.shared.node.id if isinstance(self.shared.node, Name) else None


@dataclass(slots=True)
class Section:
    """A block under an ``if``, with its own locals; ``facts`` are those before it."""

    condition: Py
    parts: list[Part]
    facts: Facts
    comment: str = ""


Part: TypeAlias = Test | Line | Local | Section


def expression(part: Part) -> Py:
    """What a part itself evaluates."""
    return part.condition if isinstance(part, Test | Section) else part.value


def in_order(program: Sequence[Part]) -> Iterator[Part]:
    """The program with adjacent locals in the order of the spec, each behind those that it needs."""
    run: list[Local] = []
    for part in program:
        if isinstance(part, Local):
            run.append(part)
            continue
        yield from _sorted(run)
        run = []
        if isinstance(part, Section):
            part.parts = list(in_order(part.parts))
        yield part
    yield from _sorted(run)


def _sorted(run: Sequence[Local]) -> Iterator[Local]:
    left = {local.shared.key: local for local in sorted(run, key=_rank)}

    def visit(local: Local) -> Iterator[Local]:
        for shared in shared_in(local.value):
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


def shared_in(item: Py) -> Iterator[Shared]:
    """Every shared value in an expression, outer ones first."""
    if isinstance(item, Shared):
        yield item
    for part in parts(item):
        yield from shared_in(part)
