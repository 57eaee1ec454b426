"""Which keys a query sees: bands, prefixes and masks of attention."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from aclspec.runtime.kernels.blocks import Array

LOWEST = float(np.finfo(np.float32).min)
"""What stands for a score that is left out."""
_FAR = 1 << 40
_ALL, _UPPER_LEFT, _LOWER_RIGHT, _BAND, _PREFIX, _PACKED_PREFIX = 1, 2, 3, 4, 5, 6
_OUTER = {7: _LOWER_RIGHT, 8: _UPPER_LEFT}


class Band:
    """The keys that each query sees, by the mode, and the mask that is read beside it.

    - 0: those from the first of ``tokens`` before its own place to the second behind it, and of these the ones that the
      mask shows; 1: those that the mask shows.
    - 2: those up to its own place, counted from the first query and key; 3: counted from the last ones.
    - 4: as in 0, places counted from the last query and key.
    - 5 and 6: as in 3, and the first ``prefix`` keys of its batch.
    - 7 and 8: as in 3 and 2.

    Without a mask every query sees every key, whatever the mode. From mode 2 on the elements of the mask are not read:
    they have to say what the mode says.
    """

    def __init__(
        self,
        mask: Array | None,
        mode: int,
        tokens: tuple[int, int],
        prefix: Sequence[int] | None,
        inner_precise: int,
        sizes: tuple[int, int, int],
    ) -> None:
        """The band of a call; tokens are those before and behind, sizes the batches, queries and keys.

        The mask has rank 2 or 4.
        """
        batch, s1, s2 = sizes
        self._s1, self._s2, self._inner_precise = s1, s2, inner_precise
        mode = _OUTER.get(mode, mode)
        is_given = mask is not None and mask.ndim > 0 and mask.size > 0
        is_banded, counted_from_last = mode in (0, _BAND), mode in (_LOWER_RIGHT, _BAND, _PREFIX, _PACKED_PREFIX)
        start = s2 - s1 if counted_from_last else 0
        self._low = start - _near(tokens[0]) if is_given and is_banded else -_FAR
        self._high = _FAR
        if is_given and mode != _ALL:
            self._high = start + (_near(tokens[1]) if is_banded else 0)
        self._prefix = None
        if is_given and mode in (_PREFIX, _PACKED_PREFIX) and prefix is not None:
            self._prefix = np.zeros(batch, np.int64)
            self._prefix[: len(prefix)] = prefix[:batch]
        self.mask = None
        if mask is not None and is_given and mode in (0, _ALL):
            self.mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)

    def outside(self, batches: Array, rows: slice) -> Array | None:
        """Where a key is not seen, as (batches or 1, 1, rows, S2); None where all are seen."""
        if self._low <= 1 - self._s1 and self._high >= self._s2 - 1:
            return None
        keys = np.arange(self._s2)
        distance = keys - np.arange(self._s1)[rows, None]
        hidden: Array = ((distance < self._low) | (distance > self._high))[None, None]
        if self._prefix is not None:
            hidden = hidden & (keys >= self._prefix[batches, None, None, None])
        return hidden

    @cached_property
    def treats_bare_rows(self) -> bool:
        """Whether a row without any score is zero: where the call asks for it, or where the band has such a row."""
        if self._inner_precise == 2:
            return True
        every = np.arange(1 if self._prefix is None else self._prefix.size)
        outside = [self.outside(every, slice(row, row + 1)) for row in (0, self._s1 - 1)]  # a band moves one way
        return any(one is not None and bool(one.all(-1).any()) for one in outside)


def _near(tokens: int) -> int:
    """A number of tokens within what positions can differ by, so that sums of it do not overflow."""
    return max(-_FAR, min(tokens, _FAR))
