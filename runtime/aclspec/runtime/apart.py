"""Whether the arrays that a planned call writes share memory with its other arrays."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np

from aclspec.runtime.plan_key import are_apart, are_own


class Apart:
    """Answers it for the calls of one plan: their arrays stand where those of the first call do, and own alike."""

    __slots__ = ("_count", "_pairs", "_pick", "_written")

    def __init__(self, values: Sequence[Any], written: Container[int]) -> None:
        """The values of the first call, and the places of those that are written."""
        places = [at for at, value in enumerate(values) if isinstance(value, np.ndarray)]
        self._pairs = [(one, other) for one, other in combinations(places, 2) if one in written or other in written]
        self._written = bytes(at in written for at in range(len(values)))
        # Arrays with memory of their own share it only if they are one array; whether they own it is in a plan's key.
        is_simple = len(places) > 1 and all(values[at].flags.owndata for at in places)
        self._pick: Any = itemgetter(*places) if is_simple else None
        self._count = len(places)

    def __call__(self, values: Sequence[Any]) -> bool:
        """Whether none of the written arrays shares memory with another array; in doubt they do."""
        if are_own(values) or are_apart(values, self._written):
            return True
        if self._pick is not None and len({*map(id, self._pick(values))}) == self._count:
            return True
        return not any(np.may_share_memory(values[one], values[other]) for one, other in self._pairs)
