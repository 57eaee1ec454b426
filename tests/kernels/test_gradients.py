"""Every gradient operator, in every dtype: against central differences of its forward function, and against PyTorch.

The operator computes with ``compute="exact"``, so that its error is one rounding to the dtype of each output.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from tests.support.gradients import GRADIENTS, Sample
from tests.support.numerics import SAMPLES, Array, difference_quotient, peer
from tests.support.operators import computed

DTYPES = (np.float32, np.float16, ml_dtypes.bfloat16)
_SMALLEST = {np.float32: 2.0**-149, np.float16: 2.0**-24, ml_dtypes.bfloat16: 2.0**-133}


def drawn(name: str, number: int) -> Sample:
    """The sample of this number: every dtype in turn, one in five with extreme parameters."""
    rng = np.random.default_rng([number, len(name)])
    return GRADIENTS[name](rng, DTYPES[number % 3], number % 5 == 4)


def gradients(name: str, sample: Sample) -> dict[str, Array]:
    """What the operator gives, by output; nothing for what the flags switch off."""
    operator = ops.get(name)
    found = operator(**sample.call, product=sample.product, compute="exact")
    pairs = zip((param.name for param in operator.outputs), found, strict=True)
    return {output: value for output, value in pairs if value is not None}


def rounding(found: Array) -> tuple[float, float]:
    """The unit roundoff of an array's dtype, and half of the smallest number that it holds."""
    return unit_roundoff(DType.of(found.dtype)), _SMALLEST[found.dtype.type]


def test_every_gradient_operator_is_here_or_has_a_reference() -> None:
    gradients = [ops.get(name) for name in computed() if name.endswith("backward")]
    assert [one.name for one in gradients if one.info.compute.reference is None and one.name not in GRADIENTS] == []


@pytest.mark.parametrize("name", GRADIENTS)
def test_central_differences(name: str) -> None:
    for number in range(SAMPLES):
        sample = drawn(name, number)
        rng = np.random.default_rng(number)
        for output, found in gradients(name, sample).items():
            operand = sample.at[output]
            assert found.shape == operand.shape

            def loss(value: Array, output: str = output, sample: Sample = sample) -> float:
                return float((sample.upstream * sample.forward({**sample.at, output: value})).sum())

            direction = np.asarray(rng.uniform(-1, 1, operand.shape))
            quotient = difference_quotient(loss, operand, direction, sample.step)
            unit, least = rounding(found)
            terms = np.abs(found.astype(np.float64) * direction)
            # The difference of two losses has few digits left where they are large.
            noise = 1e-15 * abs(loss(operand)) / sample.step + 1e-7 * terms.sum() + 1e-7
            slack = noise + (unit * terms + (least + sample.slack) * np.abs(direction)).sum()
            assert quotient == pytest.approx(float((found * direction).sum()), abs=slack), (number, output)


@pytest.mark.parametrize("name", GRADIENTS)
def test_against_torch(name: str) -> None:
    torch = peer()
    for number in range(SAMPLES):
        sample = drawn(name, number)
        leaves = {output: torch.tensor(value, requires_grad=True) for output, value in sample.at.items()}
        sample.torch(leaves, torch).backward(torch.tensor(sample.upstream))
        for output, found in gradients(name, sample).items():
            exact = leaves[output].grad.numpy()
            unit, least = rounding(found)
            largest = np.max(np.abs(exact), initial=0)
            bound = unit * np.abs(exact) + least + 1e-12 * largest + sample.slack
            assert np.all(np.abs(found.astype(np.float64) - exact) <= bound), (number, output)


@pytest.mark.parametrize("name", GRADIENTS)
def test_the_samples_span_ranks_sizes_and_flags(name: str) -> None:
    """What the two tests above are worth: every rank that the operator has, unlike sizes, each flag on and off."""
    samples = [drawn(name, number) for number in range(max(SAMPLES, 200))]
    seen: dict[str, Counter[Any]] = {}
    for sample in samples:
        for key, value in sample.call.items():
            seen.setdefault(key, Counter())[value.ndim if isinstance(value, np.ndarray) else value] += 1
    operator = ops.get(name)
    first = operator.inputs[0].name
    ranks = {
        "Conv": {3, 4, 5},
        "Avg": {3, 4},
        "Max": {4},
        "Upsample": {4},
        "Batch": set(range(2, 9)),
        "Prelu": set(range(1, 9)),
    }
    assert set(seen[first]) == next(found for part, found in ranks.items() if part in name)
    for param in operator.info.params:
        if param.type == "bool":
            assert set(seen[param.name]) == {False, True}
        elif param.type == "bool_array":
            assert len(seen[param.name]) == 2**3
    assert {sample.call[first].dtype.type for sample in samples} == set(DTYPES)
    sizes = [sample.call[first].shape for sample in samples]
    assert sum(len(set(shape)) == len(shape) for shape in sizes) > len(samples) // 10
