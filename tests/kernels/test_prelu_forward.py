"""PReLU against its definition and PyTorch, and its gradients against difference quotients of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.prelu import prelu_backward
from aclspec.runtime.kernels.prelu_forward import prelu
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

BACKWARD = {"product": DType.DOUBLE, "accumulate": DType.DOUBLE}


def drawn(rng: np.random.Generator) -> tuple[Array, Array]:
    """An input of any rank, and a weight of one element or one a channel, in some shape."""
    rank = int(rng.integers(0, 9))
    shape = tuple(int(one) for one in rng.integers(1, (1, 30, 8, 6, 5, 3, 3, 3, 3)[rank] + 1, rank))
    channels = shape[1] if rank > 1 and rng.integers(3) else 1
    weight = rng.standard_normal([(channels,), (1, channels), (channels, 1, 1)][int(rng.integers(3))])
    return np.asarray(rng.standard_normal(shape)), weight


def by_channel(x: Array, weight: Array) -> Array:
    slopes = weight.reshape(-1)
    return slopes.reshape(-1, *(1,) * (x.ndim - 2)) if slopes.size > 1 else slopes[0]


def exact_forward(x: Array, weight: Array) -> Array:
    result: Array = np.maximum(x, 0) + by_channel(x, weight) * np.minimum(x, 0)
    return result


@pytest.mark.parametrize("name", TABLES)
def test_against_the_definition(name: str) -> None:
    table = TABLES[name]
    rng = np.random.default_rng(50)
    for _ in range(SAMPLES // 4):
        x, weight = (laid_out(rng, one.astype(table.dtype)) for one in drawn(rng))
        before = frozen({"x": x, "weight": weight})
        out = Guarded(rng, x.shape, table.dtype)
        prelu(x, weight, out.array, table.precision)
        exact = exact_forward(operands(x, table.operand), operands(weight, table.operand))
        assert_close(out.result(), exact, np.abs(exact), 1, table)
        assert frozen({"x": x, "weight": weight}) == before


def test_against_torch() -> None:
    torch = peer()
    rng = np.random.default_rng(51)
    for _ in range(SAMPLES):
        x, weight = drawn(rng)
        expected = torch.nn.functional.prelu(torch.tensor(x), torch.tensor(weight.reshape(-1)))
        out = np.empty(x.shape)
        prelu(x, weight, out, EXACT)
        assert np.array_equal(out, expected.numpy())


def test_difference_quotients() -> None:
    rng = np.random.default_rng(52)
    for _ in range(SAMPLES):
        x, weight = drawn(rng)
        x = np.asarray(x + 0.01 * np.sign(x))  # no element changes sign on the way
        gradient = np.asarray(rng.standard_normal(x.shape))
        grad_input = np.empty(x.shape)
        grad_weight = np.empty(weight.shape if weight.size == 1 else weight.size)
        prelu_backward(gradient, x, weight, grad_input, grad_weight, BACKWARD)

        def by_input(x: Array, weight: Array = weight, gradient: Array = gradient) -> float:
            out = np.empty(x.shape)
            prelu(x, weight, out, EXACT)
            return float((gradient * out).sum())

        def by_weight(weight: Array, x: Array = x, loss: Callable[..., float] = by_input) -> float:
            return loss(x, weight)

        towards, turn = np.asarray(rng.uniform(-1, 1, x.shape)), rng.standard_normal(weight.shape)
        quotient = difference_quotient(by_input, x, towards)
        assert quotient == pytest.approx(float((grad_input * towards).sum()), rel=1e-7, abs=1e-7)
        quotient = difference_quotient(by_weight, weight, turn)
        assert quotient == pytest.approx(float((grad_weight.reshape(-1) * turn.reshape(-1)).sum()), rel=1e-7, abs=1e-7)


def test_zeros_nan_and_infinities() -> None:
    x = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e38], np.float32)
    out = np.empty_like(x)
    prelu(x, np.array([-100], np.float32), out, TABLES["float32"].precision)
    assert np.array_equal(out, [0, 0, np.nan, np.inf, np.inf, float(np.float32(1e38))], equal_nan=True)
    prelu(-np.abs(x), np.array([100], np.float32), out, TABLES["float32"].precision)
    assert np.array_equal(out, [0, 0, np.nan, -np.inf, -np.inf, -np.inf], equal_nan=True)
    prelu(x, np.array([np.inf], np.float32), out, TABLES["float32"].precision)
    assert np.isnan(out[:3]).all()


def test_extra_memory() -> None:
    x, weight = np.ones((8, 32, 56, 56), np.float16), np.ones(32, np.float16)
    used = extra_memory(prelu, x, weight, np.empty_like(x), TABLES["float16"].precision)
    assert used <= 3 * 4 * (1 << 17) + 150_000
