"""Conformance and compute modes: which one a call means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from aclspec.runtime.environment import Variable

if TYPE_CHECKING:
    from aclspec.runtime.info import Mode

CONFORMANCE = Variable("ACLSPEC_CONFORMANCE")
MODES = ("document", "library")


def resolve_conformance(conformance: Any = None) -> Mode:
    """The mode that a call means: the argument, else ACLSPEC_CONFORMANCE, else ``document``; ValueError for another."""
    if conformance is None:
        conformance = CONFORMANCE.read()
        if conformance is None:
            return "document"
        return cast("Mode", _one_of(conformance, str(CONFORMANCE), MODES))
    return cast("Mode", _one_of(conformance, "conformance", MODES))


def is_exact(compute: object) -> bool:
    """Whether ``compute`` asks for the exact answer; ValueError for what is neither None nor "exact"."""
    return compute is not None and bool(_one_of(compute, "compute", ("exact",)))


def _one_of(value: object, noun: str, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise TypeError(f"The value of {noun} ({value!r}) is not a string.")
    if value not in allowed:
        from aclspec.runtime.suggest import did_you_mean

        expected = " nor ".join(allowed)
        word = "neither" if len(allowed) > 1 else "not"
        raise ValueError(f"The value of {noun} ({value}) is {word} {expected}{did_you_mean(value, allowed)}.")
    return value
