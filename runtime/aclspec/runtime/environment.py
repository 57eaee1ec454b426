"""The environment variables that choose what a call does not say."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

# os.environ.get raises and catches a KeyError inside for a name that is not set, the usual case: 0.5 microseconds for
# each of three variables in every call. The mapping beneath it answers in a tenth of that.
_mapping: Any = getattr(os.environ, "_data", os.environ)
_encode: Any = getattr(os.environ, "encodekey", str)
_decode: Any = getattr(os.environ, "decodevalue", str)


class Variable:
    """One environment variable, looked up anew whenever it is read."""

    __slots__ = ("_key", "name")

    def __init__(self, name: str) -> None:
        """The variable of this name."""
        self.name = name
        self._key = _encode(name)

    def raw(self) -> object:
        """What the environment holds for it, to compare with an earlier look; None where it is not set."""
        return _mapping.get(self._key)

    def read(self) -> str | None:
        """Its value; None where it is not set, or empty."""
        value = _mapping.get(self._key)
        return str(_decode(value)) if value else None

    def __str__(self) -> str:
        """How a message names it."""
        return f"the environment variable {self.name}"


def watch(*variables: Variable) -> Callable[[], tuple[object, ...]]:
    """A function that answers what the environment holds for each of them at the moment, as `Variable.raw` does."""
    names, get = tuple(variable._key for variable in variables), _mapping.get

    def now() -> tuple[object, ...]:
        return tuple(map(get, names))

    return now


def watched(variables: Sequence[Variable]) -> tuple[dict[bytes, bytes], tuple[bytes, ...]] | None:
    """The mapping that holds the environment and their names in it, for compiled code; None where it is no dict."""
    return (_mapping, tuple(one._key for one in variables)) if type(_mapping) is dict else None
