"""Kernels of toys, right ones and the wrong ones that a reference has to notice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Precision = Mapping[str, Any]


def softmax_backward(grad: Array, y: Array, axis: int, out: Array, precision: Precision) -> None:
    """The gradient of softmax along an axis."""
    with np.errstate(all="ignore"):
        wide = grad.astype(np.float32) * y.astype(np.float32)
        out[...] = (wide - y.astype(np.float32) * wide.sum(axis=axis, keepdims=True)).astype(out.dtype)


def softmax_backward_of_the_last(grad: Array, y: Array, axis: int, out: Array, precision: Precision) -> None:
    """The same, which forgets its axis."""
    softmax_backward(grad, y, -1, out, precision)


def squash(x: Array, out: Array, precision: Precision) -> None:
    """The hyperbolic tangent of what is positive."""
    out[...] = np.where(x > 0, np.tanh(x.astype(np.float32)), 0).astype(out.dtype)


def squash_backward(grad: Array, x: Array, out: Array, precision: Precision) -> None:
    """Its gradient."""
    slope = 1 / np.cosh(x.astype(np.float32)) ** 2
    out[...] = np.where(x > 0, grad * slope, 0).astype(out.dtype)


def squash_backward_of_a_square(grad: Array, x: Array, out: Array, precision: Precision) -> None:
    """The same, with a wrong power."""
    slope = 1 / np.cosh(x.astype(np.float32))
    out[...] = np.where(x > 0, grad * slope, 0).astype(out.dtype)


def squash_backward_to_half(grad: Array, x: Array, out: Array, precision: Precision) -> None:
    """The same, rounded to float16 on its way."""
    slope = (1 / np.cosh(x.astype(np.float32)) ** 2).astype(np.float16)
    out[...] = np.where(x > 0, grad * slope, 0).astype(out.dtype)


def squash_backward_on_top(grad: Array, x: Array, out: Array, precision: Precision) -> None:
    """The same, added to what its output holds times zero."""
    result = np.empty_like(out)
    squash_backward(grad, x, result, precision)
    with np.errstate(all="ignore"):
        out *= 0
        out += result


def scale_each(xs: tuple[Array, ...], factor: float, outs: tuple[Array, ...], precision: Precision) -> None:
    """Each tensor times a factor."""
    for x, out in zip(xs, outs, strict=True):
        out[...] = x * np.float32(factor)


def scale_the_first(xs: tuple[Array, ...], factor: float, outs: tuple[Array, ...], precision: Precision) -> None:
    """The same, which copies all but the first."""
    for at, (x, out) in enumerate(zip(xs, outs, strict=True)):
        out[...] = x * np.float32(1 if at else factor)


def product_sum(x: Array, y: Array, z: Array, out: Array, precision: Precision) -> None:
    """A product and a sum, in integers."""
    out[...] = x * y + z


def product_sum_off_by_one(x: Array, y: Array, z: Array, out: Array, precision: Precision) -> None:
    """The same, off by one where the product is large."""
    out[...] = x * y + z + (np.abs(x * y) > 2**40)


def blend(x: Array, y: Array, alpha: float, out: Array, precision: Precision) -> None:
    """A tensor and a multiple of another one."""
    out[...] = x + np.float32(alpha) * y
