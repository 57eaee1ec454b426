"""Steps of optimizers, which update parameters in place."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array, blocks
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def apply_adam_w_v2(
    parameters: Array,
    mean: Array,
    square: Array,
    largest: Array | None,
    gradient: Array,
    step: Array,
    rate: float,
    beta1: float,
    beta2: float,
    decay: float,
    epsilon: float,
    amsgrad: bool,
    maximize: bool,
    precision: Precision,
) -> None:
    """One step of AdamW; both means are corrected for having begun at zero; step counts from 0.

    - Shapes: all alike, of any rank; step has one element. Only where amsgrad is true, largest is read and written.
    - Precision: everything is rounded to the role ``operand`` and runs in ``accumulate``, the powers of beta1 and beta2
      in float64; each tensor is rounded once, as it is written.
    - Extra memory: some buffers of a block (`blocks.BLOCK` elements).
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    number = step.reshape(-1)[0].astype(np.float64) + 1
    with np.errstate(all="ignore"):  # infinities and NaN are answers here, not accidents
        corrections = 1 - np.float64(beta1) ** number, 1 - np.float64(beta2) ** number
        for at in blocks(parameters.shape):
            slope = arithmetic.read(gradient[at])
            slope = -slope if maximize else slope
            mean_now = _averaged(arithmetic.read(mean[at]), slope, beta1, arithmetic)
            square_now = _averaged(arithmetic.read(square[at]), slope * slope, beta2, arithmetic)
            bound = square_now
            if amsgrad and largest is not None:
                bound = np.maximum(arithmetic.read(largest[at]), square_now)
                arithmetic.write(largest[at], bound)
            updated = _updated(arithmetic.read(parameters[at]), mean_now, bound, corrections, (rate, decay, epsilon))
            arithmetic.write(mean[at], mean_now)
            arithmetic.write(square[at], square_now)
            arithmetic.write(parameters[at], updated)


def _averaged(old: Array, new: Array, kept: float, arithmetic: Arithmetic) -> Array:
    """The running mean that keeps so much of the old values."""
    number = arithmetic.accumulate.type
    return np.asarray(number(kept) * old + number(1 - kept) * new)


def _updated(
    parameters: Array,
    mean: Array,
    square: Array,
    corrections: tuple[float, float],
    settings: tuple[float, float, float],
) -> Array:
    """The parameters after decay and a step against the mean over the root of the mean of squares."""
    rate, decay, epsilon = settings
    number = parameters.dtype.type
    divisor = np.sqrt(square / number(corrections[1])) + number(epsilon)
    decayed = parameters * number(1 - rate * decay)
    return np.asarray(decayed - number(rate) * (mean / number(corrections[0])) / divisor)
