"""Looking for cycles of garbage less often: what a run reads and makes has hardly any, and is much."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 200_000
"""So many new objects are looked through for cycles of garbage at a time."""


def collect_seldom() -> None:
    """Look for cycles less often from now on."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Look for cycles less often for a while."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
