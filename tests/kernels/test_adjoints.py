"""Gradients of linear operators: the product of a gradient with an input is that of the upstream with the output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.kernels import adaptive_pool, padding, patches, sampling, upsample
from tests.support.numerics import EXACT

Array = np.ndarray[Any, np.dtype[Any]]
PLANES: Any = {**EXACT, "axes": 2}
VOLUMES: Any = {**EXACT, "axes": 3}
BEGIN: Any = {**EXACT, "rows": 2}
CHANNELS: Any = {**EXACT, "channels": 1}


def agree(
    shape: tuple[int, ...], out: tuple[int, ...], forward: Callable[..., Any], backward: Callable[..., Any]
) -> None:
    rng = np.random.default_rng(len(shape) + sum(out))
    for _ in range(3):
        x, upstream = rng.standard_normal(shape), rng.standard_normal(out)
        result, gradient = np.zeros(out), np.zeros(shape)
        forward(x, result)
        backward(upstream, x, gradient)
        assert np.vdot(result, upstream) == pytest.approx(np.vdot(x, gradient), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", ["reflect", "replicate"])
@pytest.mark.parametrize(
    ("shape", "pads", "out"),
    [
        ((2, 5), [4, 0], (2, 9)),
        ((2, 3, 4), [3, 1, 0, 2], (2, 5, 8)),
        ((1, 2, 3, 4), [1, 3, 2, 0, 1, 1], (1, 4, 5, 8)),
    ],
)
def test_padding(kind: str, shape: tuple[int, ...], pads: list[int], out: tuple[int, ...]) -> None:
    there, back = getattr(padding, kind), getattr(padding, f"{kind}_backward")
    agree(shape, out, lambda x, y: there(x, pads, y, EXACT), lambda g, x, y: back(g, x, pads, y, EXACT))


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("scale", [0.0, 0.6])
def test_interpolation(align: bool, scale: float) -> None:
    for size, count in ((4, 7), (7, 4), (5, 1)):
        agree(
            (1, 2, size),
            (1, 2, count),
            lambda x, y: upsample.linear1d(x, [], align, scale, y, BEGIN),
            lambda g, x, y: upsample.linear1d_backward(g, [], [], align, scale, y, BEGIN),
        )
        agree(
            (1, 2, size, 3),
            (1, 2, count, 2),
            lambda x, y: upsample.bicubic2d(x, [], align, scale, 0.0, y, BEGIN),
            lambda g, x, y: upsample.bicubic2d_backward(g, [], [], align, scale, 0.0, y, BEGIN),
        )
        agree(
            (1, 1, 3, size, 2),
            (1, 1, 2, count, 5),
            lambda x, y: upsample.trilinear3d(x, [], align, 0.0, scale, 0.0, y, BEGIN),
            lambda g, x, y: upsample.trilinear3d_backward(g, [], [], align, 0.0, scale, 0.0, y, BEGIN),
        )


@pytest.mark.parametrize("scales", [(0.0, 0.0, 0.0), (2.0, 0.5, 1.5)])
def test_copies(scales: tuple[float, float, float]) -> None:
    agree(
        (1, 1, 2, 4, 4),
        (1, 1, 4, 2, 6),
        lambda x, y: upsample.nearest3d(x, [], *scales, y, BEGIN),
        lambda g, x, y: upsample.nearest3d_backward(g, [], [], *scales, y, BEGIN),
    )
    agree(
        (2, 1, 4),
        (2, 1, 6),
        lambda x, y: upsample.nearest1d_by_scale(x, [], scales[2], y, BEGIN),
        lambda g, x, y: upsample.nearest1d_backward(g, [], [], scales[2], y, BEGIN),
    )


@pytest.mark.parametrize(("dilation", "pads", "stride"), [([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2], [2, 3])])
def test_patches(dilation: list[int], pads: list[int], stride: list[int]) -> None:
    counts = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, k, d, p, s in zip((5, 6), (2, 3), dilation, pads, stride, strict=True)
    ]
    agree(
        (2, 3, 5, 6),
        (2, 3 * 2 * 3, counts[0] * counts[1]),
        lambda x, y: patches.image_to_columns(x, [2, 3], dilation, pads, stride, y, EXACT),
        lambda g, x, y: patches.columns_to_image(g, [5, 6], [2, 3], dilation, pads, stride, y, EXACT),
    )


def test_windows_of_one_axis() -> None:
    def windows(x: Array, y: Array) -> None:
        np.copyto(y, np.lib.stride_tricks.sliding_window_view(x, 3, 1)[:, ::2])

    agree((2, 8, 2), (2, 3, 2, 3), windows, lambda g, x, y: patches.unfold_backward(g, [2, 8, 2], 1, 3, 2, y, EXACT))


@pytest.mark.parametrize(("shape", "out"), [((2, 5, 3), (2, 3, 4)), ((1, 2, 7, 4), (1, 2, 2, 4))])
def test_adaptive_averages(shape: tuple[int, ...], out: tuple[int, ...]) -> None:
    agree(
        shape,
        out,
        lambda x, y: adaptive_pool.adaptive_avg_pool2d(x, [], y, EXACT),
        lambda g, x, y: adaptive_pool.adaptive_avg_pool_backward(g, x, y, PLANES),
    )
    agree(
        (*shape, 3),
        (*out, 2),
        lambda x, y: adaptive_pool.adaptive_avg_pool3d(x, [], y, EXACT),
        lambda g, x, y: adaptive_pool.adaptive_avg_pool_backward(g, x, y, VOLUMES),
    )


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("beyond", [0, 1, 2])
def test_grids(mode: int, beyond: int, align: bool) -> None:
    """The gradient of the images is the adjoint; that of the grid is a difference quotient."""
    rng = np.random.default_rng(11)
    grid = rng.uniform(-1.6, 1.6, (2, 3, 2, 2))

    def sample(x: Array, y: Array, at: Array = grid) -> None:
        sampling.grid_sample(x, at, mode, beyond, align, y, CHANNELS)

    def backward(upstream: Array, x: Array, y: Array, slopes: Array | None = None) -> None:
        slopes = np.zeros(grid.shape) if slopes is None else slopes
        sampling.grid_sample_backward(upstream, x, grid, mode, beyond, align, [True, True], y, slopes, CHANNELS)

    agree((2, 3, 4, 5), (2, 3, 3, 2), sample, backward)
    x, upstream, slopes = rng.standard_normal((2, 3, 4, 5)), rng.standard_normal((2, 3, 3, 2)), np.zeros(grid.shape)
    backward(upstream, x, np.zeros(x.shape), slopes)
    for place in np.ndindex(*grid.shape):
        above, below = np.zeros((2, 2, 3, 3, 2))
        moved = grid.copy()
        moved[place] += 1e-6
        sample(x, above, moved)
        moved[place] -= 2e-6
        sample(x, below, moved)
        assert np.vdot(upstream, above - below) / 2e-6 == pytest.approx(slopes[place], rel=1e-5, abs=1e-6)
