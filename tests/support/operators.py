"""The operators that a test of every operator runs over: all in ``make test-full``, some of many in ``make test``."""

from __future__ import annotations

import os

from aclspec import ops

FULL = bool(os.environ.get("ACLSPEC_FULL"))


def some(count: int) -> list[str]:
    """The snake_case names of all operators, or at the small sizes of about so many, evenly chosen from their list."""
    names = ops.names()
    return list(names) if FULL else list(names[:: max(1, len(names) // count)])
