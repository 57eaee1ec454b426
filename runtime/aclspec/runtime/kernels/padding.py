"""Padding of the last axes with elements of the tensor itself, and gradients of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

Mode = Literal["reflect", "edge"]


def reflect(x: Array, padding: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x with its elements mirrored beyond each edge.

    - Shapes: padding has a pair of numbers for each axis from the last one on; out is larger by their sum. A negative
      number takes elements away.
    - Source: the formula of the operator's spec.
    """
    del precision
    np.copyto(out, _padded(x, _widths(x.ndim, padding), "reflect"))


def replicate(x: Array, padding: Sequence[int], out: Array, precision: Precision) -> None:
    """Write x with each edge repeated beyond it; shapes as those of `reflect`."""
    del precision
    np.copyto(out, _padded(x, _widths(x.ndim, padding), "edge"))


def reflect_backward(
    grad_output: Array, x: Array, padding: Sequence[int], grad_input: Array, precision: Precision
) -> None:
    """Add up the gradients of the copies of each element that `reflect` made; they are added in ``accumulate``."""
    del x
    _fold(grad_output, padding, "reflect", grad_input, precision)


def replicate_backward(
    grad_output: Array, x: Array, padding: Sequence[int], grad_input: Array, precision: Precision
) -> None:
    """Add up the gradients of the copies of each element that `replicate` made, as `reflect_backward` does."""
    del x
    _fold(grad_output, padding, "edge", grad_input, precision)


def _fold(gradient: Array, padding: Sequence[int], mode: Mode, target: Array, precision: Precision) -> None:
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        total = arithmetic.read(gradient)
        for axis, width in enumerate(_widths(target.ndim, padding)):
            places = _padded(np.arange(target.shape[axis]), [width], mode)
            along = np.moveaxis(total, axis, 0)
            total = np.zeros((target.shape[axis], *along.shape[1:]), along.dtype)
            np.add.at(total, places, along)
            total = np.moveaxis(total, 0, axis)
        arithmetic.write(target, total)


def _padded(x: Array, widths: Sequence[tuple[int, int]], mode: Mode) -> Array:
    """The array with its own elements around it, less those that a negative width takes away."""
    padded = np.pad(x, [(max(before, 0), max(behind, 0)) for before, behind in widths], mode)
    kept = [
        slice(max(-before, 0), size - max(-behind, 0))
        for size, (before, behind) in zip(padded.shape, widths, strict=True)
    ]
    return padded[tuple(kept)]


def _widths(rank: int, padding: Sequence[int]) -> list[tuple[int, int]]:
    """What to put before and behind each axis."""
    pairs = list(zip(padding[::2], padding[1::2], strict=True))
    return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]
