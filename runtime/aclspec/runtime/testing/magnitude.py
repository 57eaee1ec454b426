"""Arrays in float64 that know the size of the terms they are made of, and the functions of formulas on them.

A sum that cancels may be off by as much as its terms warrant. So each array carries, beside its values, the sum of the
absolute values of their terms; arithmetic keeps both, and functions scale it by how steep they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Like: TypeAlias = "WithMagnitude | Array | float"
_STEP = 1e-6
_UNSURE = 2.0**-21


class WithMagnitude:
    """An array, and for each element the sum of the absolute values of its terms."""

    __slots__ = ("size", "value")
    __array_ufunc__ = None
    """NumPy leaves arithmetic with one to this class."""
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Array, size: Array | None = None) -> None:
        """An array, of whose elements each is one term unless sizes are given."""
        self.value = value
        self.size = np.abs(value) if size is None else size

    @classmethod
    def of(cls, value: Like) -> WithMagnitude:
        """The array itself, or one of plain numbers."""
        return value if isinstance(value, WithMagnitude) else cls(np.asarray(value, np.float64))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.value.shape

    def map(self, function: Callable[[Array], Array]) -> WithMagnitude:
        """The same elements in other places."""
        return WithMagnitude(function(self.value), function(self.size))

    def __neg__(self) -> WithMagnitude:
        """The same terms with the other sign."""
        return WithMagnitude(-self.value, self.size)

    def __add__(self, other: Like) -> WithMagnitude:
        """The terms of both."""
        right = WithMagnitude.of(other)
        return WithMagnitude(self.value + right.value, self.size + right.size)

    def __sub__(self, other: Like) -> WithMagnitude:
        """The terms of both, those of the second with the other sign."""
        return self + -WithMagnitude.of(other)

    def __mul__(self, other: Like) -> WithMagnitude:
        """Each term of one times each of the other."""
        right = WithMagnitude.of(other)
        return WithMagnitude(self.value * right.value, self.size * right.size)

    def __truediv__(self, other: Like) -> WithMagnitude:
        """Each term over the divisor, which counts by how much of it cancels."""
        right = WithMagnitude.of(other)
        steep = right.size / np.abs(right.value)
        return WithMagnitude(self.value / right.value, self.size / np.abs(right.value) * steep)

    def __radd__(self, other: Like) -> WithMagnitude:
        """The terms of both."""
        return WithMagnitude.of(other) + self

    def __rsub__(self, other: Like) -> WithMagnitude:
        """The terms of both, those of this one with the other sign."""
        return WithMagnitude.of(other) - self

    def __rmul__(self, other: Like) -> WithMagnitude:
        """Each term of one times each of the other."""
        return WithMagnitude.of(other) * self

    def __rtruediv__(self, other: Like) -> WithMagnitude:
        """A number over this array."""
        return WithMagnitude.of(other) / self

    def __pow__(self, power: WithMagnitude | float) -> WithMagnitude:
        """A power of each element."""
        if isinstance(power, WithMagnitude):
            exponent, base = power.value, self.value
            one, other = smooth(lambda x: np.power(x, exponent))(self), smooth(lambda x: np.power(base, x))(power)
            return WithMagnitude(one.value, one.size + other.size)
        if isinstance(power, int) and power >= 0:
            return WithMagnitude(self.value**power, self.size**power)
        return smooth(lambda values: np.power(values, power))(self)

    def __rpow__(self, base: float) -> WithMagnitude:
        """A number to the power of each element."""
        return smooth(lambda values: np.power(base, values))(self)

    def __getitem__(self, place: Any) -> WithMagnitude:
        """A part."""
        return self.map(lambda array: array[place])

    def __eq__(self, other: Any) -> Any:
        """Compare the values."""
        return self.value == WithMagnitude.of(other).value

    def __ne__(self, other: Any) -> Any:
        """Compare the values."""
        return self.value != WithMagnitude.of(other).value

    def __lt__(self, other: Like) -> Any:
        """Compare the values."""
        return self.value < WithMagnitude.of(other).value

    def __le__(self, other: Like) -> Any:
        """Compare the values."""
        return self.value <= WithMagnitude.of(other).value

    def __gt__(self, other: Like) -> Any:
        """Compare the values."""
        return self.value > WithMagnitude.of(other).value

    def __ge__(self, other: Like) -> Any:
        """Compare the values."""
        return self.value >= WithMagnitude.of(other).value


def smooth(function: Callable[[Array], Array]) -> Callable[[Like], WithMagnitude]:
    """A function of each element; terms count by its slope, which a difference quotient gives."""

    def apply(x: Like) -> WithMagnitude:
        at = WithMagnitude.of(x)
        value, step = function(at.value), _STEP * np.maximum(np.abs(at.value), _STEP)
        slope = np.abs(function(at.value + step) - function(at.value - step)) / (2 * step)
        return WithMagnitude(value, np.abs(value) + np.where(np.isfinite(slope), slope, 0) * at.size)

    return apply


def whole(function: Callable[[Array], Array]) -> Callable[[Like], WithMagnitude]:
    """A rounding to integers; NaN where a rounding of the terms in FLOAT could lead to the next integer."""

    def apply(x: Like) -> WithMagnitude:
        at = WithMagnitude.of(x)
        value, away = function(at.value), np.abs(at.value - np.rint(at.value))
        value = np.where((away > 0) & (away < _UNSURE * at.size), np.nan, value)
        return WithMagnitude(value, np.maximum(at.size, np.abs(value)))

    return apply


def where(condition: Any, one: Like, other: Like) -> WithMagnitude:
    """The elements of one array where a condition holds, of another elsewhere."""
    left, right = WithMagnitude.of(one), WithMagnitude.of(other)
    return WithMagnitude(np.where(condition, left.value, right.value), np.where(condition, left.size, right.size))


def minimum(one: Like, other: Like) -> WithMagnitude:
    """The smaller elements."""
    return where(WithMagnitude.of(one) <= other, one, other)


def maximum(one: Like, other: Like) -> WithMagnitude:
    """The larger elements."""
    return where(WithMagnitude.of(one) >= other, one, other)


def total(x: Like, axes: Sequence[int] | None = None) -> WithMagnitude:
    """The sum over some axes, which the result does not have; over all of them if none are named."""
    over = None if axes is None else tuple(axes)
    return WithMagnitude.of(x).map(lambda array: np.asarray(array.sum(axis=over)))


def product(x: Like, axes: Sequence[int] | None = None) -> WithMagnitude:
    """The product over some axes, which the result does not have; over all of them if none are named."""
    over = None if axes is None else tuple(axes)
    return WithMagnitude.of(x).map(lambda array: np.asarray(array.prod(axis=over)))


def mean(x: Like, axes: Sequence[int] | None = None) -> WithMagnitude:
    """The mean over some axes."""
    at = WithMagnitude.of(x)
    sums = total(at, axes)
    return sums / max(1, at.value.size // max(1, sums.value.size))


def largest(x: Like, axes: Sequence[int] | None = None) -> WithMagnitude:
    """The largest elements along some axes."""
    return WithMagnitude.of(x).map(lambda array: np.asarray(array.max(axis=None if axes is None else tuple(axes))))


def smallest(x: Like, axes: Sequence[int] | None = None) -> WithMagnitude:
    """The smallest elements along some axes."""
    at, over = WithMagnitude.of(x), None if axes is None else tuple(axes)
    return WithMagnitude(np.asarray(at.value.min(axis=over)), np.asarray(at.size.max(axis=over)))


def ordered(x: Like, axis: int) -> WithMagnitude:
    """The elements sorted along an axis, the smallest first."""
    at = WithMagnitude.of(x)
    order = np.argsort(at.value, axis, kind="stable")
    return at.map(lambda array: np.take_along_axis(array, order, axis))


def matmul(one: Like, other: Like) -> WithMagnitude:
    """The product of matrices."""
    left, right = WithMagnitude.of(one), WithMagnitude.of(other)
    return WithMagnitude(left.value @ right.value, left.size @ right.size)


def pad(x: Like, begin: Sequence[int], end: Sequence[int]) -> WithMagnitude:
    """The array with these numbers of zeros before and behind its last axes."""
    at = WithMagnitude.of(x)
    widths = [(0, 0)] * (at.value.ndim - len(begin)) + list(zip(begin, end, strict=True))
    return at.map(lambda array: np.pad(array, widths)) if widths else at


def crop(x: Like, begin: Sequence[int], end: Sequence[int]) -> WithMagnitude:
    """The array without these numbers of elements before and behind on its last axes."""
    at = WithMagnitude.of(x)
    sizes = at.shape[at.value.ndim - len(begin) :]
    cut = tuple(slice(low, size - high) for low, high, size in zip(begin, end, sizes, strict=True))
    return at[(..., *cut)]


def _reshape(x: Like, shape: Sequence[int]) -> WithMagnitude:
    return WithMagnitude.of(x).map(lambda array: array.reshape(shape))


def _transpose(x: Like, axes: Sequence[int]) -> WithMagnitude:
    return WithMagnitude.of(x).map(lambda array: array.transpose(axes))


def _broadcast(x: Like, shape: Sequence[int]) -> WithMagnitude:
    return WithMagnitude.of(x).map(lambda array: np.broadcast_to(array, shape))


def along(x: Any, axis: int, rank: int) -> Any:
    """The elements along one axis, to broadcast against the others; one element broadcasts against all."""
    shape, count = [1] * rank, math.prod(x.shape)
    if count != 1:
        shape[axis] = count
    return _reshape(x, shape) if isinstance(x, WithMagnitude) else x.reshape(shape)


SHAPES: dict[str, Callable[..., Any]] = {
    "shape": lambda x: list(x.shape),
    "rank": lambda x: len(x.shape),
    "dim": lambda x, axis: int(x.shape[axis]),
    "numel": lambda x: math.prod(x.shape),
    "len": len,
    "range": lambda start, stop: list(range(start, stop)),
    "slice": lambda x, start, stop, step=None: x[start:stop:step],
    "is_null": lambda value: value is None,
}
"""The functions that ask for sizes, which every kind of reference has."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **SHAPES,
    "abs": lambda x: WithMagnitude(np.abs(WithMagnitude.of(x).value), WithMagnitude.of(x).size),
    "along": along,
    "broadcast_to": _broadcast,
    "cos": smooth(np.cos),
    "crop": crop,
    "erf": smooth(np.vectorize(math.erf, otypes=[np.float64])),
    "exp": smooth(np.exp),
    "floor": whole(np.floor),
    "log": smooth(np.log),
    "matmul": matmul,
    "max": largest,
    "maximum": maximum,
    "mean": mean,
    "min": smallest,
    "minimum": minimum,
    "pad": pad,
    "prod": product,
    "reshape": _reshape,
    "sin": smooth(np.sin),
    "sort": ordered,
    "sqrt": smooth(np.sqrt),
    "sum": total,
    "tanh": smooth(np.tanh),
    "transpose": _transpose,
    "trunc": whole(np.trunc),
    "where": where,
    "zeros": lambda shape: WithMagnitude(np.zeros(shape)),
}
"""The functions of formulas, over NumPy."""

TORCH_NAMES = ("along", "broadcast_to", "crop", "pad", "reshape", "transpose", "zeros")
"""Those that arrange the arguments and the result of a function of PyTorch."""
