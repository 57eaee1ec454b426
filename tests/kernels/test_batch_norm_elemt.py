"""The last step of synchronized batch normalization: its formula, and with the sums before it the whole gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.batch_norm import batch_norm_reduce_backward
from aclspec.runtime.kernels.batch_norm_elemt import batch_norm_elemt_backward
from tests.support.numerics import (
    EXACT,
    SAMPLES,
    TABLES,
    Array,
    Guarded,
    assert_close,
    difference_quotient,
    extra_memory,
    frozen,
    laid_out,
    operands,
    peer,
)

EPSILON = 1e-5


def shape_of(rng: np.random.Generator) -> tuple[int, ...]:
    rank = int(rng.integers(2, 9))
    most = (20, 9, 7, 5, 4, 3, 3)[rank - 2]
    return (int(rng.integers(2, 6)), *(int(one) for one in rng.integers(1, most, rank - 1)))


def by_channel(values: Array, rank: int) -> Array:
    return values.reshape(-1, *(1,) * (rank - 2))


def exact_terms(wide: list[Array], n: float) -> tuple[Array, Array, Array]:
    """The three terms that are added up, in float64."""
    g, x, *channels = wide
    mean, invstd, w, dy, xmu = (by_channel(one, x.ndim) for one in channels)
    factor = invstd * w
    return g * factor, np.broadcast_to(-dy / n * factor, g.shape), -(x - mean) * invstd**2 * (xmu / n) * factor


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_against_the_formula(name: str, weighted: bool) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(60)
    for _ in range(SAMPLES // 4):
        shape = shape_of(rng)
        channels = [rng.standard_normal(shape[1]) for _ in range(5)]
        channels[1] = np.abs(channels[1]) + 0.1
        arrays = [rng.standard_normal(shape), rng.standard_normal(shape), *channels]
        given = [laid_out(rng, one.astype(table.dtype)) for one in arrays]
        counter = rng.integers(1, 9, rng.integers(1, 4)).astype(rng.choice(["int32", "float32", "float16"]))
        before = frozen({str(at): one for at, one in enumerate(given)})
        grad_input = Guarded(rng, shape, table.dtype)
        g, x, mean, invstd, weight, dy, xmu = given
        args = g, x, mean, invstd, weight if weighted else None, dy, xmu, counter
        batch_norm_elemt_backward(*args, grad_input.array, table.precision)
        wide = [operands(one, table.operand) for one in given]
        if not weighted:
            wide[4] = np.ones(shape[1])
        terms = exact_terms(wide, float(counter.sum(dtype=np.float64)))
        # (x - mean) cancels, so its operands count each for themselves; some ten roundings in a row make a term.
        away = by_channel(np.abs(wide[2]), x.ndim) + np.abs(wide[1])
        slope = by_channel(np.abs(wide[3] ** 3 * wide[4] * wide[6]), x.ndim) / float(counter.sum(dtype=np.float64))
        magnitude = np.abs(terms[0]) + np.abs(terms[1]) + away * slope
        assert_close(grad_input.result(), terms[0] + terms[1] + terms[2], magnitude, 1, table, factor=10)
        assert frozen({str(at): one for at, one in enumerate(given)}) == before


def gradient_of(g: Array, x: Array, weight: Array, parts: int) -> Array:
    """The gradient with respect to x, by both steps, as if each part of the batch were on a device of its own."""
    axes = (0, *range(2, x.ndim))
    mean, invstd = x.mean(axis=axes), 1 / np.sqrt(x.var(axis=axes) + EPSILON)
    dy, xmu, counts = np.zeros(x.shape[1]), np.zeros(x.shape[1]), []
    pieces = list(zip(np.array_split(g, parts), np.array_split(x, parts), strict=True))
    for g_part, x_part in pieces:
        sums = np.empty(x.shape[1]), np.empty(x.shape[1])
        batch_norm_reduce_backward(
            g_part, x_part, mean, invstd, weight, True, False, False, *sums, None, None, {"accumulate": DType.DOUBLE}
        )
        dy, xmu = dy + sums[0], xmu + sums[1]
        counts.append(x_part.size // x.shape[1])
    results = []
    for g_part, x_part in pieces:
        results.append(np.empty(x_part.shape))
        counter = np.array(counts, np.int32)
        batch_norm_elemt_backward(g_part, x_part, mean, invstd, weight, dy, xmu, counter, results[-1], EXACT)
    return np.concatenate(results)


def test_difference_quotients() -> None:
    rng = np.random.default_rng(61)
    for _ in range(SAMPLES):
        shape = shape_of(rng)
        x, g, weight = rng.standard_normal(shape), rng.standard_normal(shape), rng.standard_normal(shape[1])
        grad_input = gradient_of(g, x, weight, int(rng.integers(1, shape[0] + 1)))

        def loss(x: Array, g: Array = g, weight: Array = weight) -> float:
            axes = (0, *range(2, x.ndim))
            centred = x - x.mean(axis=axes, keepdims=True)
            scaled = centred / np.sqrt(x.var(axis=axes, keepdims=True) + EPSILON)
            return float((g * by_channel(weight, x.ndim) * scaled).sum())

        direction = rng.standard_normal(shape)
        spread = np.sqrt(x.var(axis=(0, *range(2, x.ndim)))).min()
        quotient = difference_quotient(loss, x, direction, 1e-4 * min(1, spread))
        scale = np.abs(g).max() * np.abs(weight).max() / min(1, spread)
        assert quotient == pytest.approx(float((grad_input * direction).sum()), rel=1e-5, abs=1e-5 * scale)


def test_against_torch() -> None:
    torch = peer()
    rng = np.random.default_rng(62)
    for _ in range(SAMPLES):
        shape = shape_of(rng)[:5]
        g, weight = rng.standard_normal(shape), rng.standard_normal(shape[1])
        x = torch.tensor(rng.standard_normal(shape), requires_grad=True)
        y = torch.nn.functional.batch_norm(x, None, None, torch.tensor(weight), None, True, 0.1, EPSILON)
        y.backward(torch.tensor(g))
        grad_input = gradient_of(g, x.detach().numpy(), weight, int(rng.integers(1, shape[0] + 1)))
        np.testing.assert_allclose(grad_input, x.grad.numpy(), rtol=1e-8, atol=1e-8)


def test_float16_throughout() -> None:
    """Where all tensors are float16 the library computes in it; what a channel needs is rounded to it once."""
    rng = np.random.default_rng(63)
    arrays: Any = [rng.standard_normal(shape).astype(np.float16) for shape in ((4, 3, 5), (4, 3, 5), *[(3,)] * 5)]
    grad_input = np.empty((4, 3, 5), np.float16)
    table = {"operand": DType.FLOAT16, "accumulate": DType.FLOAT16}
    args: Any = *arrays, np.array([20], np.float16), grad_input, table
    batch_norm_elemt_backward(*args)
    terms = np.array(exact_terms([one.astype(np.float64) for one in arrays], 20.0))
    assert np.all(np.abs(grad_input - terms.sum(axis=0)) <= 20 * 2.0**-11 * (np.abs(terms).sum(axis=0) + 1))


@pytest.mark.parametrize("counter", [[0], [], [3, -3]])
def test_a_count_of_zero(counter: list[int]) -> None:
    ones: Any = [np.ones(shape, np.float32) for shape in ((2, 1), (2, 1), *[(1,)] * 5)]
    grad_input = np.empty((2, 1), np.float32)
    args: Any = *ones, np.array(counter, np.int32), grad_input, TABLES["float32"].precision
    batch_norm_elemt_backward(*args)
    assert not np.isfinite(grad_input).any()


def test_what_is_not_finite_stays_in_its_channel() -> None:
    x = np.ones((2, 3, 4), np.float32)
    x[0, 1, 2] = np.nan
    channel, grad_input = np.ones(3, np.float32), np.empty_like(x)
    counter = np.array([8], np.int32)
    args: Any = x, x, channel, channel, None, channel, channel, counter, grad_input, TABLES["float32"].precision
    batch_norm_elemt_backward(*args)
    assert np.argwhere(np.isnan(grad_input)).tolist() == [[0, 1, 2]]


def test_extra_memory() -> None:
    x, channel = np.ones((8, 32, 56, 56), np.float16), np.ones(32, np.float16)
    args: Any = x, x, *[channel] * 5, np.array([9], np.int32), np.empty_like(x), TABLES["float16"].precision
    used = extra_memory(batch_norm_elemt_backward, *args)
    assert used <= 4 * 4 * (1 << 17) + 20_000
