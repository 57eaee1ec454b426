"""The operators that a test of every operator runs over: all in ``make test-full``, some of many in ``make test``."""

from __future__ import annotations

import os
from collections.abc import Sequence

from aclspec import ops

FULL = bool(os.environ.get("ACLSPEC_FULL"))


def computed() -> list[str]:
    """The snake_case names of the operators that have a kernel."""
    return [name for name in ops.names() if ops.get(name).info.facts.has_kernel]


def some(count: int, names: Sequence[str] = ops.names()) -> list[str]:
    """The snake_case names of all operators, or at the small sizes of about so many, evenly chosen from their list."""
    return list(names) if FULL else list(names[:: max(1, len(names) // count)])
