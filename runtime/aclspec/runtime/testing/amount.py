"""How much the tests do, by the environment variable ``ACLSPEC_TESTS``.

``small`` is `make test` and what pytest runs by itself: the generated tests on one product, and of what takes long a
small part. ``all`` is `make test-all`: every product. ``whole`` is for what runs for an hour alone: random calls by the
million, sanitizers over every operator.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
AMOUNTS = ("small", "all", "whole")


def chosen() -> str:
    """The amount that the environment names; ValueError for an unknown one."""
    named = os.environ.get("ACLSPEC_TESTS") or AMOUNTS[0]
    if named not in AMOUNTS:
        raise ValueError(f"ACLSPEC_TESTS is {named!r}; expected one of {', '.join(AMOUNTS)}.")
    return named


def amount(small: T, everything: T, whole: T | None = None) -> T:
    """What belongs to the amount of this run; without ``whole``, the whole is ``everything``."""
    found = chosen()
    if found == "small":
        return small
    return everything if found == "all" or whole is None else whole
