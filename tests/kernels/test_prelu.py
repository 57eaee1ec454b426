"""PReLU as an operator: every mixture of dtypes, what it rounds to, and how it fits with its backward operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError
from aclspec.runtime.api.operator import Operator
from tests.kernels.conftest import DTYPES

PRELU: Operator = ops.get("aclnnPrelu")
BACKWARD: Operator = ops.get("aclnnPreluBackward")


def exact(x: Any, weight: Any) -> Any:
    """The definition, in float64."""
    x64, slopes = np.asarray(x, np.float64), np.asarray(weight, np.float64).reshape(-1)
    slope = slopes.reshape(-1, *(1,) * (x64.ndim - 2)) if slopes.size > 1 else slopes[0]
    return np.where(x64 > 0, x64, slope * x64)


@pytest.mark.parametrize("kinds", list(product(DTYPES, DTYPES)), ids="-".join)
def test_random_calls(
    kinds: tuple[str, str],
    rng: np.random.Generator,
    shapes: Callable[[int, int], tuple[int, ...]],
    values: Callable[..., Any],
    layouts: Callable[[Any], Any],
    within: Callable[..., None],
    cases: Iterator[int],
) -> None:
    for at in cases:
        shape = shapes(0, 8)
        channels = shape[1] if len(shape) > 1 and rng.random() < 0.7 else 1
        weight_shape = [(channels,), (1, channels), (channels, 1, 1)][int(rng.integers(3))]
        x, weight = layouts(values(shape, DTYPES[kinds[0]])), layouts(values(weight_shape, DTYPES[kinds[1]]))
        out = np.empty(shape, list(DTYPES.values())[at % 4]) if at % 4 < 3 else None
        result = PRELU(x, weight, out=None if out is None else [out]).out
        assert out is None or result is out
        expected = exact(x, weight)
        within(PRELU, {"self": x, "weight": weight}, "out", result, expected, np.abs(expected))


@pytest.mark.parametrize(
    ("kinds", "promoted"),
    [
        (("float32", "float32"), "float32"),
        (("float16", "float16"), "float16"),
        (("bfloat16", "bfloat16"), "bfloat16"),
        (("float32", "float16"), "float32"),
        (("bfloat16", "float32"), "float32"),
        (("float16", "bfloat16"), "float32"),
        (("bfloat16", "float16"), "float32"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else value,
)
def test_the_output_has_the_promoted_dtype(kinds: tuple[str, str], promoted: str) -> None:
    x, weight = (np.ones(1, DTYPES[kind]) for kind in kinds)
    assert PRELU(x, weight).out.dtype == DTYPES[promoted]


def test_the_product_is_rounded_to_the_promoted_dtype() -> None:
    x, weight = np.array([-1 - 2**-10], np.float16), np.array([1 + 2**-10], np.float16)
    wide = np.empty(1, np.float32)
    assert PRELU(x, weight, out=[wide]).out == np.float32(x * weight)
    assert wide != x.astype(np.float32) * weight.astype(np.float32)
    assert PRELU(x.astype(np.float32), weight, out=[wide]).out == x.astype(np.float32) * weight.astype(np.float32)


def test_both_operators_take_the_same_branch(values: Callable[..., Any]) -> None:
    """The gradient is the slope of the branch, at zeros and NaNs too."""
    x = values((3, 4, 5), np.float32)
    x[0, 0] = [0, -0.0, np.nan, np.inf, -np.inf]
    weight = np.array([0.5, 2, -1, 0], np.float32)
    slopes = BACKWARD(np.ones_like(x), x, weight).grad_input
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(PRELU(x, weight).out, slopes * x)


def test_atlas_inference_has_the_forward_operator_alone() -> None:
    x, weight = np.full((1, 2), -1, np.float32), np.ones(1, np.float32)
    assert PRELU(x, weight, product="atlas_inference").out.tolist() == [[-1, -1]]
    with pytest.raises(AclnnError, match="atlas_inference") as caught:
        BACKWARD(x, x, weight, product="atlas_inference")
    assert caught.value.rule == "aclnnPreluBackward.product"


def test_an_empty_input_writes_nothing() -> None:
    for shape, channels in (((0, 3), 3), ((2, 0), 0), ((0,), 1), ((2, 0), 1)):
        assert PRELU(np.empty(shape, np.float32), np.empty(channels, np.float32)).out.shape == shape
