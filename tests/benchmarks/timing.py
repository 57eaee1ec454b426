"""Timing two things side by side, so that what disturbs the machine disturbs both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

Run = Callable[[], object]


class Pair(NamedTuple):
    """What a comparison found: medians over its rounds."""

    ours: float
    """Seconds."""
    theirs: float
    ratio: float
    """Their time over ours; above 1 we are faster."""
    spread: float
    """Half the distance between the quartiles of the rounds' ratios, relative to the median: the noise."""


def compare(ours: Run, theirs: Run, rounds: int = 9, least: float = 0.02) -> Pair:
    """Both in turn, as many times a round as fill ``least`` seconds."""
    calls = max(1, int(least / max(seconds(ours, 1), 1e-7))), max(1, int(least / max(seconds(theirs, 1), 1e-7)))
    pairs = [(seconds(ours, calls[0]), seconds(theirs, calls[1])) for _ in range(rounds)]
    ratios = sorted(their / our for our, their in pairs)
    middle = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4)
    ours_median, theirs_median = (statistics.median(one) for one in zip(*pairs, strict=True))
    return Pair(ours_median, theirs_median, middle, (high - low) / 2 / middle)


def seconds(run: Run, calls: int) -> float:
    """The time of one call."""
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begin) / calls
