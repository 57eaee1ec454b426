"""Calls of the library's functions: each by an array of all that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aclspec.runtime.native.keys import binder
from aclspec.runtime.native.library import Library
from aclspec.runtime.native.plans import Run, check


def calling(c: Library, function: str, *given: Any) -> Run:
    """What computes calls by a function of the library.

    ``given`` is what the function is given: the place of an array among the values of a call, a pointer that stays the
    same, or None for a null pointer.
    """
    compute, address, null = getattr(c.lib, f"aclspec_call_{function}"), c.ffi.from_buffer, c.ffi.NULL
    stays = [null if one is None or type(one) is int else one for one in given]
    places = tuple(one if type(one) is int else -1 for one in given)

    def run(values: Sequence[Any]) -> None:
        pointers = [one if at < 0 else address(values[at]) for one, at in zip(stays, places, strict=True)]
        check(compute(c.ffi.new("void *[]", pointers)))

    bind = binder()
    if bind is None:
        return run
    at, *numbers = (int(c.ffi.cast("uintptr_t", one)) for one in (c.ffi.addressof(c.lib, compute.__name__), *stays))
    bound: Run = bind(at, places, tuple(numbers), run, check, (c, stays))
    return bound
