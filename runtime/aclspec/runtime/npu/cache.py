"""The executors that a stream keeps: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING

from aclspec.runtime.npu.failure import each

if TYPE_CHECKING:
    from aclspec.runtime.npu.launch import Launch

MOST = 64
"""So many executors are kept for a stream,"""
MOST_BYTES = 1 << 26
"""and so many bytes of buffers and workspaces on the device."""


class Plans:
    """Repeatable executors by what they were made for; whoever uses them holds the lock of their stream."""

    __slots__ = ("_bytes", "_plans", "hits")

    def __init__(self) -> None:
        """None yet."""
        self._plans: OrderedDict[Hashable, tuple[Launch, int]] = OrderedDict()
        self._bytes = 0
        self.hits = 0

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._plans)

    def take(self, key: Hashable) -> Launch | None:
        """The executor for such a call, out of the cache as long as it runs."""
        found = self._plans.pop(key, None)
        if found is None:
            return None
        self._bytes -= found[1]
        self.hits += 1
        return found[0]

    def keep(self, key: Hashable, plan: Launch) -> list[Launch]:
        """Keep an executor that ran well for the next such call; the answer is those that are now too many."""
        held = plan.held
        if held > MOST_BYTES:
            return [plan]
        self._plans[key] = plan, held
        self._bytes += held
        surplus = []
        while len(self._plans) > MOST or self._bytes > MOST_BYTES:
            _, (oldest, bytes_) = self._plans.popitem(last=False)
            self._bytes -= bytes_
            surplus.append(oldest)
        return surplus

    def clear(self) -> None:
        """Let go of all; AclnnError where the library refuses something, when all the rest is done."""
        plans, self._plans, self._bytes = self._plans, OrderedDict(), 0
        each(plan.close for plan, _ in plans.values())
