"""Timing things side by side, so that what disturbs the machine disturbs all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

Run = Callable[[], object]


class Rule(NamedTuple):
    """How long to go on measuring."""

    batch: float = 0.015
    """Seconds that one side runs at a time, one call at least."""
    fewest: int = 3
    most: int = 9
    """Rounds."""
    noise: float = 0.03
    """Quiet enough to stop."""
    budget: float = 2.5
    """Seconds after which the fewest rounds are enough, noisy or not."""
    rest: float = 0.0
    """Seconds before a side runs, in which the threads of the one before it go to sleep."""


RULE = Rule()


class Timing(NamedTuple):
    """What one side took, and how that compares with the peer: medians over the rounds."""

    seconds: float
    ratio: float
    """The peer's time over this one; above 1 this one is faster."""
    noise: float
    """Half the distance between the quartiles of the rounds' ratios, relative to the median."""
    rounds: int


def side_by_side(sides: Sequence[Run], peer: Run, rule: Rule = RULE) -> list[Timing]:
    """One timing for each side, and one for the peer itself, each round taking all of them in turn."""
    runs = [*sides, peer]
    calls = [max(1, int(rule.batch / max(seconds(run, 1), 1e-7))) for run in runs]
    rounds: list[list[float]] = []
    begin = time.perf_counter()
    while len(rounds) < rule.most:
        rounds.append([_rested(run, count, rule.rest) for run, count in zip(runs, calls, strict=True)])
        if len(rounds) < rule.fewest:
            continue
        if time.perf_counter() - begin > rule.budget or all(one.noise <= rule.noise for one in _timings(rounds)):
            break
    return _timings(rounds)


def _timings(rounds: Sequence[Sequence[float]]) -> list[Timing]:
    """The timing of each column, the last one being the peer's."""
    return [_timing(column, [row[-1] for row in rounds]) for column in zip(*rounds, strict=True)]


def _timing(ours: Sequence[float], theirs: Sequence[float]) -> Timing:
    ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
    middle = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Timing(statistics.median(ours), middle, (high - low) / 2 / middle, len(ratios))


def _rested(run: Run, calls: int, rest: float) -> float:
    """The time of one call after a rest, and after a call that wakes what went to sleep."""
    if rest:
        time.sleep(rest)
        run()
    return seconds(run, calls)


def seconds(run: Run, calls: int) -> float:
    """The time of one call; a call before the clock starts puts the threads and the caches in their place."""
    if calls > 1:
        run()
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begin) / calls
