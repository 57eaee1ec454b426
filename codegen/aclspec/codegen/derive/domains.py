"""What a term can be: numbers between bounds, some of a few constants, or anything but some."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from aclspec.runtime.predicate.nodes import Bool, Int, ListOf, Node, Str, Symbol

_BELOW = {"<": (-inf, -1), "<=": (-inf, 0), ">": (1, inf), ">=": (0, inf)}


@dataclass(frozen=True, slots=True)
class Domain:
    """The numbers from ``low`` to ``high``, or of any kind the ``members``, where there are some; none ``excluded``."""

    low: float = -inf
    high: float = inf
    members: frozenset[Any] | None = None
    excluded: frozenset[Any] = frozenset()

    @staticmethod
    def of(values: tuple[Any, ...]) -> Domain:
        """One of these values."""
        return Domain(members=frozenset(values))

    def meet(self, other: Domain) -> Domain:
        """The values in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        excluded = self.excluded | other.excluded
        if self.members is None and other.members is None:
            if low == high:
                return Domain.of((int(low),)) if int(low) not in excluded else Domain(1, 0)
            return Domain(low, high, None, excluded)
        one = self.members if self.members is not None else other.members
        both = one if self.members is None or other.members is None else self.members & other.members
        assert both is not None
        ranged = low > -inf or high < inf
        kept = (value for value in both - excluded if not ranged or low <= value <= high)
        return Domain(members=frozenset(kept))

    @property
    def is_empty(self) -> bool:
        """Whether there is no such value."""
        return self.low > self.high or (self.members is not None and not self.members)

    def within(self, other: Domain) -> bool | None:
        """Whether all values are in another domain; None where only some are."""
        if self.meet(other).is_empty:
            return False
        if self.members is not None:
            return True if self.meet(other).members == self.members else None
        inside = other.members is None and other.low <= self.low and self.high <= other.high
        return True if inside and other.excluded <= self.excluded else None

    @property
    def truth(self) -> bool | None:
        """The truth value, where it is the only one."""
        if self.members is not None and len(self.members) == 1:
            (value,) = self.members
            return value if isinstance(value, bool) else None
        return None


def domain_of(op: str, node: Node) -> Domain | None:
    """What stands in this relation to a constant; None for what is none."""
    if op in ("in", "not in"):
        if not isinstance(node, ListOf):
            return None
        values = [constant(item) for item in node.items]
        if any(value is None for value in values):
            return None
        chosen = frozenset(values)
        return Domain(members=chosen) if op == "in" else Domain(excluded=chosen)
    value = constant(node)
    if value is None:
        return None
    if op == "==":
        return Domain(members=frozenset((value,)))
    if op == "!=":
        return Domain(excluded=frozenset((value,)))
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    low, high = _BELOW[op]
    return Domain(value + low, value + high)


def constant(node: Node) -> Any:
    """What a literal stands for; None for anything else."""
    match node:
        case Int(value=value) | Bool(value=value) | Str(value=value) | Symbol(name=value):
            return value
        case ListOf(items=items):
            values = tuple(constant(item) for item in items)
            return None if None in values else values
    return None
