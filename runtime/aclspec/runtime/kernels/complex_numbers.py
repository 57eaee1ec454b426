"""Complex numbers: made of two parts or of polar coordinates, and their angles."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.tensors.rounding import round_into


def of_parts(real: Array, imaginary: Array, out: Array, precision: Precision) -> None:
    """Write two parts, which broadcast to the shape of out; neither is changed, so that infinities stay apart."""
    del precision
    out.real, out.imag = real, imaginary


def of_polar(radius: Array, angle: Array, out: Array, precision: Precision) -> None:
    """Write the numbers of absolute values and angles in radians, which broadcast to the shape of out.

    - Precision: both parts run in float64 and are rounded once.
    """
    del precision
    turn = angle.astype(np.float64)
    with np.errstate(all="ignore"):  # infinite angles are NaN here, not accidents
        out.real, out.imag = radius * np.cos(turn), radius * np.sin(turn)


def angle(x: Array, out: Array, precision: Precision) -> None:
    """Write the angle of each number: of a real one 0 or pi, of NaN NaN; in float64, rounded once."""
    del precision
    if np.iscomplexobj(x):
        turns = np.angle(x.astype(np.complex128))
    else:
        with np.errstate(invalid="ignore"):  # a comparison with NaN is an answer here, not an accident
            turns = np.where(np.isnan(x), np.nan, np.where(x < 0, np.pi, 0.0))
    round_into(out, turns)
