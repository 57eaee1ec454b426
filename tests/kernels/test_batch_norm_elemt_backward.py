"""BatchNormElemt backward as an operator: its formula in float64, mixed dtypes, and the sums of the step before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.kernels.batch_norm_elemt import coefficients
from aclspec.runtime.kernels.rounding import Arithmetic

ELEMT: Operator = ops.get("aclnnBatchNormElemtBackward")
REDUCE: Operator = ops.get("aclnnBatchNormReduceBackward")
FLOATS: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
EPSILON = 1e-5


@pytest.fixture
def case(
    rng: np.random.Generator,
    shapes: Callable[[int, int], tuple[int, ...]],
    values: Callable[..., Any],
    layouts: Callable[[Any], Any],
) -> Callable[[Any], dict[str, Any]]:
    """A random call; every tensor has a dtype of its own, or all of them have the one given."""

    def make(dtype: Any) -> dict[str, Any]:
        def kind() -> Any:
            return dtype or list(FLOATS.values())[int(rng.integers(3))]

        shape = shapes(2, 8)
        names = ("mean", "invstd", "weight", "sumDy", "sumDyXmu")
        call = {name: layouts(values(shape, kind())) for name in ("gradOut", "input")}
        call |= {name: layouts(rng.uniform(0.25, 2, shape[1:2]).astype(kind())) for name in names}
        if rng.random() < 0.3:
            call["weight"] = None
        call["counter"] = rng.integers(1, 9, rng.integers(1, 4)).astype(rng.choice(["int32", "float32", "float16"]))
        return call

    return make


def exact(call: dict[str, Any]) -> tuple[Any, Any]:
    """The gradient, and the sum of the absolute values of its terms."""
    wide = {name: value.astype(np.float64) for name, value in call.items() if value is not None}
    ones = (1,) * (wide["input"].ndim - 2)
    n = wide.pop("counter").sum()
    mean, invstd, dy, xmu = (wide[name].reshape(-1, *ones) for name in ("mean", "invstd", "sumDy", "sumDyXmu"))
    factor = invstd * wide["weight"].reshape(-1, *ones) if "weight" in wide else invstd
    g, x, slope = wide["gradOut"], wide["input"], invstd**2 * xmu / n
    terms = (g, -dy / n, -x * slope, mean * slope)
    return sum(terms) * factor, sum(np.abs(term) for term in terms) * np.abs(factor)


@pytest.mark.parametrize("kind", [*FLOATS, "mixed"])
def test_random_calls(
    kind: str, case: Callable[[Any], dict[str, Any]], within: Callable[..., None], cases: Iterator[int]
) -> None:
    for _ in cases:
        call = case(FLOATS.get(kind))
        found = ELEMT(**call).grad_input
        assert found.dtype == call["input"].dtype
        within(ELEMT, call, "gradInput", found, *exact(call))


def test_float16_alone_computes_in_float16(rng: np.random.Generator) -> None:
    """Its rounding shows: 2048 + 1 is 2048 there, and one FLOAT among the inputs keeps the 1."""
    call: dict[str, Any] = {name: np.full(1, 1, np.float16) for name in ("invstd", "sumDyXmu", "counter")}
    call |= {name: np.full((1, 1), one, np.float16) for name, one in (("gradOut", 2048), ("input", -1))}
    call |= {"mean": np.zeros(1, np.float16), "sumDy": np.zeros(1, np.float16), "weight": None}
    out = {"gradInput": np.empty((1, 1), np.float32)}
    assert ELEMT(**call, out=out).grad_input.item() == 2048
    for name in ("gradOut", "input", "mean", "invstd", "sumDy", "sumDyXmu"):
        wider = call | {name: call[name].astype(np.float32)}
        assert ELEMT(**wider, out=out).grad_input.item() == 2049
    ones = np.ones(1, np.float16)
    assert ELEMT(**call | {"weight": ones}, out=out).grad_input.item() == 2048
    assert ELEMT(**call | {"weight": ones.astype(np.float32)}, out=out).grad_input.item() == 2049
    assert ELEMT(**call | {"counter": ones.astype(np.float32)}, out=out).grad_input.item() == 2048


def test_both_steps_are_the_gradient_on_several_devices(rng: np.random.Generator) -> None:
    """Against PyTorch on the whole batch, which no device sees."""
    torch = pytest.importorskip("torch")
    for parts in (1, 2, 5):
        x, g, weight = (rng.standard_normal(shape) for shape in ((10, 3, 4), (10, 3, 4), (3,)))
        variable = torch.tensor(x, requires_grad=True)
        normal = torch.nn.functional.batch_norm(variable, None, None, torch.tensor(weight), None, True, 0.1, EPSILON)
        normal.backward(torch.tensor(g))
        mean = x.mean(axis=(0, 2)).astype(np.float32)
        invstd = (1 / np.sqrt(x.var(axis=(0, 2)) + EPSILON)).astype(np.float32)
        devices = [
            (one.astype(np.float32), other.astype(np.float32))
            for one, other in zip(np.array_split(g, parts), np.array_split(x, parts), strict=True)
        ]
        sums = [REDUCE(*device, mean, invstd, None, True, False, False) for device in devices]
        sum_dy, sum_dy_xmu = sum(one.sum_dy for one in sums), sum(one.sum_dy_xmu for one in sums)
        counter = np.array([one.size // 3 for one, _ in devices], np.int32)
        slopes = weight.astype(np.float32)
        found = [ELEMT(*device, mean, invstd, slopes, sum_dy, sum_dy_xmu, counter).grad_input for device in devices]
        np.testing.assert_allclose(np.concatenate(found), variable.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_no_count_is_not_finite_and_quiet() -> None:
    ones, zeros = np.ones(2, np.float32), np.zeros((3, 2), np.float32)
    for counter in (np.zeros(2, np.int32), np.zeros(0, np.float32)):
        found = ELEMT(zeros, zeros, ones - 1, ones, None, ones, ones, counter).grad_input
        assert not np.isfinite(found).any()


def test_what_depends_on_the_channel_is_computed_in_float_and_rounded_once() -> None:
    """The square of 300 is no number of FLOAT16."""
    half, one = np.array([300], np.float16), np.ones(1, np.float16)
    arithmetic = Arithmetic(DType.FLOAT16, np.dtype(np.float16), DType.FLOAT16)
    found = coefficients(arithmetic, one, half, one, one, one, np.array([1000], np.int32))
    assert found.dtype == np.float16
    assert found.ravel().tolist() == [1, 90, np.float16(1 / 1000), 300]


def test_the_count_is_the_exact_sum() -> None:
    counter, wide = np.array([2**24, 1, 1, 1, 1], np.int32), np.array([2**24 + 4], np.float32)
    one = np.ones(1, np.float32)
    arithmetic = Arithmetic(DType.FLOAT, np.dtype(np.float32), None)
    assert coefficients(arithmetic, one, one, None, wide, one, counter)[2] == 1


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_no_intermediate_under_or_overflows(kind: str, rng: np.random.Generator, within: Callable[..., None]) -> None:
    """Numbers of any size: what the outputs can hold is right, whatever the square of invstd is."""
    for _ in range(100):
        call = of_any_size(rng, FLOATS[kind], (0, 1e-30, 1e-20, 1e-6, 1, 1e6, 1e20, 1e30))
        value, terms = exact(call)
        if terms.max() < 1e38:
            within(ELEMT, call, "gradInput", ELEMT(**call).grad_input, value, terms)


def test_float16_holds_the_bound_of_its_note(rng: np.random.Generator) -> None:
    """Below 2^-14 an intermediate errs by 2^-25, whatever it is multiplied by; one beyond 65504 is not compared."""
    for _ in range(100):
        call = of_any_size(rng, np.float16, (0, 1e-6, 1e-4, 1, 100))
        value, terms = exact(call)
        wide = {name: call[name].astype(np.float64).reshape(-1, 1) for name in ("mean", "invstd", "weight", "sumDyXmu")}
        away, factor = np.abs(call["input"] - wide["mean"].T), np.abs(wide["invstd"] * wide["weight"]).T
        slope = np.abs(wide["invstd"] ** 2 * wide["sumDyXmu"] / call["counter"].sum(dtype=np.float64)).T
        inside = np.maximum.reduce([terms, away * slope, slope + 0 * away, factor + 0 * away]) < 60000
        small = (away * factor + 2 * factor + terms / np.where(factor, factor, 1) + 1) * 2.0**-25
        error = np.abs(ELEMT(**call).grad_input.astype(np.float64) - value)
        assert (error <= 8 * 2.0**-11 * terms + 2 * small)[inside].all()


def of_any_size(rng: np.random.Generator, dtype: Any, sizes: tuple[float, ...]) -> dict[str, Any]:
    """A call of two channels, each tensor of its own size."""

    def numbers(*shape: int) -> Any:
        return (rng.choice(sizes) * rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)).astype(dtype)

    call = {name: numbers(3, 2) for name in ("gradOut", "input")}
    call |= {name: numbers(2) for name in ("mean", "invstd", "weight", "sumDy", "sumDyXmu")}
    return call | {"counter": np.array([3, 5], np.int32)}
