"""Searches that found nothing, so that none is made again that would find nothing either."""

from __future__ import annotations

from typing import NamedTuple

from aclspec.codegen.derive.call import Call
from aclspec.codegen.derive.oracle import Oracle
from aclspec.codegen.derive.trial import Goal
from aclspec.runtime.testing.suite import Cell

_KEPT = 256


class Failure(NamedTuple):
    """A search that found nothing: where, how far it went, and the rules that failed on its way."""

    cell: Cell
    limit: int
    met: frozenset[str]

    def foretells(self, cell: Cell, limit: int, oracle: Oracle) -> bool:
        """Whether the same search in another cell finds nothing either.

        It does not where the rules that were in the way are there too and the shortcuts are the same; and where a
        dtype row was in the way, the rows.
        """
        return limit <= self.limit and self.met <= oracle.active(cell) and oracle.kin(self.cell, cell, self.met)


class Failures:
    """Failures by what was asked for; those of long ago are forgotten."""

    def __init__(self) -> None:
        """Nothing failed yet."""
        self._found: dict[tuple[Goal, tuple[Call, ...]], list[Failure]] = {}

    def of(self, goal: Goal, starts: tuple[Call, ...]) -> list[Failure]:
        """The failures of a goal from these starts."""
        key = (goal, starts)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _KEPT:
                self._found.clear()
            found = self._found[key] = []
        return found
