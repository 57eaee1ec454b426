"""Looking for cycles of garbage less often: what a run reads and makes has hardly any, and is much."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 200_000
"""So many new objects are looked through for cycles of garbage at a time."""
_PIECES, _SECONDS = 32, 2.0
"""After so many specs, or so long, a process gives back what they left in cycles, some megabytes each."""


def collect_seldom() -> None:
    """Look for cycles less often from now on."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])


class Rounds:
    """Looks for cycles after every few pieces of work, or after a long one; what is left then is looked at no more."""

    def __init__(self) -> None:
        """What is there now stays, and is not looked at again."""
        gc.freeze()
        self._begin()

    def _begin(self) -> None:
        self._left, self._since = _PIECES, time.monotonic()

    def ended(self) -> None:
        """One more piece of work is done."""
        self._left -= 1
        if not self._left or time.monotonic() - self._since > _SECONDS:
            gc.collect()
            gc.freeze()
            self._begin()


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Look for cycles less often for a while."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
