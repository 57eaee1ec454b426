"""Sequences of numbers at equal distances."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def arange(start: float, end: float, step: float, out: Array, precision: Precision) -> None:
    """Write ``start + i * step`` at each index i, in row-major order.

    - Shapes: out has this number of elements, in any shape.
    - Precision: start and step are rounded to the role ``operand``; floating-point numbers are computed in float64,
      integers in int64, and rounded to the output once.
    - Source: the formula of the operator's spec.
    """
    del end
    first, by = _operands(precision, start, step)
    with np.errstate(all="ignore"):
        round_into(out, (first + np.arange(out.size) * by).reshape(out.shape))


def linspace(start: float, end: float, steps: int, out: Array, precision: Precision) -> None:
    """Write numbers at equal distances from start to end, in row-major order; start where there is only one.

    - Shapes: out has this number of elements, in any shape.
    - Precision: start and end are rounded to the role ``operand``; everything runs in float64, and is rounded to the
      output once. Integers lose the fraction.
    - Source: the formula of the operator's spec.
    """
    first, last = _operands(precision, start, end)
    with np.errstate(all="ignore"):
        numbers = first + np.arange(steps) * (last - first) / max(1, steps - 1)
        round_into(out, numbers.reshape(out.shape))


def logspace(start: float, end: float, steps: int, base: float, out: Array, precision: Precision) -> None:
    """Write powers of a base whose exponents lie at equal distances from start to end; start where there is only one.

    - Precision: start and end are rounded to the role ``operand``, and base to ``accumulate``; everything runs in
      float64, and is rounded to the output once.
    """
    first, last = _operands(precision, start, end)
    (power,) = _operands({"operand": precision["accumulate"]}, base)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        round_into(out, power ** (first + np.arange(steps) * (last - first) / max(1, steps - 1)))


def _operands(precision: Precision, *numbers: float) -> list[Array]:
    """Numbers that are rounded to the role ``operand``, in float64 or int64."""
    operand = precision["operand"]
    assert not isinstance(operand, str)
    wide = np.float64 if operand.is_floating else np.int64
    return [round_to(np.asarray(number), operand).astype(wide) for number in numbers]
