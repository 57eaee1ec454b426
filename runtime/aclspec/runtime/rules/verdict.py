"""What a generated check answers when it does not simply let a call through."""

from __future__ import annotations

from typing import NamedTuple


class Verdict(NamedTuple):
    """The first rule that decided: its full id, its status in each conformance mode, a shortcut's effect.

    A rule that failed has a status other than 0 and no effect; a shortcut that was taken has status 0 and the
    effect "unwritten" or "zeros".
    """

    rule: str
    document: int
    library: int
    effect: str | None = None

    def status(self, library: bool) -> int:
        """The status in this conformance mode."""
        return self.library if library else self.document
