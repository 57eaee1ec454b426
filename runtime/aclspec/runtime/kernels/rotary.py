"""Rotary position embedding."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def rotary(x: Array, cos: Array, sin: Array, mode: int, out: Array, precision: Precision) -> None:
    """``p * cos + r * sin``, where r is p with each pair (u, v) turned to (-v, u).

    - Shapes: x (a, b, c, d), and cos and sin broadcast to it. Pairs on the last axis are its halves (mode 0),
      neighbours (1), or the halves of each half (2). p is x, or in mode 3 its elements of even index before the others,
      and the halves are pairs.
    - Precision: all are rounded to the role ``operand``; everything runs in ``accumulate``, and the result is rounded
      to ``result``, then to the output.
    - Extra memory: four times x in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    values, cosines, sines = (arithmetic.read(array) for array in (x, cos, sin))
    if mode == 3:
        values = np.concatenate((values[..., ::2], values[..., 1::2]), -1)
    groups = {1: x.shape[-1] // 2, 2: 2}.get(mode, 1)
    first, second = np.moveaxis(values.reshape(*x.shape[:-1], groups, 2, -1), -2, 0)
    turned = np.stack((-second, first), -2).reshape(x.shape)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        arithmetic.write(out, values * cosines + turned * sines)


def apply_rotary(query: Array, key: Array, cos: Array, sin: Array, layout: int, precision: Precision) -> None:
    """Turn query and key in place, as `rotary` does with the halves of the last axis as pairs.

    - Shapes: query (b, s, n, d), key (b, s, m, d), and cos and sin (b, s, 1, d).
    - Precision and memory: those of `rotary`.
    - Source: the formula of the operator's spec.
    """
    del layout
    for array in (query, key):
        rotary(array, cos, sin, 0, array, precision)
