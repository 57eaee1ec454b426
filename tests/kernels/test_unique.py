"""Different elements and runs of equal ones where PyTorch as a reference of random calls says too little."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status
from aclspec.runtime.kernels import counting
from tests.support.numerics import EXACT, peer


@pytest.mark.parametrize(
    ("shape", "flat"),
    [((), True), *((shape, flat) for shape in [(1,), (7,), (3, 4), (4, 2, 2)] for flat in (True, False))],
)
def test_runs_are_those_of_pytorch(shape: tuple[int, ...], flat: bool) -> None:
    torch = peer()
    x = np.asfortranarray(np.random.default_rng(4).integers(0, 2, shape)).reshape(shape, order="F")
    count = x.size if flat else shape[0]
    runs = np.full((x.size,) if flat else shape, 7)
    places, counts = np.full(shape if flat else count, 7), np.full(count, 7)
    found = counting.unique_consecutive(x, True, True, 1000 if flat else 0, runs, places, counts, EXACT)
    expected = torch.unique_consecutive(torch.from_numpy(x), True, True, None if flat else 0)
    assert found == (len(expected[0]), len(expected[0]))
    assert runs[: found[0]].tolist() == expected[0].tolist()
    assert places.tolist() == expected[1].tolist()
    assert counts[: found[0]].tolist() == expected[2].tolist()


def test_what_is_not_asked_for_stays() -> None:
    x, runs, other = np.array([2, 2, 1]), np.full(3, 7), np.full(3, 7)
    assert counting.unique_consecutive(x, False, False, 1000, runs, other, other, EXACT) == (2, 0)
    assert counting.unique_values(x, True, False, runs, other, EXACT) == (2,)
    assert runs[:2].tolist() == [1, 2]
    assert (other == 7).all()


def test_each_nan_is_a_run_of_its_own() -> None:
    x, runs, counts = np.array([np.nan, np.nan, 1]), np.zeros(3), np.zeros(3, np.int64)
    places = np.zeros(3, np.int64)
    assert counting.unique_consecutive(x, True, True, 1000, runs, places, counts, EXACT) == (3, 3)
    assert places.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", [np.float32, np.int8, np.bool_])
def test_places_lead_back_to_the_elements(kind: Any) -> None:
    x = np.asfortranarray(np.random.default_rng(6).integers(-3, 4, (3, 4)).astype(kind))
    different, places = np.zeros(12, kind), np.full((3, 4), -1)
    (length,) = counting.unique_values(x, False, True, different, places, EXACT)
    assert different[:length].tolist() == sorted(set(x.ravel().tolist()))
    assert (different[places] == x).all()


@pytest.mark.parametrize("bounds", [(0, 0), (-3, 4), (-2.5, 3.5), (1, 2)])
def test_histograms_of_integers_count_one_after_the_other(bounds: tuple[float, float]) -> None:
    values = np.random.default_rng(3).integers(-5, 6, (4, 7)).astype(np.int16)
    low, high = map(int, bounds) if bounds[0] != bounds[1] else (values.min(), values.max())
    expected = [0] * 5
    for value in values.ravel().tolist():
        if low <= value <= high:
            expected[min((value - int(low)) * 5 // int(high - low), 4)] += 1
    out = np.zeros(5, np.int32)
    counting.histogram(values, 5, *bounds, out, {})
    assert out.tolist() == expected


def test_a_histogram_of_one_number() -> None:
    out = np.zeros(3, np.float32)
    counting.histogram(np.full((2, 2), 7.0, np.float32), 3, 0, 0, out, {})
    assert out.tolist() == [0, 4, 0]


@pytest.mark.parametrize("bounds", [(0.0, 0.0), (-1.0, 0.5), (-0.25, 2.0)])
def test_histograms_are_those_of_pytorch(bounds: tuple[float, float]) -> None:
    torch = peer()
    values = np.random.default_rng(5).standard_normal((7, 9)).astype(np.float32)
    out = np.zeros(6, np.float32)
    counting.histogram(values, 6, *bounds, out, {})
    expected = torch.histc(torch.tensor(values.astype(np.float64)), 6, *bounds)
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(1,), (9,), (2, 9), (3, 2, 7)])
@pytest.mark.parametrize("kind", [np.float32, np.int16, np.bool_])
def test_slices_are_those_of_pytorch(shape: tuple[int, ...], kind: Any) -> None:
    torch = peer()
    x = np.asfortranarray(np.random.default_rng(7).integers(0, 2, shape).astype(kind)).reshape(shape, order="F")
    different, places, counts = np.zeros(shape, kind), np.full(shape[-1], 7), np.full(shape[-1], 7)
    found = counting.unique_slices(x, True, True, -1, different, places, counts, EXACT)
    expected = torch.unique(torch.from_numpy(x), return_inverse=True, return_counts=True, dim=-1)
    count = expected[0].shape[-1]
    assert found == (count, count)
    assert different.ravel()[: expected[0].numel()].tolist() == expected[0].ravel().tolist()
    assert places.tolist() == expected[1].tolist()
    assert counts[:count].tolist() == expected[2].tolist()


OTHERS = {
    "unique_dim": (((2, 3), 0), ((2, 3), -2), ((4, 3, 2), 1), ((3, 3), 0)),
    "unique_consecutive": (((2, 3), 1), ((2, 3), -1), ((4, 3, 2), 1), ((3, 3), 1)),
}
"""Shapes with an axis that the kernel does not compute."""


@pytest.mark.parametrize(("name", "shape", "dim"), [(name, *one) for name, found in OTHERS.items() for one in found])
def test_slices_of_an_axis_that_is_not_computed_are_refused(name: str, shape: tuple[int, ...], dim: int) -> None:
    with pytest.raises(AclnnError, match="No kernel computes slices of axis") as caught:
        ops.get(name)(np.ones(shape, np.float32), True, True, dim)
    assert caught.value.status == Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR


def test_slices_with_a_nan_differ() -> None:
    x, different = np.array([[1, np.nan, np.nan, 1], [2, 0, 0, 2]]), np.zeros((2, 4))
    places, counts = np.full(4, 7), np.zeros(4, np.int64)
    assert counting.unique_slices(x, True, False, 1, different, places, counts, EXACT) == (3, 3)
    assert places.tolist() == [7, 7, 7, 7]
    assert counts.tolist() == [2, 1, 1, 0]
    np.testing.assert_array_equal(different.ravel()[:6], [1, np.nan, np.nan, 2, 0, 0])


def slices_of(x: Any) -> Any:
    """The different elements of a vector."""
    different, places, counts = np.zeros_like(x), np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    length, _ = counting.unique_slices(x, True, True, 0, different, places, counts, EXACT)
    return different[:length].astype(np.float64 if x.dtype.kind != "i" else np.int64).tolist()


def test_slices_of_large_integers_differ() -> None:
    assert slices_of(np.array([2**40 + 1, 2**40, 2**40 + 1])) == [2**40, 2**40 + 1]


def test_slices_of_bf16_ascend() -> None:
    numbers = np.array([2.0**100, np.nan, 1, -1, 2.0**90, np.nan, -1], ml_dtypes.bfloat16)
    np.testing.assert_array_equal(slices_of(numbers), [-1, 1, 2.0**90, 2.0**100, np.nan, np.nan])
