"""Convolution over one, two or three axes, plain or transposed, in groups, and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.conv_lanes import geometry_of
from aclspec.runtime.kernels.convolution import bias_of
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.torch_kernels.tensors import Numbers, as_tensor, by_tensors, write

Ints = Sequence[int]
aten: Any = torch.ops.aten


@by_tensors
def convolution(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    output_padding: Ints,
    groups: int,
    output: Array,
    cube_math_type: int,
    precision: Precision,
) -> bool:
    """As `aclspec.runtime.kernels.convolution.convolution`."""
    del output_padding, cube_math_type
    options = _options(x, weight, output, (stride, padding, dilation), transposed, groups)
    if options is None:
        return False
    numbers = Numbers(precision)
    factor = numbers.read(weight)
    if not _is_finite(factor):
        return False
    shift = None if bias is None else as_tensor(bias_of(bias, precision, Arithmetic.of(precision)))
    numbers.write(output, aten.convolution(numbers.read(x), factor, shift, *options))
    return True


@by_tensors
def convolution_backward(
    grad_output: Array,
    x: Array,
    weight: Array,
    bias_sizes: Ints | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    output_padding: Ints,
    groups: int,
    output_mask: Sequence[bool],
    cube_math_type: int,
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> bool:
    """As `aclspec.runtime.kernels.convolution.convolution_backward`."""
    del bias_sizes, output_padding, cube_math_type
    options = _options(x, weight, grad_output, (stride, padding, dilation), transposed, groups)
    if options is None:
        return False
    numbers = Numbers(precision)
    gradient, values, factor = map(numbers.read, (grad_output, x, weight))
    if not (_is_finite(gradient) and _is_finite(factor) and _is_finite(values)):
        return False
    input_wanted, weight_wanted, bias_wanted = output_mask
    targets = (grad_input if input_wanted else None, grad_weight if weight_wanted else None)
    mask = [target is not None for target in targets]
    made = aten.convolution_backward(gradient, values, factor, None, *options, [*mask, False])
    if targets[0] is not None:
        numbers.write(targets[0], made[0])
    if targets[1] is not None:
        write(targets[1], made[1])
    if bias_wanted and grad_bias is not None:
        sums = as_tensor(grad_output).contiguous().sum([0, *range(2, x.ndim)], dtype=torch.float64)
        write(grad_bias, sums.float())
    return True


class Options(NamedTuple):
    """The attributes as PyTorch takes them."""

    stride: list[int]
    padding: list[int]
    dilation: list[int]
    transposed: bool
    output_padding: list[int]
    groups: int


def _options(
    x: Array, weight: Array, output: Array, attributes: tuple[Ints, Ints, Ints], transposed: bool, groups: int
) -> Options | None:
    """None for a convolution whose shapes are none of PyTorch's."""
    axes = x.ndim - 2
    stride, padding, dilation = map(list, geometry_of(axes, *attributes))
    wide, narrow = (output, x) if transposed else (x, output)
    if (wide.shape[1], narrow.shape[1]) != (weight.shape[1] * groups, weight.shape[0]) or weight.shape[0] % groups:
        return None
    rest = []
    for at in range(axes):
        reach = dilation[at] * (weight.shape[at + 2] - 1) + 1 - 2 * padding[at]
        rest.append(wide.shape[at + 2] - reach - (narrow.shape[at + 2] - 1) * stride[at])
    if min(padding) < 0 or not all(0 <= left < step for left, step in zip(rest, stride, strict=True)):
        return None
    return Options(stride, padding, dilation, transposed, rest if transposed else [0] * axes, groups)


def _is_finite(values: Any) -> bool:
    """Whether no product with the zeros of the padding is a NaN."""
    return bool(torch.isfinite(values).all())
