"""Calls that the search has met, each with what is asked of it again and again."""

from __future__ import annotations

from aclspec.codegen.derive.call import Call, tensors
from aclspec.codegen.derive.oracle import Oracle, Verdict
from aclspec.codegen.derive.plain import Plain
from aclspec.runtime.testing.suite import Cell

_POINTS = 50_000


class Point:
    """A call, how far it is from plain, and its verdicts so far."""

    __slots__ = ("call", "plain", "verdicts")

    def __init__(self, call: Call, plain: int) -> None:
        """No verdict yet."""
        self.call = call
        self.plain = plain
        self.verdicts: dict[Cell, Verdict] = {}

    @property
    def is_negative(self) -> bool:
        """Whether a tensor has a negative size."""
        return any(tensor.is_negative for value in self.call for tensor in tensors(value))


class Points:
    """The calls that were met; they are forgotten between two searches when they are many."""

    def __init__(self, oracle: Oracle) -> None:
        """No call yet, and nothing plain but small tensors."""
        self.oracle = oracle
        self._plain = Plain(None)
        self._points: dict[Call, Point] = {}

    def measure(self, base: Call) -> None:
        """From now on the plain call is this one."""
        self._plain = Plain(base)
        self._points.clear()

    def at(self, call: Call) -> Point:
        """The one point of a call."""
        found = self._points.get(call)
        if found is None:
            found = self._points[call] = Point(call, self._plain.cost(call))
        return found

    def verdict(self, point: Point, cell: Cell) -> Verdict:
        """What the rules say of a call."""
        found = point.verdicts.get(cell)
        if found is None:
            found = point.verdicts[cell] = self.oracle.verdict(point.call, cell)
        return found

    def trim(self) -> None:
        """Forget all calls where they are many; nobody may hold one."""
        if len(self._points) > _POINTS:
            self._points.clear()
