"""Connectionist temporal classification: the loss of sequences over all alignments, and its gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
    zero_infinity: bool,
    losses: Array,
    log_alpha: Array,
    precision: Precision,
) -> None:
    """Write the loss of each sample, and the logarithms of the probabilities of its paths so far.

    - Shapes: log_probs (t, n, c) or (t, c), targets (n, s) or in a row, losses (n) or (), log_alpha (n, t, w).
    - Precision: all runs in ``accumulate`` and is rounded to ``result``.
    - Source: Graves and others, Connectionist temporal classification (ICML 2006), the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    numbers = arithmetic.read(log_probs).reshape(len(log_probs), -1, log_probs.shape[-1])
    found, paths = np.zeros(losses.shape).reshape(-1), np.full(log_alpha.shape, -np.inf)
    with np.errstate(all="ignore"):  # the logarithm of no path is an answer here, not an accident
        for sample, labels in enumerate(_labels(targets, target_lengths)):
            steps, places = int(input_lengths[sample]), _with_blanks(labels, blank)
            at = numbers[:steps, sample][:, places]
            alpha = _forward(at, _leaps(places))
            ends = alpha[-1, -2:] if steps > 0 else np.array([-np.inf if labels.size else 0.0])
            found[sample] = -np.logaddexp.reduce(ends)
            paths[sample, : len(alpha), : places.size] = alpha
        if zero_infinity:
            found = np.where(np.isinf(found), 0, found)
        arithmetic.write(losses, found.reshape(losses.shape))
        arithmetic.write(log_alpha, paths)


def loss_backward(
    gradient: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    losses: Array,
    log_alpha: Array,
    blank: int,
    zero_infinity: bool,
    out: Array,
    precision: Precision,
) -> None:
    """Write the gradient of each loss with respect to the logarithms, which are taken to be those of a softmax.

    - Shapes: log_probs and out (t, n, c), gradient and losses (n), else as `loss`. Times behind a sample's input are 0.
    - Precision: all runs in ``accumulate`` and is rounded to ``result``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    numbers, upstream, costs, paths = map(arithmetic.read, (log_probs, gradient, losses, log_alpha))
    total = np.zeros(out.shape)
    with np.errstate(all="ignore"):
        for sample, labels in enumerate(_labels(targets, target_lengths)):
            steps, places = int(input_lengths[sample]), _with_blanks(labels, blank)
            if steps <= 0 or (zero_infinity and np.isinf(costs[sample])):
                continue
            own = numbers[:steps, sample]
            beta = _forward(own[::-1, places[::-1]], _leaps(places[::-1]))[::-1, ::-1]
            both = np.full((steps, out.shape[2]), -np.inf)
            for place, label in enumerate(places):
                both[:, label] = np.logaddexp(both[:, label], paths[sample, :steps, place] + beta[:, place])
            total[:steps, sample] = (np.exp(own) - np.exp(both + costs[sample] - own)) * upstream[sample]
        arithmetic.write(out, total)


def _labels(targets: Array, lengths: Sequence[int]) -> Iterator[Array]:
    """The labels of each sample."""
    first, whole = 0, targets.astype(np.int64)
    for sample, length in enumerate(lengths):
        yield whole[sample, :length] if whole.ndim == 2 else whole[first : first + length]
        first += length


def _with_blanks(labels: Array, blank: int) -> Array:
    """Labels with a blank in front of each and behind the last."""
    places = np.full(2 * labels.size + 1, blank, np.int64)
    places[1::2] = labels
    return places


def _leaps(places: Array) -> Array:
    """Whether a path may come to each place from two places before: past a blank, to another label."""
    leaps = np.zeros(places.size, np.bool_)
    leaps[2:] = (places[2:] != places[:-2]) & (np.arange(2, places.size) % 2 == 1)
    return leaps


def _forward(at: Array, leaps: Array) -> Array:
    """The logarithms of the probabilities of the paths that have come to each place at each time."""
    alpha = np.full(at.shape, -np.inf)
    alpha[:1, :2] = at[:1, :2]
    for time in range(1, len(at)):
        before = alpha[time - 1]
        reached = np.logaddexp(before, np.append(-np.inf, before[:-1]))
        leapt = np.append([-np.inf, -np.inf], before[:-2])[: before.size]
        alpha[time] = np.where(leaps, np.logaddexp(reached, leapt), reached) + at[time]
    return alpha
