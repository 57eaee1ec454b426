"""Softmax and normalization of rows, with gradients, and products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.torch_kernels.tensors import Numbers, by_tensors, write

aten: Any = torch.ops.aten


def along(function: Callable[[Any, int], Any]) -> Callable[..., bool]:
    """The kernel that writes a function of an array and one of its axes."""

    def kernel(x: Array, dim: int, out: Array, precision: Precision) -> bool:
        numbers = Numbers(precision)
        numbers.write(out, function(numbers.read(x), dim))
        return True

    return by_tensors(kernel)


def gradient_along(function: Callable[..., Any]) -> Callable[..., bool]:
    """The kernel of the gradient of such a function, which takes the function's result too."""

    def kernel(grad_output: Array, y: Array, dim: int, out: Array, precision: Precision) -> bool:
        numbers = Numbers(precision)
        gradient, result = numbers.read(grad_output), numbers.read(y)
        numbers.write(out, function(gradient, result, dim, gradient.dtype))
        return True

    return by_tensors(kernel)


@by_tensors
def layer_norm(
    x: Array,
    normalized_shape: Sequence[int],
    weight: Array | None,
    bias: Array | None,
    eps: float,
    out: Array,
    mean_out: Array | None,
    rstd_out: Array | None,
    precision: Precision,
) -> bool:
    """As `aclspec.runtime.kernels.layer_norm.layer_norm`, for rows with a finite mean."""
    numbers = Numbers(precision)
    factors = [None if one is None else numbers.read(one).reshape(normalized_shape) for one in (weight, bias)]
    made = aten.native_layer_norm(numbers.read(x), list(normalized_shape), *factors, eps)
    if not made[1].isfinite().all():
        return False
    for target, values in zip((out, mean_out, rstd_out), made, strict=True):
        if target is not None:
            write(target, values.reshape(target.shape))
    return True


@by_tensors
def rms_norm(x: Array, gamma: Array, epsilon: float, y_out: Array, rstd_out: Array, precision: Precision) -> bool:
    """As `aclspec.runtime.kernels.rms_norm.rms_norm`."""
    numbers = Numbers(precision)
    values = numbers.read(x)
    axes = list(range(x.ndim - gamma.ndim, x.ndim))
    rstd = torch.rsqrt(values.square().mean(axes, keepdim=True) + epsilon)
    write(y_out, values * rstd * numbers.read(gamma))
    write(rstd_out, rstd.reshape(rstd_out.shape))
    return True


@by_tensors
def matmul(left: Array, right: Array, out: Array, cube_math_type: int, precision: Precision) -> bool:
    """As `aclspec.runtime.kernels.matmul.matmul`."""
    del cube_math_type
    numbers = Numbers(precision)
    numbers.write(out, torch.matmul(numbers.read(left), numbers.read(right)))
    return True
