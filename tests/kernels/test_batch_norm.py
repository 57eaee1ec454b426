"""Batch normalization against PyTorch where no formula of a spec reaches: gradients of training, what is saved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Tensor

RANDOM = np.random.default_rng(0)
X, G = RANDOM.standard_normal((2, 4, 3, 2, 5)).astype(np.float32)
WEIGHT, BIAS = RANDOM.standard_normal((2, 3)).astype(np.float32)
PRODUCTS = ["atlas_a2", "ascend_950"]


def tensor(array: Any) -> Tensor:
    """The array as NCHW."""
    return Tensor(array, format="NCHW")


def in_torch(eps: float) -> tuple[Any, Any, Any]:
    """The gradients of training in float64, by autograd of PyTorch."""
    torch = pytest.importorskip("torch")
    leaves = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (X, WEIGHT, BIAS)]
    out = torch.nn.functional.batch_norm(leaves[0], None, None, leaves[1], leaves[2], training=True, eps=eps)
    return tuple(one.numpy() for one in torch.autograd.grad(out, leaves, torch.tensor(G, dtype=torch.float64)))


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("eps", [1e-5, 0.25])
def test_gradients_of_training(product: str, eps: float) -> None:
    """What aclnnBatchNorm saves, its gradient reads, whatever it is on the product."""
    forward = ops.batch_norm(tensor(X), WEIGHT, BIAS, None, None, True, eps=eps, product=product)
    found = ops.batch_norm_backward(
        tensor(G),
        tensor(X),
        WEIGHT,
        None,
        None,
        save_mean=forward.save_mean.array,
        save_invstd=forward.save_invstd.array,
        training=True,
        eps=eps,
        output_mask=[True, True, True],
        product=product,
    )
    for one, wanted in zip(found, in_torch(eps), strict=True):
        np.testing.assert_allclose(one.array, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("product", PRODUCTS)
def test_statistics_that_are_saved_and_tracked(product: str) -> None:
    torch = pytest.importorskip("torch")
    tracked = [torch.tensor(one, dtype=torch.float64) for one in (BIAS, WEIGHT)]
    torch.nn.functional.batch_norm(torch.tensor(X, dtype=torch.float64), *tracked, training=True, momentum=0.25)
    found = ops.batch_norm(tensor(X), None, None, BIAS, WEIGHT, True, momentum=0.25, product=product)
    np.testing.assert_allclose(found.running_mean.array, tracked[0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.running_var.array, tracked[1], rtol=1e-6, atol=1e-6)
    variance = X.var((0, 2, 3), dtype=np.float64)
    saved = 1 / np.sqrt(variance + 1e-5) if product == "ascend_950" else variance
    np.testing.assert_allclose(found.save_invstd.array, saved, rtol=1e-6)


def test_an_empty_batch_tracks_nothing() -> None:
    found = ops.batch_norm(tensor(X[:0]), None, None, BIAS, WEIGHT, True)
    assert found.running_mean.array.tolist() == BIAS.tolist()
    assert found.running_var.array.tolist() == WEIGHT.tolist()
    assert found.save_mean.array.tolist() == [0, 0, 0]
    assert np.isnan(found.save_invstd.array).all()


def test_one_element_a_channel_tracks_no_variance() -> None:
    found = ops.batch_norm(tensor(X[:1, :, :1, :1]), None, None, BIAS, WEIGHT, True, momentum=1.0)
    assert found.running_var.array.tolist() == [0, 0, 0]


def test_no_devices_gather_no_statistics() -> None:
    none = np.empty((0, 3), np.float32)
    counts = np.empty(0, np.float32)
    found = ops.batch_norm_gather_stats_with_counts(
        X, none, none, BIAS, WEIGHT, 0.1, 1e-5, counts, product="atlas_a2", conformance="library"
    )
    assert np.array(found.running_mean).tolist() == BIAS.tolist()
    assert np.array(found.mean_all).tolist() == [0, 0, 0]
    assert np.isnan(found.invstd_all).all()


def test_statistics_of_all_devices_are_those_of_the_whole() -> None:
    """The parts of unlike sizes together have the mean and the deviation of the whole."""
    parts = [X[:1], X[1:]]
    stats = [ops.batch_norm_stats(part, 0.5) for part in parts]
    found = ops.batch_norm_gather_stats_with_counts(
        X,
        np.stack([np.array(one.mean) for one in stats]),
        np.stack([np.array(one.invstd) for one in stats]),
        running_mean=None,
        running_var=None,
        momentum=0.1,
        eps=0.5,
        counts=np.array([part.size // 3 for part in parts], np.float32),
    )
    np.testing.assert_allclose(found.mean_all, X.mean((0, 2, 3), dtype=np.float64), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.invstd_all, (X.var((0, 2, 3), dtype=np.float64) + 0.5) ** -0.5, rtol=1e-5)
