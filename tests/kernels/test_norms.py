"""Norms, deviations and batch normalization where no random call reaches: infinite kinds, null, no elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import rows
from aclspec.runtime.kernels.batch_norm_stats import (
    batch_norm,
    batch_norm_elemt,
    batch_norm_gather_stats_with_counts,
)
from aclspec.runtime.kernels.layer_norm import layer_norm
from aclspec.runtime.kernels.reduction import deviation, norm
from aclspec.runtime.kernels.rms_norm import add_rms_norm, rms_norm, rms_norm_grad

FLOAT: dict[str, DType | str] = {"operand": DType.FLOAT, "accumulate": DType.FLOAT}
ROWS = np.array([[3, -4, 1], [-2, 5, 0.5]], np.float32)


@pytest.mark.parametrize(("kind", "wanted"), [(np.inf, [4, 5]), (-np.inf, [1, 0.5]), (0, [3, 3]), (1, [8, 7.5])])
def test_kinds_of_norms(kind: float, wanted: list[float]) -> None:
    out = np.empty(2, np.float32)
    norm(ROWS, kind, [1], False, out, FLOAT)
    assert out.tolist() == wanted


@pytest.mark.parametrize("kind", [np.inf, -np.inf, 2, 0, -1])
def test_the_norm_of_no_elements_is_zero(kind: float) -> None:
    out = np.ones(2, np.float32)
    norm(np.empty((2, 0), np.float32), kind, [1], False, out, FLOAT)
    assert out.tolist() == [0, 0]


@pytest.mark.parametrize(("correction", "wanted"), [(2, [np.inf, np.nan]), (9, [np.inf, np.nan]), (-2, [0.5, 0])])
def test_a_large_or_negative_correction(correction: int, wanted: list[float]) -> None:
    out = np.empty(2, np.float32)
    deviation(np.array([[1, 1 + 2**0.5], [1, 1]], np.float32), [1], correction, False, out, FLOAT)
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


@pytest.mark.parametrize("correction", [1, 0, -1])
def test_the_deviation_of_no_elements_is_not_a_number(correction: int) -> None:
    out = np.empty(2, np.float32)
    deviation(np.empty((2, 0), np.float32), None, correction, False, out[:1].reshape(()), FLOAT)
    deviation(np.empty((2, 0), np.float32), [1], correction, False, out, FLOAT)
    assert np.isnan(out).all()


def test_the_deviation_of_near_numbers() -> None:
    """Their mean is none of FLOAT."""
    out = np.empty((), np.float32)
    deviation(np.array([4096, 4096 + 2**-11], np.float32), None, 0, False, out, FLOAT)
    assert out == 2**-12


def test_batch_normalization_without_weight_and_bias() -> None:
    x = np.array([[1, 4], [3, 8]], np.float32)
    mean, invstd = np.array([[2, 6], [1, 0.5]], np.float32)
    out = np.empty((2, 2), np.float32)
    batch_norm_elemt(x, None, None, mean, invstd, 0.0, out, FLOAT)
    assert out.tolist() == [[-1, -1], [1, 1]]


def test_sums_of_rows_lose_no_term() -> None:
    """In FLOAT the ones would add nothing to the first element."""
    row = np.array([[2.0**24, 1, 1, 1, 1]], np.float32)
    total = 2.0**24 + 4
    _, mean, _ = rows.centred(row)
    assert mean == total / 5
    assert rows.total(row, (1,)) == total
    ones = np.ones_like(row)
    assert rows.standardized_backward(row, 0 * ones, ones[:, :1]).tolist() == (row - total / 5).tolist()
    assert rows.standardized_backward(row, ones, ones[:, :1]).tolist() == (row - 2 * total / 5).tolist()


def test_the_variance_of_near_numbers() -> None:
    """Their mean is none of FLOAT."""
    _, _, variance = rows.centred(np.array([[4096, 4096 + 2**-11]], np.float32))
    assert variance == 2**-24


def test_statistics_that_nobody_wants_are_not_written() -> None:
    out = np.zeros((2, 3), np.float32)
    layer_norm(ROWS, [3], None, None, 0.0, out, None, None, FLOAT)
    np.testing.assert_allclose(out.mean(1), 0, atol=1e-6)
    np.testing.assert_allclose(out.std(1), 1, rtol=1e-6)


def test_a_sum_is_normalized_over_its_last_axis_where_no_statistic_is_wanted() -> None:
    x, gamma, rstd = np.stack([ROWS, 2 * ROWS]), np.ones((2, 3), np.float32), np.zeros((2, 1, 1), np.float32)
    out, both = np.zeros_like(x), np.zeros_like(x)
    add_rms_norm(x, x, gamma[:1], 0.0, out, None, None, FLOAT)  # the gamma of such a call has the shape (1, n)
    np.testing.assert_allclose(np.square(out).mean(2), 1, rtol=1e-6)
    add_rms_norm(x, x, gamma, 0.0, both, rstd, None, FLOAT)
    np.testing.assert_allclose(np.square(both).mean((1, 2)), 1, rtol=1e-6)
    np.testing.assert_allclose(both, 2 * x * rstd, rtol=1e-6)


def test_sums_of_squares_and_of_products_lose_no_term() -> None:
    x, ones = np.array([[2.0**12, 1, 1, 1, 1]], np.float32), np.ones((1, 5), np.float32)
    out, rstd = np.zeros_like(x), np.zeros((1, 1), np.float32)
    rms_norm(x, ones[0], 0.0, out, rstd, FLOAT)
    assert rstd == np.float32((5 / (2.0**24 + 4)) ** 0.5)
    gradient = np.array([[2.0**24, 1, 1, 1, 1]], np.float32)
    rms_norm_grad(gradient, ones, ones[:, :1], ones[0], out, np.zeros(5, np.float32), FLOAT)
    assert out.tolist() == (gradient - (2.0**24 + 4) / 5).astype(np.float32).tolist()


@pytest.mark.parametrize("kept", [np.float32, ml_dtypes.bfloat16])
def test_nothing_is_tracked_without_devices(kept: Any) -> None:
    nothing, counts = np.zeros((0, 2), np.float32), np.zeros(0, np.float32)
    means, variances, mean, invstd = (np.full(2, one, kept) for one in (3, 5, 1, 1))
    batch_norm_gather_stats_with_counts(
        nothing, nothing, nothing, means, variances, 0.5, 0.0, counts, mean, invstd, FLOAT
    )
    assert mean.tolist() == [0, 0]
    assert np.isnan(invstd.astype(np.float32)).all()
    assert (means.tolist(), variances.tolist()) == ([3, 3], [5, 5])


def test_counts_and_means_of_devices_lose_no_term() -> None:
    counts, mean, invstd = np.array([2.0**24, 1, 1, 1, 1], np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
    means, scales = counts[:, np.newaxis], np.ones((5, 1), np.float32)
    batch_norm_gather_stats_with_counts(
        means, means, scales, None, None, 0.0, 0.0, np.ones_like(counts), mean, invstd, FLOAT
    )
    assert mean == np.float32((2.0**24 + 4) / 5)
    batch_norm_gather_stats_with_counts(means, scales, scales, None, None, 0.0, 0.0, counts, mean, invstd, FLOAT)
    assert (float(mean[0]), float(invstd[0])) == (1, 1)


@pytest.mark.parametrize("cells", [0, 3])
def test_batch_normalization_tracks_what_it_has_seen(cells: int) -> None:
    x, out = np.arange(2.0 * cells, dtype=np.float32).reshape(1, 2, cells), np.zeros((1, 2, cells), np.float32)
    mean, variance = np.full(2, 3, np.float32), np.full(2, 5, np.float32)
    settings: Any = {**FLOAT, "channel": 1, "saved": "invstd"}
    batch_norm(x, None, None, mean, variance, True, 0.5, 0.0, out, None, None, settings)
    assert mean.tolist() == ([2, 3.5] if cells else [3, 3])
    assert variance.tolist() == ([3, 3] if cells else [5, 5])
