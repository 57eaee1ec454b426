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
    with np.errstate(all="ignore"):  # infinite angles are NaN here, not accidents
        wide, turn = radius.astype(np.float64), angle.astype(np.float64)
        out.real, out.imag = wide * np.cos(turn), wide * np.sin(turn)


def angle(x: Array, out: Array, precision: Precision) -> None:
    """Write the angle of each number: of a real one 0 or pi, of NaN NaN; in float64, rounded once."""
    del precision
    if np.iscomplexobj(x):
        turns = np.angle(x.astype(np.complex128))
    else:
        values = x.astype(np.float64)
        turns = np.where(np.isnan(values), values, np.where(values < 0, np.pi, 0.0))
    round_into(out, turns)
