"""Things as keys of caches by their identity, where to compare or to hash all that they hold would take long."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

_MOST = 1 << 12
_T = TypeVar("_T")
_R = TypeVar("_R")


class Same(Generic[_T]):
    """The very same object, whatever others are equal to it."""

    __slots__ = ("value",)

    def __init__(self, value: _T) -> None:
        """Hold the object, so that its identity stays its own."""
        self.value = value

    def __eq__(self, other: object) -> bool:
        """Whether it is the same object."""
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        """A hash of its identity."""
        return hash(id(self.value))


def remembered(function: Callable[[_T], _R]) -> Callable[[_T], _R]:
    """The function, which remembers what it gave for some thousands of objects that never change."""

    @lru_cache(maxsize=_MOST)
    def known(same: Same[_T]) -> _R:
        return function(same.value)

    return lambda value: known(Same(value))


class Made(Generic[_R]):
    """What was made for so many keys, each of which says all that it was made from."""

    def __init__(self, most: int = _MOST) -> None:
        """Nothing has been made yet."""
        self._most = most
        self._made: dict[Hashable, _R] = {}

    def of(self, key: Hashable, make: Callable[[], _R]) -> _R:
        """What was made for a key."""
        if key not in self._made:
            if len(self._made) >= self._most:
                self._made.clear()
            self._made[key] = make()
        return self._made[key]
