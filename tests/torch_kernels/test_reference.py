"""PyTorch's kernels against the references of the specs, and against the kernels of NumPy.

The reference of some operators is a function of PyTorch; the kernels of NumPy share no code with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing import References
from aclspec.runtime.testing.reference_runs import Prepared
from aclspec.runtime.testing.tolerance import tiny
from aclspec.runtime.torch_kernels.table import TABLE
from tests.support.suites import own_suite

NAMES = [name for name in ops.names() if ops.get(name).kernel in TABLE]
CALLS = 100
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40])
Find = Callable[[str], References]


@pytest.fixture(scope="session")
def find() -> Find:
    return lambda name: References(ops.get(name), own_suite(name).suite)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether PyTorch took each call that was made by its kernels."""
    monkeypatch.setenv("ACLSPEC_KERNELS", "torch")
    found: list[bool] = []

    def counted(compute: Callable[..., bool], *values: Any) -> bool:
        found.append(compute(*values))
        return found[-1]

    for name, compute in TABLE.items():
        monkeypatch.setitem(TABLE, name, partial(counted, compute))
    return found


def test_every_kernel_of_the_table_computes_an_operator() -> None:
    assert {ops.get(name).kernel for name in NAMES} == set(TABLE)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference(find: Find, taken: list[bool], name: str) -> None:
    assert find(name).check(CALLS).calls == CALLS
    assert sum(taken) > CALLS / 3


def outputs(references: References, prepared: Prepared, values: dict[str, Any]) -> dict[str, Any]:
    """The arrays of the outputs by name."""
    found = references._call(values, prepared.target)
    return {name: one.array.copy() for name, one in found.items() if isinstance(one, Tensor)}


def both(references: References, spoil: bool, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Prepared, Any, Any]]:
    """Calls, and their outputs by the kernels of PyTorch and of NumPy."""
    for call, cell in references.calls(CALLS):
        prepared = references.prepare(call, cell)
        values = references._with_saved(prepared.values, cell)
        if values is not None:
            if spoil:
                spoiled(references, values)
            by = {}
            for kernels in ("torch", "numpy"):
                monkeypatch.setenv("ACLSPEC_KERNELS", kernels)
                by[kernels] = outputs(references, prepared, values)
            yield prepared, by["torch"], by["numpy"]


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_of_numpy(find: Find, taken: list[bool], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the tolerance, and twice each rounding, lie between two results."""
    for prepared, found, expected in both(find(name), False, monkeypatch):
        for output, (wanted, *_) in prepared.wanted.items():
            one, other = (array[output].astype(np.float64) for array in (found, expected))
            dtypes = dict.fromkeys((*wanted.through, DType.of(found[output].dtype)))
            units = sum(unit_roundoff(dtype) for dtype in [*dtypes][1:])
            known = np.isfinite(other)
            np.testing.assert_array_equal(np.isfinite(one), known)
            with np.errstate(invalid="ignore"):  # an infinity less itself
                bound = 2 * (wanted.relative * wanted.exact.size + units * np.abs(other) + sum(map(tiny, dtypes)))
                assert np.all((np.abs(one - other) <= bound)[known])
    assert sum(taken) > CALLS / 3


def spoiled(references: References, values: dict[str, Any]) -> None:
    """Put numbers that are not finite into the inputs, and zeros below zero and subnormal numbers."""
    random = np.random.default_rng(7)
    for param in references.operator.inputs:
        for tensor in leaves(values[param.name]):
            if tensor.dtype.is_floating and tensor.numel:
                at = random.random(tensor.shape) < 0.05
                with np.errstate(all="ignore"):
                    tensor.array[at] = random.choice(SPECIAL, int(at.sum())).astype(tensor.array.dtype)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_finite(find: Find, taken: list[bool], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _, found, expected in both(find(name), True, monkeypatch):
        for output, array in expected.items():
            one, other = found[output].astype(np.float64), array.astype(np.float64)
            np.testing.assert_array_equal(np.isnan(one), np.isnan(other), err_msg=output)
            infinite = np.isinf(other)
            np.testing.assert_array_equal(np.isinf(one), infinite, err_msg=output)
            np.testing.assert_array_equal(one[infinite], other[infinite], err_msg=output)
