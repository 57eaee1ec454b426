"""The kernel of the operator that the bridge's tests have of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray


def mix(
    self: NDArray[Any],
    tensors: Sequence[NDArray[Any]],
    alpha: float,
    weights: Sequence[float],
    scale: float,
    negate: bool,
    out: NDArray[Any],
    precision: Mapping[str, Any],
) -> None:
    """Keep the old values, scaled, and add the weighted tensors in place."""
    out[...] = self * (-scale if negate else scale)
    for tensor, weight in zip(tensors, weights, strict=True):
        self += alpha * weight * tensor
