"""Outputs beside what they should be: how far each element is off, how far it may be, and which one is furthest off."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.testing.magnitude import Array, WithMagnitude

_UNSIGNED = (DType.BOOL, DType.UINT8, DType.UINT16, DType.UINT32, DType.UINT64)


class Wanted(NamedTuple):
    """What an output should be: the error is this many times the size of its terms, and a rounding to each dtype."""

    exact: WithMagnitude
    relative: float
    through: tuple[DType, ...]

    def shaped(self, found: Array) -> Wanted | None:
        """The same in the shape of an output of as many elements, which the library takes; None where it has others."""
        if found.size != self.exact.value.size:
            return None
        return self._replace(exact=self.exact.map(lambda array: array.reshape(found.shape)))


def relative(factor: float, terms: int, unit: DType) -> float:
    """How far an output may be off, as a part of the sum of its terms."""
    return (factor + sqrt(terms) / 8) * _unit(unit)


@dataclass(frozen=True, slots=True)
class Error:
    """The element of an output that is furthest off: by how many tolerances, and where."""

    output: str
    ratio: float
    at: tuple[int, ...]
    found: float
    expected: float


def off(error: Error) -> str:
    """What is wrong with the element that is furthest off."""
    place = f"{error.output}{list(error.at)}"
    return f"{place} is {error.found:.9g}; it must be {error.expected:.9g}, and is off by {error.ratio:.3g} tolerances."


class Judged(NamedTuple):
    """An output beside its reference: how far each element is, how far it may be, and which are compared at all."""

    wide: Array
    exact: Array
    error: Array
    bound: Array
    known: Array

    @property
    def wrong(self) -> Array:
        """The elements that are too far away."""
        return self.known & ~(self.error <= self.bound)

    def furthest(self, name: str) -> Error:
        """The element that is furthest off; one is wrong where its ratio is above one."""
        if not self.error.size:
            return Error(name, 0.0, (), 0.0, 0.0)
        with np.errstate(all="ignore"):
            ratio = np.where(self.error == 0, 0.0, np.nan_to_num(self.error / self.bound, nan=inf, posinf=inf))
        ratio = np.where(self.known, ratio, 0.0)
        at = tuple(int(one) for one in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
        return Error(name, float(ratio[at]), at, float(self.wide[at]), float(self.exact[at]))


def judge(found: Array, wanted: Wanted) -> Judged:
    """Measure an output of the shape of its reference against it."""
    exact, relative, through = wanted
    own = DType.of(found.dtype)
    wide = found.astype(np.float64)
    with np.errstate(all="ignore"):
        bound = relative * exact.size + tiny(through[0])
        for dtype in dict.fromkeys((*through[1:], own)):
            bound = bound + _unit(dtype) * (np.abs(exact.value) + bound) + tiny(dtype)
        limit = min(_largest(dtype) for dtype in (*through, own)) / 2
        known = np.isfinite(exact.value) & (np.abs(exact.value) + bound < limit) & (exact.size < limit)
        known &= exact.value >= max(_least(dtype) for dtype in (*through, own))
        return Judged(wide, exact.value, np.abs(wide - exact.value), bound, known)


def rounded(wide: Array, dtype: DType) -> Array:
    """The values of an array rounded to a dtype, in float64: by arithmetic where NumPy has no such dtype."""
    with np.errstate(all="ignore"):
        if dtype is not DType.HFLOAT32:
            assert dtype.numpy is not None
            return wide.astype(dtype.numpy).astype(np.float64)
        fraction, exponent = np.frexp(wide)
        result: Array = np.ldexp(np.rint(fraction * 2**12), exponent - 12)
        return result


def _unit(dtype: DType) -> float:
    return unit_roundoff(dtype) if dtype.is_floating else 0.0


def number_info(dtype: DType) -> Any:
    """The largest and the least number of a dtype, as `finfo` and `iinfo` have them."""
    stands_for = {DType.HFLOAT32: DType.FLOAT, DType.BOOL: DType.UINT8}
    kind = stands_for.get(dtype, dtype).numpy
    return ml_dtypes.finfo(kind) if dtype.is_floating else ml_dtypes.iinfo(kind)  # type: ignore[no-untyped-call]


def _largest(dtype: DType) -> float:
    """The largest number of a dtype; of integers at most twice the last one up to which float64 has all of them."""
    largest = float(number_info(dtype).max)
    return largest if dtype.is_floating else min(largest, 2.0**54)


def _least(dtype: DType) -> float:
    """Zero for a dtype without negative numbers."""
    return 0.0 if dtype in _UNSIGNED else -np.inf


def tiny(dtype: DType) -> float:
    """The smallest number above zero; a rounding that underflows may err by half of it."""
    return float(number_info(dtype).smallest_subnormal) if dtype.is_floating else 0.0
