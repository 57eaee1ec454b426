"""One sum for all phases of an adjoint one with few rows.

Where an adjoint sum goes by steps, each of its phases meets some taps, and gathers the source for them. With few rows
that takes longer than the products, and much of what one phase gathers another gathers too. Where all phases have as
many steps, one phase can meet what they meet together: its members are theirs, by weights of zero where they do not
meet a cell. A zero must not meet an infinity or a NaN, so that the source has to be finite.
"""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.runtime.kernels.conv_lanes import Lane, Member, Phase

ABSENT = -1
"""The tap of a cell that a member does not meet."""
MOST_ROWS = 16
"""Of all members together: a tile of them."""


def merged(phases: Sequence[Phase], rows: int) -> Phase | None:
    """One phase for all, each with so many rows; None where that gathers no less, or cannot be."""
    if len(phases) < 2:
        return None
    lanes = [_merged(_different(axis)) for axis in zip(*(phase.lanes for phase in phases), strict=True)]
    there = [lane for lane in lanes if lane is not None]
    whole = Phase(tuple(there))
    if len(there) < len(lanes) or rows * len(whole.members) > MOST_ROWS:
        return None
    return whole if whole.offsets * 2 <= sum(phase.offsets for phase in phases) else None


def _different(lanes: Sequence[Lane]) -> list[Lane]:
    return [lane for at, lane in enumerate(lanes) if lane not in lanes[:at]]


def _merged(lanes: Sequence[Lane]) -> Lane | None:
    """Each member keeps the order of its taps: offsets fall as these rise."""
    first = lanes[0]
    if any((lane.steps, lane.stride) != (first.steps, first.stride) for lane in lanes):
        return None
    offsets = tuple(sorted({offset for lane in lanes for offset in lane.offsets}, reverse=True))
    members = [
        Member(member.targets, tuple(taps.get(offset, ABSENT) for offset in offsets))
        for lane in lanes
        for member in lane.members
        for taps in [dict(zip(lane.offsets, member.taps, strict=True))]
    ]
    return Lane(first.steps, first.stride, offsets, tuple(members))
