"""The operators that a test of every operator runs over: all at the whole amount, some of many at the others."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec import ops
from aclspec.runtime.testing.amount import amount


def computed() -> list[str]:
    """The snake_case names of the operators that have a kernel."""
    return [name for name in ops.names() if ops.get(name).info.facts.has_kernel]


def some(count: int, names: Sequence[str] = ops.names(), *, small: int | None = None) -> list[str]:
    """The snake_case names of about so many operators, evenly chosen from a list; ``small`` in `make test`."""
    wanted = amount(small or count, count, len(names))
    return list(names[:: max(1, len(names) // wanted)])
