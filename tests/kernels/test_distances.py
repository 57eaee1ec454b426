"""Distances of rows in every norm, one pair after the other, and their gradients by difference quotients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import distances

ROLES: dict[str, Any] = dict.fromkeys(("operand", "accumulate", "result"), DType.DOUBLE)
NORMS = pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, np.inf])


def distance(one: Any, other: Any, p: float) -> float:
    """The distance of two points, with numbers of Python."""
    steps = [abs(float(a) - float(b)) for a, b in zip(one, other, strict=True)]
    if p == 0:
        return float(sum(step != 0 for step in steps))
    return max(steps, default=0.0) if p == np.inf else sum(step**p for step in steps) ** (1 / p)


@NORMS
def test_all_pairs_of_stacks(p: float) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(-2, 3, (2, 1, 4, 3)).astype(float), rng.standard_normal((3, 5, 3))
    y[0, 0] = x[0, 0, 0]
    out = np.zeros((2, 3, 4, 5))
    distances.between_all(x, y, p, 2, out, ROLES)
    wanted = [[[[distance(a, b, p) for b in y[j]] for a in x[i, 0]] for j in range(3)] for i in range(2)]
    np.testing.assert_allclose(out, wanted, 1e-13)


@NORMS
def test_pairs_of_rows(p: float) -> None:
    x = np.random.default_rng(5).integers(-2, 3, (5, 3)).astype(float)
    out = np.zeros(10)
    distances.between_pairs(x, p, out, ROLES)
    np.testing.assert_allclose(out, [distance(x[i], x[j], p) for i in range(5) for j in range(i + 1, 5)], 1e-13)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, np.inf])
def test_points_without_coordinates_are_not_apart(p: float) -> None:
    out = np.ones((2, 3))
    distances.between_all(np.zeros((2, 0)), np.zeros((3, 0)), p, 2, out, ROLES)
    assert not out.any()


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, np.inf])
def test_nan_is_apart_from_everything(p: float) -> None:
    out = np.ones((1, 1))
    distances.between_all(np.array([[np.nan, 1.0]]), np.zeros((1, 2)), p, 2, out, ROLES)
    assert np.isnan(out[0, 0])


@NORMS
def test_gradients(p: float) -> None:
    rng = np.random.default_rng(6)
    x, y, upstream = rng.standard_normal((2, 4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((2, 4, 5))
    lengths, found = np.zeros((2, 4, 5)), np.ones((2, 4, 3))
    distances.between_all(x, y, p, 2, lengths, ROLES)
    distances.between_all_backward(upstream, x, y, lengths, p, found, ROLES)
    wanted = np.zeros_like(x)
    for at in np.ndindex(*x.shape) if p else ():
        ends = []
        for step in (1e-6, -1e-6):
            moved = x[at[:2]].copy()
            moved[at[2]] += step
            ends.append(sum(g * distance(moved, b, p) for g, b in zip(upstream[at[:2]], y, strict=True)))
        wanted[at] = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(found, wanted, 1e-6, 1e-7)


@NORMS
def test_a_distance_of_zero_has_no_gradient(p: float) -> None:
    found = np.ones((1, 2))
    distances.between_all_backward(np.ones((1, 1)), np.ones((1, 2)), np.ones((1, 2)), np.zeros((1, 1)), p, found, ROLES)
    assert found.tolist() == [[0, 0]]


@NORMS
def test_equal_coordinates_have_no_gradient_and_do_not_spoil_others(p: float) -> None:
    x, y, lengths, found = np.array([[1.0, 5.0]]), np.array([[1.0, 2.0]]), np.zeros((1, 1)), np.ones((1, 2))
    distances.between_all(x, y, p, 2, lengths, ROLES)
    distances.between_all_backward(np.full((1, 1), 2.0), x, y, lengths, p, found, ROLES)
    assert found[0, 0] == 0
    assert found[0, 1] == pytest.approx(2 if p else 0, rel=1e-12)


def test_no_rows_at_all() -> None:
    distances.between_all(np.zeros((0, 2)), np.zeros((3, 2)), 2.0, 2, np.zeros((0, 3)), ROLES)
    distances.between_all_backward(
        np.zeros((0, 3)), np.zeros((0, 2)), np.zeros((3, 2)), np.zeros((0, 3)), 2.0, np.zeros((0, 2)), ROLES
    )
