"""Gated units where a float of the gate's sigmoid would underflow, against longer floats."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from tests.kernels.conftest import DTYPES, smallest

GATES = (-1000, -110, -104, -100, -90, -89, -88, -1e-6, -1e-45, 0, 1e-45, 1e-38, 1, 89, 1000)
VALUES = (1e-45, 1e-38, 1e-6, 1, 1e4, 1e20, 1e38)


def halves(dtype: Any) -> tuple[Any, Any, Any]:
    """Every gate with every value that the dtype has, in one row each: both halves, and both as one tensor."""
    top = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    pairs = np.array([(gate, value) for gate in GATES for value in VALUES if value < top]).astype(dtype)
    gate, value = (pairs[:, at : at + 1].astype(np.longdouble) for at in (0, 1))
    return gate, value, pairs


def compare(found: Any, exact: Any, dtype: Any) -> None:
    """Two roundings of the exact answer, or one of the smallest numbers."""
    unit = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
    inside = np.abs(exact) < float(ml_dtypes.finfo(dtype).max) / 2  # type: ignore[no-untyped-call]
    off = np.abs(found.astype(np.longdouble) - exact)
    assert (off <= unit * np.abs(exact) + smallest(dtype) / 2)[inside].all()


@pytest.mark.parametrize("name", DTYPES)
def test_units(name: str) -> None:
    dtype = DTYPES[name]
    gate, value, pairs = halves(dtype)
    with np.errstate(all="ignore"):
        exact = gate / (1 + np.exp(-gate)) * value
    compare(ops.get("aclnnSwiGlu")(pairs, -1).out, exact, dtype)
    if name != "bfloat16":
        compare(ops.get("aclnnGlu")(np.roll(pairs, 1, 1), -1).out, value / (1 + np.exp(-gate)), dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_gradients(name: str) -> None:
    dtype = DTYPES[name]
    gate, value, pairs = halves(dtype)
    with np.errstate(all="ignore"):
        share, other = 1 / (1 + np.exp(-gate)), 1 / (1 + np.exp(gate))
        exact = np.concatenate((value * share * (1 + gate * other), gate * share), 1)
    compare(ops.get("aclnnSwiGluGrad")(np.ones_like(pairs[:, :1]), pairs, -1).out, exact, dtype)
