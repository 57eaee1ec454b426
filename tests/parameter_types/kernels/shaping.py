"""Kernels that move elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.tensors.rounding import round_into

Array = NDArray[Any]
Precision = Mapping[str, Any]


def cat(tensors: tuple[Array, ...], dim: int, out: Array, precision: Precision) -> None:
    """One tensor after the other along an axis."""
    axis = dim % out.ndim
    start = 0
    for tensor in tensors:
        stop = start + tensor.shape[axis]
        np.copyto(out[(slice(None),) * axis + (slice(start, stop),)], tensor, casting="unsafe")
        start = stop


def resize(x: Array, scales: tuple[float, ...], mode: str, out: Array, precision: Precision) -> None:
    """The nearest pixel before the place, or the mean of its neighbours weighted by their distance from its centre."""
    rows, columns = (np.arange(out.shape[axis]) for axis in (2, 3))
    if mode == "nearest":
        at = [
            np.minimum((place / scale).astype(np.int64), x.shape[axis] - 1)
            for axis, place, scale in ((2, rows, scales[2]), (3, columns, scales[3]))
        ]
        np.copyto(out, x[:, :, at[0][:, None], at[1]])
        return
    with np.errstate(all="ignore"):
        values = x.astype(np.float64)
        for axis, place in ((2, rows), (3, columns)):
            source = np.clip((place + 0.5) / scales[axis] - 0.5, 0, x.shape[axis] - 1)
            low = np.floor(source).astype(np.int64)
            high = np.minimum(low + 1, x.shape[axis] - 1)
            weight = (source - low).reshape((-1, 1) if axis == 2 else (-1,))
            values = values.take(low, axis) * (1 - weight) + values.take(high, axis) * weight
        round_into(out, values)


def foreach_times_scalar_list(
    x: tuple[Array, ...], scalars: tuple[float, ...], out: tuple[Array, ...], precision: Precision
) -> None:
    """Each tensor times its number."""
    kind = precision["accumulate"].numpy
    with np.errstate(all="ignore"):
        for tensor, scalar, target in zip(x, scalars, out, strict=True):
            np.copyto(target, tensor.astype(kind) * np.asarray(scalar).astype(kind), casting="unsafe")
