"""The keys of a spec at each level."""

from __future__ import annotations

from typing import Final

from aclspec.runtime.rules.levels import Level

NEEDED: Final[dict[Level, tuple[str, ...]]] = {
    "declared": (),
    "checked": ("summary", "products", "checks"),
    "computed": ("compute",),
}
"""The keys that a level needs and those below it do not."""
ADDED: Final[dict[Level, tuple[str, ...]]] = {
    "declared": (),
    "checked": ("dtypes", "let", "checks", "infer", "examples", "calls", "unjudged", "kernels", "versions"),
    "computed": ("compute",),
}
"""The keys that a level may have and those below it may not."""


def levels_below(level: Level) -> tuple[Level, ...]:
    """The levels that are lower than this one, the lowest first."""
    names = tuple(NEEDED)
    return names[: names.index(level)]
