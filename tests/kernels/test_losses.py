"""Losses whose sums lose in FLOAT what they keep in float64."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import losses

ROLES = dict.fromkeys(("operand", "accumulate", "result"), DType.FLOAT)
TERMS = np.array([2.0**24, 1, 1, 1, 1], np.float32)
SUM = 2.0**24 + 4


def test_the_sum_of_smooth_losses() -> None:
    out = np.zeros((), np.float32)
    losses.smooth_l1_loss(TERMS, np.zeros(1, np.float32), 2, 0.0, out, ROLES)
    assert out == SUM


def test_the_sums_of_likelihoods_and_of_weights() -> None:
    out, weights, classes = np.zeros((), np.float32), np.zeros((), np.float32), np.arange(5)
    losses.nll_loss(np.diag(-TERMS), classes, np.ones(5, np.float32), 2, -100, out, weights, ROLES)
    assert (float(out), float(weights)) == (SUM, 5)
    losses.nll_loss(-np.ones((5, 5), np.float32), classes, TERMS, 1, -100, out, weights, ROLES)
    assert (float(out), float(weights)) == (1, SUM)
