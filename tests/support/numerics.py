"""What the tests of the numeric kernels share: precision tables, layouts, bounds, difference quotients."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.testing.amount import amount

Array = NDArray[Any]
SAMPLES = amount(100, 100, 1000)
_SMALLEST = {DType.FLOAT16: 2.0**-24, DType.BF16: 2.0**-133, DType.FLOAT: 2.0**-149}
EXACT: dict[str, DType | str] = {"operand": DType.DOUBLE, "accumulate": DType.DOUBLE}


class Table(NamedTuple):
    """A precision table, and the dtype of the tensors that it is for."""

    dtype: Any
    operand: DType
    result: DType | None = None

    @property
    def precision(self) -> dict[str, DType | str]:
        """The roles as a kernel takes them."""
        roles: dict[str, DType | str] = {"operand": self.operand, "accumulate": DType.FLOAT}
        if self.operand is DType.DOUBLE:
            return dict(EXACT)
        return roles if self.result is None else {**roles, "result": self.result}


TABLES = {
    "float32": Table(np.float32, DType.FLOAT),
    "float16": Table(np.float16, DType.FLOAT16),
    "bfloat16": Table(ml_dtypes.bfloat16, DType.BF16),
    "hfloat32": Table(np.float32, DType.HFLOAT32),
    "float32 through float16": Table(np.float32, DType.FLOAT16, DType.FLOAT16),
    "bfloat16 through float16": Table(ml_dtypes.bfloat16, DType.FLOAT16, DType.FLOAT16),
    "bfloat16 in float32": Table(ml_dtypes.bfloat16, DType.FLOAT),
    "exact": Table(np.float64, DType.DOUBLE),
}


def operands(array: Array, dtype: DType) -> Array:
    """The values of an array rounded to a dtype, in float64, by arithmetic instead of bits where NumPy has no type."""
    wide = array.astype(np.float64)
    if dtype is not DType.HFLOAT32:
        with np.errstate(over="ignore"):
            return wide.astype(dtype.numpy).astype(np.float64)
    fraction, exponent = np.frexp(wide)
    rounded: Array = np.ldexp(np.rint(fraction * 2**12), exponent - 12)
    return rounded


def assert_close(found: Array, exact: Array, magnitude: Array, terms: int, table: Table, factor: int = 2) -> None:
    """Check a result against the exact one.

    Its error is at most (factor + sqrt(terms) / 8) units of float32, or of float64, relative to the sum of the absolute
    values of its terms, plus one rounding to each of the dtypes that it goes through afterwards.
    """
    roundings = [DType.of(found.dtype), table.result or DType.FLOAT]
    unit = unit_roundoff(DType.DOUBLE if table.operand is DType.DOUBLE else DType.FLOAT)
    bound = (factor + sqrt(terms) / 8) * unit * magnitude
    for dtype in roundings:
        if unit_roundoff(dtype) > unit:
            bound = bound + unit_roundoff(dtype) * (np.abs(exact) + bound)
            bound = bound + _SMALLEST[dtype]
    error = np.abs(found.astype(np.float64) - exact)
    assert found.shape == exact.shape
    assert np.all(error <= bound + 1e-300), f"off by {np.max(error / (bound + 1e-300))} times the bound"


def laid_out(rng: np.random.Generator, array: Array) -> Array:
    """A copy in one of several layouts: contiguous, transposed, or every second element of a larger array."""
    kind = rng.integers(3)
    if kind == 0:
        return array.copy()
    axes = rng.permutation(array.ndim)
    shape = [array.shape[axis] for axis in axes]
    wide = np.full([size * kind + kind - 1 for size in shape], 77, array.dtype)
    at: Any = (..., *[slice(kind - 1, None, kind)] * array.ndim)
    view: Array = wide[at].transpose(np.argsort(axes))
    view[...] = array
    return view


class Guarded:
    """An output among elements that nobody may write, in a random layout."""

    def __init__(self, rng: np.random.Generator, shape: Sequence[int], dtype: Any) -> None:
        self._whole = np.full([2 * size + 3 for size in shape], 77, dtype)
        inside: Any = (..., *(slice(1, -2, 2) for _ in shape))
        if rng.integers(2):
            inside = (..., *(slice(2, size + 2) for size in shape))
        self._inside = inside
        self.array: Array = self._whole[inside]

    def result(self) -> Array:
        """What was written; fails where something else was, too."""
        result = self.array.copy()
        self._whole[self._inside] = 77
        assert np.all(self._whole == self._whole.dtype.type(77)), "something beside the output was written"
        return result


def difference_quotient(loss: Callable[[Array], float], at: Array, direction: Array, step: float = 1e-3) -> float:
    """The central difference quotient of a loss along a direction."""
    return (loss(at + step * direction) - loss(at - step * direction)) / (2 * step)


def extra_memory(kernel: Callable[..., None], *args: object) -> int:
    """The most bytes that a call of a kernel had allocated at once; its outputs exist before it."""
    tracemalloc.start()
    try:
        kernel(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def frozen(args: Mapping[str, Array]) -> dict[str, bytes]:
    """The bytes of some arrays, to see later that nothing has changed."""
    return {name: array.tobytes() for name, array in args.items()}


def peer() -> Any:
    """PyTorch on one thread: more of them only get in the way of the other tests."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    return torch
