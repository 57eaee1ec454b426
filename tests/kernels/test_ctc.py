"""Connectionist temporal classification: the sum over every alignment, one after the other, and PyTorch's gradient."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import ctc

ROLES: dict[str, Any] = dict.fromkeys(("operand", "accumulate", "result"), DType.DOUBLE)
SAMPLES = [([1, 2], 4), ([1, 1], 4), ([2], 1), ([], 3), ([1, 2, 1], 3), ([1, 1], 2), ([2, 2, 2], 4)]
"""Labels and lengths of inputs; of the last two no path becomes the labels."""


def logarithms(blank: int, seed: int = 3) -> Any:
    numbers = np.random.default_rng(seed).standard_normal((4, len(SAMPLES), 3))
    numbers -= np.log(np.exp(numbers).sum(-1, keepdims=True))
    return np.roll(numbers, blank, -1)


def loss_by_paths(numbers: Any, labels: list[int], steps: int, blank: int) -> float:
    """The loss of a sample as the sum over all paths."""
    total = 0.0
    for path in product(range(3), repeat=steps):
        if [label for label, _ in groupby(path) if label != blank] == labels:
            total += float(np.exp(sum(numbers[t, label] for t, label in enumerate(path))))
    return -float(np.log(total)) if total else np.inf


def run(blank: int, zero_infinity: bool, in_a_row: bool) -> tuple[Any, Any, Any, Any, Any]:
    labels = [[(label + blank) % 3 for label in sample] for sample, _ in SAMPLES]
    lengths, steps = [len(one) for one in labels], [steps for _, steps in SAMPLES]
    padded = np.array([[*one, *[blank] * (4 - len(one))] for one in labels], np.int32)
    targets = np.concatenate([np.array(one, np.int32) for one in labels]) if in_a_row else padded
    numbers, losses, alpha = logarithms(blank), np.zeros(len(SAMPLES)), np.zeros((len(SAMPLES), 4, 8))
    ctc.loss(numbers, targets, steps, lengths, blank, zero_infinity, losses, alpha, ROLES)
    return numbers, losses, alpha, labels, (targets, steps, lengths)


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("in_a_row", [False, True])
@pytest.mark.parametrize("zero_infinity", [False, True])
def test_the_loss_is_that_of_all_paths(blank: int, in_a_row: bool, zero_infinity: bool) -> None:
    numbers, losses, alpha, labels, _ = run(blank, zero_infinity, in_a_row)
    for sample, (one, (_, steps)) in enumerate(zip(labels, SAMPLES, strict=True)):
        wanted = loss_by_paths(numbers[:, sample], one, steps, blank)
        assert losses[sample] == pytest.approx(0 if zero_infinity and np.isinf(wanted) else wanted, rel=1e-12)
        assert np.isneginf(alpha[sample, steps:]).all()
        assert np.isneginf(alpha[sample, :, 2 * len(one) + 1 :]).all()
        assert alpha[sample, 0, 0] == numbers[0, sample, blank]


def test_the_paths_so_far() -> None:
    numbers, _, alpha, labels, _ = run(0, False, False)
    first, second = numbers[0, 0], numbers[1, 0]
    one, two = labels[0]
    reached = [
        first[0] + second[0],
        np.logaddexp(first[0], first[one]) + second[one],
        first[one] + second[0],
        first[one] + second[two],
    ]
    np.testing.assert_allclose(alpha[0, 1, :4], reached, 1e-12)
    assert np.isneginf(alpha[0, 1, 4])


@pytest.mark.parametrize("blank", [0, 1])
@pytest.mark.parametrize("in_a_row", [False, True])
def test_gradients_are_those_of_pytorch(blank: int, in_a_row: bool) -> None:
    torch = pytest.importorskip("torch")
    numbers, losses, alpha, _, (targets, steps, lengths) = run(blank, False, in_a_row)
    upstream, found = np.arange(1.0, 1 + len(SAMPLES)), np.ones(numbers.shape)
    ctc.loss_backward(upstream, numbers, targets, steps, lengths, losses, alpha, blank, True, found, ROLES)
    given = torch.tensor(numbers, requires_grad=True)
    theirs = torch.nn.functional.ctc_loss(
        given, torch.tensor(targets.astype(np.int64)), steps, lengths, blank, "none", True
    )
    (wanted,) = torch.autograd.grad(theirs, given, torch.tensor(upstream))
    np.testing.assert_allclose(found, wanted.numpy(), 1e-10, 1e-12)


def test_no_time_is_enough_for_no_labels_alone() -> None:
    losses, alpha = np.zeros(2), np.zeros((2, 1, 8))
    numbers = np.zeros((1, 2, 2))
    ctc.loss(numbers, np.array([1]), [0, 0], [0, 1], 0, False, losses, alpha, ROLES)
    assert losses.tolist() == [0, np.inf]
    found = np.ones((1, 2, 2))
    ctc.loss_backward(np.ones(2), numbers, np.array([1]), [0, 0], [0, 1], losses, alpha, 0, False, found, ROLES)
    assert not found.any()


def test_one_sample_without_a_batch() -> None:
    losses, alpha = np.zeros(()), np.zeros((1, 2, 8))
    ctc.loss(logarithms(0)[:2, 0], np.array([[1]]), [2], [1], 0, False, losses, alpha, ROLES)
    assert losses == pytest.approx(loss_by_paths(logarithms(0)[:2, 0], [1], 2, 0), rel=1e-12)
