"""The environment variables that choose what a call does not say, and the modes among them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

# os.environ.get raises and catches a KeyError for a name that is not set, the usual case: 0.5 microseconds for each
# variable in every call. The mapping beneath it answers in a tenth of that.
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

    def read(self) -> str | None:
        """Its value; None where it is not set, or empty."""
        value = _mapping.get(self._key)
        return str(_decode(value)) if value else None

    def __str__(self) -> str:
        """Its name in a message."""
        return f"the environment variable {self.name}"


Mode: TypeAlias = Literal["document", "library"]
CONFORMANCE = Variable("ACLSPEC_CONFORMANCE")
CANN = Variable("ACLSPEC_CANN")
"""The version of CANN that a call is judged for."""
MODES: tuple[Mode, ...] = ("document", "library")


def resolve_conformance(conformance: Any = None) -> Mode:
    """The mode that a call means: the argument, else ACLSPEC_CONFORMANCE, else ``document``; ValueError for another."""
    if conformance is None:
        conformance = CONFORMANCE.read()
        if conformance is None:
            return "document"
        return cast("Mode", one_of(conformance, str(CONFORMANCE), MODES))
    return cast("Mode", one_of(conformance, "conformance", MODES))


def is_exact(compute: object) -> bool:
    """Whether ``compute`` asks for the exact answer; ValueError for what is neither None nor "exact"."""
    return compute is not None and bool(one_of(compute, "compute", ("exact",)))


def one_of(value: object, noun: str, allowed: Sequence[str]) -> str:
    """The value, one of the allowed words; TypeError or ValueError for another."""
    if not isinstance(value, str):
        raise TypeError(f"The value of {noun} ({value!r}) is not a string.")
    if value not in allowed:
        from aclspec.runtime.abi.suggest import did_you_mean

        expected = " nor ".join(allowed)
        word = "neither" if len(allowed) > 1 else "not"
        raise ValueError(f"The value of {noun} ({value}) is {word} {expected}{did_you_mean(value, allowed)}.")
    return value
