"""Convolution over one, two or three axes, plain or transposed, in groups, and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array, blocks, channels_first, sum_rows
from aclspec.runtime.kernels.conv_correlate import correlate
from aclspec.runtime.kernels.conv_lanes import Geometry, geometry_of
from aclspec.runtime.kernels.conv_sums import contract
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to


def convolution_backward(
    grad_output: Array,
    x: Array,
    weight: Array,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
    cube_math_type: int,
    grad_input: Array | None,
    grad_weight: Array | None,
    grad_bias: Array | None,
    precision: Precision,
) -> None:
    """The gradients of a convolution with respect to its input, its weight and its bias.

    With y the forward result, h a cell of y, p a kernel cell, and c, o channels of one group::

        plain:       y[n, o, h] = sum over c, p of  x[n, c, h * stride - padding + p * dilation] * weight[o, c, p]
        transposed:  y[n, o, h * stride - padding + p * dilation] += x[n, c, h] * weight[c, o, p]

    grad_input and grad_weight are the adjoints of these sums, and grad_bias[o] is the sum of grad_output over n and h.
    A cell outside its tensor takes no part, not even with an infinite or NaN factor.

    - Shapes: x (N, Ci, cells...), grad_output (N, Co, cells...), weight (Co, Ci / groups, kernel...), or transposed
      (Ci, Co / groups, kernel...). The kernel reads what it needs of the attributes: the begin of the padding, while
      its end and output_padding show in the sizes of the tensors. What groups leaves over of axis 0 of the weight, and
      its channels of x or grad_output, take part in nothing but grad_bias. A gradient is computed where output_mask is
      true and its array is there. bias_sizes and cube_math_type (which the roles have in them) are not read.
    - Precision: operands are rounded to the role ``operand``, sums run in ``accumulate``; grad_input alone is rounded
      to ``result``, where the table has that role. grad_bias is the float64 sum of grad_output as it is. Each output
      is rounded once more, to its dtype. Any strides; they do not matter. BLAS adds some hundred terms one after the
      other, so that a sum of n terms, all of one sign, can be off by 3 + 1.5 * sqrt(min(n, 512)) units of the dtype of
      the sums, relative to the sum of its terms' absolute values; with terms of both signs it stays near 3.
    - Extra memory: 5 blocks of 2 MB (of float32), and the weight twice in the dtype of the sums.
    - Source: the formulas of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    wide = replace(arithmetic, result=None)
    geometry = _in_planes(geometry_of(x.ndim - 2, stride, padding, dilation))
    x, grad_output, weight = map(_as_planes, (x, grad_output, weight))
    kernel = weight.shape[2:]
    grouped = _split(weight, 0, groups)
    # The tensor whose cells the sum runs over by steps of one, and the one that the taps reach into.
    near, far = (x, grad_output) if transposed else (grad_output, x)
    forward = geometry.forward(near.shape[2:], kernel)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        if output_mask[0] and grad_input is not None:
            phases = forward if transposed else geometry.adjoint(x.shape[2:], kernel)
            factor = grouped if transposed else grouped.swapaxes(1, 2)
            target = _target(_as_planes(grad_input), 1, groups)
            contract(_split(grad_output, 1, groups), factor, target, phases, None, arithmetic)
        if output_mask[1] and grad_weight is not None:
            target = _target(_as_planes(grad_weight), 0, groups)
            correlate(_split(far, 1, groups), _split(near, 1, groups), target, forward, wide)
        if output_mask[2] and grad_bias is not None:
            wide.write(grad_bias, channel_sums(grad_output))


def convolution(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """A convolution, by the formulas in `convolution_backward`, plus a bias for each output channel.

    - Shapes: x (N, Ci, cells...), weight (Co, Ci / groups, kernel...), or transposed (Ci, Co / groups, kernel...),
      bias (Co) or None, output (N, Co, cells...).
    - Precision: operands are rounded to the role ``operand``, the bias to ``bias`` where the table has that role; sums
      run in ``accumulate``; the result is rounded to ``result``, where the table has that role, and to the output.
    - Extra memory: 5 blocks of 2 MB (of float32), and the weight twice in the dtype of the sums.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    geometry = _in_planes(geometry_of(x.ndim - 2, stride, padding, dilation))
    x, weight, output = map(_as_planes, (x, weight, output))
    kernel, cells = weight.shape[2:], output.shape[2:]
    phases = geometry.adjoint(cells, kernel) if transposed else geometry.forward(cells, kernel)
    factor = _split(weight, 0, groups)
    with np.errstate(all="ignore"):
        shift = None if bias is None else bias_of(bias, precision, arithmetic).reshape(groups, -1)
        if transposed:
            factor = factor.swapaxes(1, 2)
        contract(_split(x, 1, groups), factor, _split(output, 1, groups), phases, shift, arithmetic)


def _as_planes(array: Array) -> Array:
    """A view in which one axis of cells has another behind it, of one cell."""
    return array[..., None] if array.ndim == 3 else array


def _in_planes(geometry: Geometry) -> Geometry:
    """The same convolution for arrays `_as_planes`."""
    stride, padding, dilation = geometry
    return Geometry((*stride, 1), (*padding, 0), (*dilation, 1)) if len(stride) == 1 else geometry


def _split(array: Array, axis: int, groups: int) -> Array:
    """A view with the groups of a channel axis as an axis of their own, before it, without the channels left over."""
    channels = array.shape[axis] // groups
    whole = array[(slice(None),) * axis + (slice(groups * channels),)]
    return whole.reshape(*array.shape[:axis], groups, channels, *array.shape[axis + 1 :])


def _target(array: Array, axis: int, groups: int) -> Array:
    """The same view of an output, which becomes zero, so that the channels left over are."""
    array[...] = 0
    return _split(array, axis, groups)


def bias_of(bias: Array, precision: Precision, arithmetic: Arithmetic) -> Array:
    """The bias in the dtype of the sums, rounded to the role ``bias`` where the table has it."""
    role = precision.get("bias")
    rounded = round_to(bias, role) if isinstance(role, DType) else bias
    return rounded.astype(arithmetic.accumulate)


def channel_sums(array: Array) -> Array:
    """The float64 sum over each channel, axis 1."""
    sums = np.zeros(array.shape[1])
    for at in blocks(array.shape):
        sums[at[1]] += sum_rows(np.ascontiguousarray(channels_first(array[at])))
    return sums
