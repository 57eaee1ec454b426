"""How far a result may be from the exact one, taken from the spec, and random arrays in every layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import sqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.kernels import blocks
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.expected import expected_precision

DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
CASES = 500


@pytest.fixture(params=sorted(DTYPES))
def dtype(request: pytest.FixtureRequest) -> Any:
    return DTYPES[request.param]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that every case has several."""
    monkeypatch.setattr(blocks, "BLOCK", 16)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)


def smallest(kind: Any) -> float:
    """The smallest number above zero of a type."""
    info: Any = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    return float(info.smallest_subnormal)


@pytest.fixture
def within() -> Callable[..., None]:
    """Compares a result with the exact value within the tolerance of the spec."""

    def check(
        operator: Operator,
        call: Mapping[str, Any],
        name: str,
        found: Any,
        exact: Any,
        terms: Any,
        product: str = "atlas_a2",
    ) -> None:
        """``terms`` is the sum of the absolute values of the terms of each element."""
        info = operator.info
        rule = next(one for one in info.compute.tolerance if one.param == name)
        tensors = {key: Tensor.from_array(value) if hasattr(value, "dtype") else value for key, value in call.items()}
        env = Environment(info, tensors, product, "document")
        roles = replace(env, variables=expected_precision(env) or {})
        count, unit = evaluate_node(rule.terms, env), DType[evaluate_node(rule.unit, roles)]
        own = unit_roundoff(DType.of(found.dtype))
        # The rule of the spec holds where nothing underflows; below that a rounding errs by half the smallest number.
        least = smallest(unit.numpy) + smallest(found.dtype)
        bound = (rule.factor + sqrt(count) / 8) * unit_roundoff(unit) * terms + own * np.abs(exact) + least
        error = np.abs(found.astype(np.float64) - exact)
        assert found.shape == exact.shape
        assert np.all(error <= bound), f"{name} is off by {np.max(error / bound)} times its tolerance"

    return check


@pytest.fixture
def layouts(rng: np.random.Generator) -> Callable[[Any], Any]:
    """The same values in another layout: contiguous, transposed, sliced, with an offset."""

    def another(array: Any) -> Any:
        kind = rng.integers(4)
        if kind == 0 or array.ndim == 0:
            return array
        if kind == 1:
            return np.ascontiguousarray(array.T).T
        if kind == 2:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype)
            wide[..., 1::2] = array
            return wide[..., 1::2]
        axes = rng.permutation(array.ndim)
        return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))

    return another


@pytest.fixture
def shapes(rng: np.random.Generator) -> Callable[[int, int], tuple[int, ...]]:
    """A random shape with a rank between two bounds and not too many elements."""

    def shape(low: int, high: int) -> tuple[int, ...]:
        rank = int(rng.integers(low, high + 1))
        most = {0: 1, 1: 200, 2: 40, 3: 12, 4: 6}.get(rank, 3)
        return tuple(int(size) for size in rng.integers(1, most + 1, rank))

    return shape


@pytest.fixture
def values(rng: np.random.Generator) -> Callable[..., Any]:
    """Random numbers of either sign around one, and some zeros."""

    def draw(shape: tuple[int, ...], dtype: Any, zeros: bool = True) -> Any:
        array = rng.standard_normal(shape) * np.exp2(rng.integers(-3, 4, shape))
        if zeros:
            array = np.where(rng.random(shape) < 0.1, 0, array)
        return np.asarray(array).astype(dtype)

    return draw


@pytest.fixture
def cases() -> Iterator[int]:
    return iter(range(CASES))
