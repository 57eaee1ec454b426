"""PReLU backward against the formula in float64, with sums that are exact."""

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
from aclspec.runtime.kernels.prelu import prelu_backward

PRELU: Operator = ops.get("aclnnPreluBackward")


def exact(g: Any, x: Any, weight: Any) -> tuple[Any, Any, Any, Any]:
    """Both gradients, element by element, and the sums of the absolute values of their terms."""
    g64 = np.broadcast_to(np.asarray(g, np.float64), x.shape)
    x64 = np.asarray(x, np.float64)
    slopes = np.asarray(weight, np.float64).reshape(-1)
    grad_input = np.zeros(x.shape)
    terms: list[list[float]] = [[] for _ in slopes]
    for at in np.ndindex(x.shape):
        channel = at[1] if len(slopes) > 1 else 0
        if x64[at] > 0:
            grad_input[at] = g64[at]
        else:
            grad_input[at] = slopes[channel] * g64[at]
            terms[channel].append(float(g64[at] * x64[at]))
    shape = np.shape(weight) if len(slopes) == 1 else (len(slopes),)
    sums = np.array([math.fsum(one) for one in terms]).reshape(shape)
    sizes = np.array([math.fsum(map(abs, one)) for one in terms]).reshape(shape)
    return grad_input, sums, np.abs(grad_input), sizes


@pytest.fixture
def case(
    rng: np.random.Generator,
    shapes: Callable[[int, int], tuple[int, ...]],
    values: Callable[..., Any],
    layouts: Callable[[Any], Any],
) -> Callable[[Any], dict[str, Any]]:
    """A random call."""

    def make(dtype: Any) -> dict[str, Any]:
        shape = shapes(0, 8)
        channels = shape[1] if len(shape) > 1 and rng.random() < 0.7 else 1
        narrow = tuple(1 if rng.random() < 0.3 else size for size in shape)[int(rng.integers(0, len(shape) + 1)) :]
        weight_shape = [(channels,), (1, channels), (channels, 1, 1)][int(rng.integers(3))]
        return {
            "gradOutput": layouts(values(shape if rng.random() < 0.6 else narrow, dtype)),
            "self": layouts(values(shape, dtype)),
            "weight": layouts(values(weight_shape, dtype)),
        }

    return make


@pytest.mark.clause("004.function.2", "004.function.3", "004.param.gradInput.1", "004.param.gradWeight.1")
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
        result = PRELU(**call)
        grad_input, grad_weight, input_terms, weight_terms = exact(*call.values())
        within(PRELU, call, "gradInput", result.grad_input, grad_input, input_terms)
        within(PRELU, call, "gradWeight", result.grad_weight, grad_weight, weight_terms)


def test_long_sums(values: Callable[..., Any], within: Callable[..., None], dtype: Any) -> None:
    for shape in ((300_000,), (100_000, 3), (2, 3, 250, 211)):
        x = -np.abs(values(shape, dtype)) / dtype(16)  # the sum stays within float16
        g = np.abs(values(shape, dtype)) / dtype(16)
        weight = np.ones(shape[1] if len(shape) > 1 else 1, dtype)
        axes = tuple(axis for axis in range(len(shape)) if axis != 1) if len(shape) > 1 else None
        terms = g.astype(np.float64) * x.astype(np.float64)
        total = terms.astype(np.longdouble).sum(axis=axes).astype(np.float64).reshape(weight.shape)
        call = {"gradOutput": g, "self": x, "weight": weight}
        within(PRELU, call, "gradWeight", PRELU(**call).grad_weight, total, np.abs(total))


def test_the_layout_changes_no_bit(case: Callable[[Any], dict[str, Any]], small_blocks: None, dtype: Any) -> None:
    for _ in range(60):
        call = case(dtype)
        strided = PRELU(**call)
        copies: dict[str, Any] = {name: np.array(array, order="C") for name, array in call.items()}
        straight = PRELU(**copies)
        assert strided.grad_input.tobytes() == straight.grad_input.tobytes()
        assert strided.grad_weight.tobytes() == straight.grad_weight.tobytes()


def test_zero_takes_the_branch_of_the_weight(dtype: Any) -> None:
    x = np.array([0.0, -0.0, 1.0], dtype)
    result = PRELU(np.ones(3, dtype), x, np.array([0.25], dtype))
    np.testing.assert_array_equal(result.grad_input.astype(float), [0.25, 0.25, 1])
    assert result.grad_weight == 0


def test_what_is_not_finite(dtype: Any) -> None:
    inf, nan = np.inf, np.nan
    x = np.array([[inf, -inf, nan, 1, -1, -1, -1, inf]], dtype).T
    g = np.array([[2, 2, 2, nan, inf, nan, 0, nan]], dtype).T
    weight = np.array([0.5], dtype)
    result = PRELU(g, x, weight)
    np.testing.assert_array_equal(result.grad_input.astype(float).T, [[2, 1, 1, nan, inf, nan, 0, nan]])
    for rows, expected in (([0, 1, 3], -inf), ([2], nan), ([4], -inf), ([1, 5], nan), ([0, 7], 0)):
        found = PRELU(g[rows], x[rows], weight).grad_weight.astype(float)
        np.testing.assert_array_equal(found, [expected])
    np.testing.assert_array_equal(
        PRELU(np.array([0], dtype), np.array([-inf], dtype), np.array([inf], dtype)).grad_input.astype(float), [nan]
    )


def test_overflow_is_infinite(dtype: Any) -> None:
    top = np.array([60_000 if dtype is np.float16 else 3e38], dtype)
    result = PRELU(top, -top, np.array([4], dtype))
    np.testing.assert_array_equal(result.grad_input.astype(float), [np.inf])
    np.testing.assert_array_equal(result.grad_weight.astype(float), [-np.inf])


def test_products_are_rounded_before_they_are_summed() -> None:
    x = np.array([[-1.0], [-1.0 - 2**-10]], np.float16)
    g = np.array([[1 + 2**-10], [1 + 2**-10]], np.float16)
    products = (g * x).astype(np.float32)  # the last product needs 21 bits and has 11
    assert products[1] != g[1].astype(np.float32) * x[1].astype(np.float32)
    found = PRELU(g, x, np.ones(1, np.float16)).grad_weight
    assert found == products.sum().astype(np.float16)


def test_sums_are_wider_than_their_terms(dtype: Any) -> None:
    x = np.full((4096, 1), -1, dtype)
    assert PRELU(np.ones_like(x), x, np.ones(1, dtype)).grad_weight == -4096


@pytest.mark.clause("004.function.1", "004.function.2", "004.function.3")
def test_the_gradients_are_those_of_the_forward_function(values: Callable[..., Any]) -> None:
    def forward(x: Any, weight: Any) -> Any:
        return np.where(x > 0, x, weight.reshape(1, -1, 1) * x)

    x, weight, g = values((3, 4, 5), np.float32), values((4,), np.float32), values((3, 4, 5), np.float32)
    x = np.where(np.abs(x) < 0.1, np.float32(0.5), x)  # away from the kink
    result = PRELU(g, x, weight, compute="exact")
    step = 1e-6
    x64, w64, g64 = x.astype(float), weight.astype(float), g.astype(float)
    for at in np.ndindex(x.shape):
        delta = np.zeros(x.shape)
        delta[at] = step
        slope = (g64 * (forward(x64 + delta, w64) - forward(x64 - delta, w64))).sum() / (2 * step)
        assert result.grad_input[at] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    for channel in range(4):
        change = np.zeros(4)
        change[channel] = step
        slope = (g64 * (forward(x64, w64 + change) - forward(x64, w64 - change))).sum() / (2 * step)
        assert result.grad_weight[channel] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_torch_agrees(case: Callable[[Any], dict[str, Any]]) -> None:
    torch = pytest.importorskip("torch")
    for _ in range(40):
        call = {name: array.astype(np.float64) for name, array in case(np.float32).items()}
        x = torch.tensor(call["self"], requires_grad=True)
        if x.ndim == 0:
            continue
        weight = torch.tensor(call["weight"].reshape(-1), requires_grad=True)
        g = torch.tensor(np.broadcast_to(call["gradOutput"], x.shape).copy())
        torch.nn.functional.prelu(x, weight).backward(g)
        single = {name: array.astype(np.float32) for name, array in call.items()}
        result = PRELU(**single, compute="exact")
        np.testing.assert_allclose(result.grad_input, x.grad, rtol=1e-7)
        np.testing.assert_allclose(result.grad_weight.reshape(-1), weight.grad, rtol=1e-6, atol=1e-6)


def test_no_second_copy_of_a_large_array(dtype: Any) -> None:
    shape = (64, 64, 1024)
    x = np.full(shape, -1, dtype).transpose(0, 2, 1)
    weight = np.ones(shape[2], dtype)
    given = np.empty(x.shape, dtype), np.empty(shape[2], dtype)
    tracemalloc.start()
    PRELU(x, x, weight, out=given)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes
    assert peak < 6 << 20


def test_a_sum_is_rounded_to_float_before_it_becomes_float16() -> None:
    """In FLOAT it lies in the middle between two numbers of FLOAT16, of which the even one is taken."""
    g, grad_weight = np.array([-1, -(2.0**-11), -(2.0**-40)], np.float32), np.zeros(1, np.float16)
    x, weight, grad_input = -np.ones(3, np.float32), np.ones(1, np.float32), np.zeros(3, np.float32)
    prelu_backward(g, x, weight, grad_input, grad_weight, {"product": DType.FLOAT, "accumulate": DType.FLOAT})
    assert grad_weight == 1


def test_products_are_rounded_before_they_are_written() -> None:
    """The product is no number of FLOAT16."""
    g, x, weight = (np.full(1, one, np.float32) for one in (1 + 2.0**-10, -1, 1 + 2.0**-10))
    grad_input, grad_weight = np.zeros(1, np.float32), np.zeros(1, np.float32)
    prelu_backward(g, x, weight, grad_input, grad_weight, {"product": DType.FLOAT16, "accumulate": DType.FLOAT})
    assert grad_input == 1 + 2.0**-9
