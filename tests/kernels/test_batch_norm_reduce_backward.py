"""BatchNormReduce backward against the formula in float64, with sums that are exact."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.kernels.batch_norm import batch_norm_reduce_backward, write_sum

BATCH_NORM: Operator = ops.get("aclnnBatchNormReduceBackward")
OUTPUTS = ("sumDy", "sumDyXmu", "gradWeight", "gradBias")


def exact(g: Any, x: Any, mean: Any, invstd: Any) -> dict[str, tuple[Any, Any]]:
    """Each output, and the sum of the absolute values of its terms."""
    g64, x64, mean64, scale = (np.asarray(array, np.float64) for array in (g, x, mean, invstd))
    sums: dict[str, list[tuple[float, float]]] = {name: [] for name in OUTPUTS}
    for channel in range(x.shape[1]):
        own = [float(value) for value in g64[:, channel].reshape(-1)]
        products = [float(value) for value in (g64 * (x64 - mean64[channel].item()))[:, channel].reshape(-1)]
        for name, terms, factor in (
            ("sumDy", own, 1.0),
            ("gradBias", own, 1.0),
            ("sumDyXmu", products, 1.0),
            ("gradWeight", products, scale[channel].item()),
        ):
            sums[name].append((math.fsum(terms) * factor, math.fsum(map(abs, terms)) * abs(factor)))
    return {name: (np.array(pairs)[:, 0], np.array(pairs)[:, 1]) for name, pairs in sums.items()}


@pytest.fixture
def case(
    rng: np.random.Generator,
    shapes: Callable[[int, int], tuple[int, ...]],
    values: Callable[..., Any],
    layouts: Callable[[Any], Any],
) -> Callable[[Any], dict[str, Any]]:
    """A random call; each statistic has a dtype of its own."""
    others = np.float32, np.float16

    def make(dtype: Any) -> dict[str, Any]:
        shape = shapes(2, 8)
        kinds = [others[int(at)] if at < 2 else dtype for at in rng.integers(0, 3, 3)]
        return {
            "gradOut": layouts(values(shape, dtype)),
            "input": layouts(values(shape, dtype)),
            "mean": layouts(values(shape[1:2], kinds[0])),
            "invstd": layouts(np.abs(values(shape[1:2], kinds[1], zeros=False))),
            "weight": None if rng.random() < 0.5 else values(shape[1:2], kinds[2]),
            "inputG": True,
            "weightG": True,
            "biasG": True,
        }

    return make


def check(call: dict[str, Any], result: Any, within: Callable[..., None]) -> None:
    expected = exact(call["gradOut"], call["input"], call["mean"], call["invstd"])
    for param in BATCH_NORM.outputs:
        found = getattr(result, param.snake)
        if found is not None:
            within(BATCH_NORM, call, param.name, found, *expected[param.name])


@pytest.mark.clause("001.function.4", "001.function.5", "001.function.7")
@pytest.mark.parametrize("blocks", ["one", "many"])
def test_random_calls(
    case: Callable[[Any], dict[str, Any]],
    within: Callable[..., None],
    cases: Iterator[int],
    dtype: Any,
    blocks: str,
    request: pytest.FixtureRequest,
) -> None:
    if blocks == "many":
        request.getfixturevalue("small_blocks")
    for _ in cases:
        call = case(dtype)
        check(call, BATCH_NORM(**call), within)


@pytest.mark.clause("001.param.inputG.2", "001.param.weightG.2", "001.param.biasG.2")
def test_every_mask(case: Callable[[Any], dict[str, Any]], within: Callable[..., None], dtype: Any) -> None:
    for mask in range(8):
        flags = {"inputG": bool(mask & 1), "weightG": bool(mask & 2), "biasG": bool(mask & 4)}
        call = case(dtype) | flags
        result = BATCH_NORM(**call)
        check(call, result, within)
        assert (result.sum_dy is not None) == (result.sum_dy_xmu is not None) == flags["inputG"]
        assert (result.grad_weight is not None) == flags["weightG"]
        assert (result.grad_bias is not None) == flags["biasG"]


def test_outputs_of_another_dtype(
    case: Callable[[Any], dict[str, Any]], within: Callable[..., None], dtype: Any
) -> None:
    for kind in (np.float32, np.float16):
        call = case(dtype)
        channels = call["mean"].shape
        result = BATCH_NORM(**call, out={name: np.empty(channels, kind) for name in OUTPUTS})
        assert result.grad_weight.dtype == kind
        check(call, result, within)


def test_long_sums(values: Callable[..., Any], dtype: Any) -> None:
    for shape in ((200_000, 3), (4, 3, 250, 100)):
        x, g = (np.abs(values(shape, dtype)) for _ in range(2))
        zeros, ones = np.zeros(3, np.float32), np.ones(3, np.float32)
        outs = {name: np.empty(3, np.float32) for name in OUTPUTS}
        result = BATCH_NORM(g, x, zeros, ones, None, True, True, True, out=outs)
        axes = tuple(axis for axis in range(len(shape)) if axis != 1)
        g64, x64 = g.astype(np.longdouble), x.astype(np.longdouble)
        np.testing.assert_allclose(result.sum_dy, g64.sum(axis=axes).astype(float), rtol=1e-6)
        np.testing.assert_allclose(result.sum_dy_xmu, (g64 * x64).sum(axis=axes).astype(float), rtol=1e-6)


def test_a_large_mean_loses_no_bits(values: Callable[..., Any], within: Callable[..., None]) -> None:
    x = (values((500, 3), np.float32) + np.float32(10_000)).astype(np.float32)
    g, mean = values((500, 3), np.float32), np.full(3, 10_000, np.float32)
    call = {"gradOut": g, "input": x, "mean": mean, "invstd": np.ones(3, np.float32), "weight": None}
    call |= {"inputG": True, "weightG": True, "biasG": True}
    check(call, BATCH_NORM(**call), within)


def test_the_layout_changes_no_bit(case: Callable[[Any], dict[str, Any]], small_blocks: None, dtype: Any) -> None:
    for _ in range(60):
        call = case(dtype)
        strided = BATCH_NORM(**call)
        copies: dict[str, Any] = {
            name: np.array(one, order="C") if isinstance(one, np.ndarray) else one for name, one in call.items()
        }
        straight = BATCH_NORM(**copies)
        for one, other in zip(strided, straight, strict=True):
            assert one.tobytes() == other.tobytes()


def test_the_weight_has_no_influence(case: Callable[[Any], dict[str, Any]], dtype: Any) -> None:
    call = case(dtype)
    weight = np.full(call["mean"].shape, np.nan, dtype)
    for one, other in zip(BATCH_NORM(**call | {"weight": None}), BATCH_NORM(**call | {"weight": weight}), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_not_finite_stays_in_its_channel(dtype: Any) -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[1, inf, nan, 1, 1], [2, 2, 2, 2, 2]], dtype)
    g = np.array([[1, 1, 1, nan, inf], [1, 1, 1, 1, 1]], dtype)
    zeros, ones = np.zeros(5, np.float32), np.ones(5, np.float32)
    result = BATCH_NORM(g, x, zeros, ones, None, True, True, True)
    np.testing.assert_array_equal(result.sum_dy.astype(float), [2, 2, 2, nan, inf])
    np.testing.assert_array_equal(result.sum_dy_xmu.astype(float), [3, inf, nan, nan, inf])


def test_sums_overflow_to_infinity(dtype: Any) -> None:
    x = np.full((8, 1), 60_000 if dtype is np.float16 else 3e38, dtype)
    ones = np.ones(1, np.float32)
    result = BATCH_NORM(x, x, ones, ones, None, True, True, True)
    np.testing.assert_array_equal(result.sum_dy.astype(float), [np.inf])
    np.testing.assert_array_equal(result.sum_dy_xmu.astype(float), [np.inf])


@pytest.mark.clause("001.function.1", "001.function.2", "001.function.3")
def test_the_gradients_are_those_of_the_forward_function(values: Callable[..., Any]) -> None:
    x, g = values((6, 3, 4), np.float32).astype(float), values((6, 3, 4), np.float32).astype(float)
    mean = x.mean(axis=(0, 2)).astype(np.float32)
    invstd = (1 / x.std(axis=(0, 2))).astype(np.float32)

    def loss(scale: Any, offset: Any) -> float:
        centred = (x - mean.astype(float).reshape(1, 3, 1)) * invstd.astype(float).reshape(1, 3, 1)
        return float((g * (scale.reshape(1, 3, 1) * centred + offset.reshape(1, 3, 1))).sum())

    result = BATCH_NORM(
        g.astype(np.float32), x.astype(np.float32), mean, invstd, None, True, True, True, compute="exact"
    )
    step = 1e-5
    for channel in range(3):
        delta = np.zeros(3)
        delta[channel] = step
        scale, offset = np.ones(3), np.zeros(3)
        by_scale = (loss(scale + delta, offset) - loss(scale - delta, offset)) / (2 * step)
        by_offset = (loss(scale, offset + delta) - loss(scale, offset - delta)) / (2 * step)
        assert result.grad_weight[channel] == pytest.approx(by_scale, rel=1e-4, abs=1e-4)
        assert result.grad_bias[channel] == pytest.approx(by_offset, rel=1e-4, abs=1e-4)


def test_torch_agrees(values: Callable[..., Any]) -> None:
    torch = pytest.importorskip("torch")
    x, g = values((6, 3, 4), np.float32), values((6, 3, 4), np.float32)
    variable = torch.tensor(x.astype(float))
    scale = torch.ones(3, dtype=torch.float64, requires_grad=True)
    offset = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.batch_norm(variable, None, None, scale, offset, training=True, eps=1e-5).backward(
        torch.tensor(g.astype(float))
    )
    mean = x.astype(float).mean(axis=(0, 2)).astype(np.float32)
    invstd = (1 / np.sqrt(x.astype(float).var(axis=(0, 2)) + 1e-5)).astype(np.float32)
    result = BATCH_NORM(g, x, mean, invstd, None, True, True, True, compute="exact")
    np.testing.assert_allclose(result.grad_weight, scale.grad, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(result.grad_bias, offset.grad, rtol=1e-6, atol=1e-6)


def test_no_second_copy_of_a_large_array(dtype: Any) -> None:
    shape = (64, 64, 1024)
    x = np.full(shape, 1, dtype).transpose(0, 2, 1)
    ones = np.ones(shape[2], np.float32)
    tracemalloc.start()
    BATCH_NORM(x, x, ones, ones, None, True, True, True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes
    assert peak < 3 << 20


def test_a_sum_is_rounded_to_float_before_it_becomes_float16() -> None:
    """In FLOAT it lies in the middle between two numbers of FLOAT16, of which the even one is taken."""
    out = np.zeros(1, np.float16)
    write_sum(out, np.array([1 + 2.0**-11 + 2.0**-40]), np.dtype(np.float32))
    assert out == 1


def test_the_gradient_of_the_weight_is_the_product_of_the_exact_sum() -> None:
    """The sum of the terms is no number of FLOAT, and the product of that number rounded is another one."""
    one, grad_weight = np.ones(1, np.float32), np.zeros(1, np.float32)
    grad_out, x = np.array([[2.0**24], [1]], np.float32), np.ones((2, 1), np.float32)
    precision = {"accumulate": DType.FLOAT}
    batch_norm_reduce_backward(
        grad_out, x, 0 * one, 3 * one, one, True, True, True, None, None, grad_weight, None, precision
    )
    assert grad_weight == 3 * (2**24 + 1) + 1
