"""One element after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.rounding import round_into

Array = NDArray[Any]
Precision = Mapping[str, Any]
_erf = np.vectorize(math.erf, otypes=[np.float64])


def _as(array: Array, dtype: DType) -> Array:
    """The array in a dtype; what has no value there, such as NaN as an integer, is arbitrary."""
    with np.errstate(all="ignore"):
        return array.astype(dtype.numpy)


def add(x: Array, other: Array, alpha: complex, out: Array, precision: Precision) -> None:
    """``x + alpha * other`` in the common dtype; of bools, the logical or."""
    left, right = (_as(_as(value, precision["operand"]), precision["accumulate"]) for value in (x, other))
    with np.errstate(all="ignore"):
        if left.dtype == np.bool_:
            total = left | (right & bool(alpha))
        else:
            total = left + right * np.asarray(alpha).astype(left.dtype)
        np.copyto(out, _as(total, precision["operand"]), casting="unsafe")


def adds(x: Array, other: float, alpha: float, out: Array, precision: Precision) -> None:
    """``x + alpha * other``, rounded to the dtype of out."""
    with np.errstate(all="ignore"):
        round_into(out, np.asarray(x.astype(np.float64) + np.float64(alpha) * np.float64(other)))


def bias_add(x: Array, bias: Array | None, out: Array, precision: Precision) -> None:
    """``x + bias``, bias along the last axis."""
    with np.errstate(all="ignore"):
        round_into(out, x.astype(np.float64) + (0 if bias is None else bias.astype(np.float64)))


def inplace_add(self_ref: Array, other: Array, alpha: complex, precision: Precision) -> None:
    """`add` over its first operand."""
    add(self_ref, other, alpha, self_ref, precision)


def logit(x: Array, eps: float, out: Array, precision: Precision) -> None:
    """The logarithm of ``z / (1 - z)``."""
    values = _as(x, precision["accumulate"])
    one = values.dtype.type(1)
    with np.errstate(all="ignore"):
        if eps >= 0:
            values = np.clip(values, values.dtype.type(eps), one - values.dtype.type(eps))
        np.copyto(out, np.log(values / (one - values)), casting="unsafe")


def nan_to_num(x: Array, nan: float, posinf: float, neginf: float, out: Array, precision: Precision) -> None:
    """Each value that is no finite number replaced."""
    if x.dtype.kind in "biu":
        np.copyto(out, x)
        return
    with np.errstate(all="ignore"):
        values = x.astype(np.float64)
        kinds = [np.isnan(values), values == np.inf, values == -np.inf]
        values = np.select(kinds, [nan, posinf, neginf], values)
    round_into(out, values)


def div_mod(x: Array, other: Array, mode: int, out: Array, precision: Precision) -> None:
    """The quotient; with mode 1 towards zero, with mode 2 down."""
    left, right = (_as(value, precision["operand"]).astype(np.float64) for value in (x, other))
    with np.errstate(all="ignore"):
        quotient = left / right
        quotient = quotient if mode == 0 else np.trunc(quotient) if mode == 1 else np.floor(quotient)
        round_into(out, quotient)


def cast(x: Array, dtype: DType, out: Array, precision: Precision) -> None:
    """The same values in another dtype."""
    with np.errstate(all="ignore"):
        np.copyto(out, x, casting="unsafe")


def gelu_backward(grad: Array, x: Array, approximate: str, grad_input: Array, precision: Precision) -> None:
    """The slope of GELU times the gradient."""
    with np.errstate(all="ignore"):
        slopes, values = (value.astype(np.float64) for value in (grad, x))
        if approximate == "tanh":
            scale, cubic = math.sqrt(2 / math.pi), 0.044715
            inner = np.tanh(scale * (values + cubic * values**3))
            slope = (1 + inner) / 2 + values / 2 * (1 - inner**2) * scale * (1 + 3 * cubic * values**2)
        else:
            slope = (1 + _erf(values / math.sqrt(2))) / 2 + values * np.exp(-(values**2) / 2) / math.sqrt(2 * math.pi)
        round_into(grad_input, slopes * slope)
