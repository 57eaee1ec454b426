"""The operators of recorded calls, found without what the command line needs beside the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aclspec.runtime.api.operator import Operator


def find(name: str) -> Operator | None:
    """The operator of a C name; None for one that is unknown."""
    from aclspec import ops

    try:
        return ops.get(name)
    except LookupError:
        return None
