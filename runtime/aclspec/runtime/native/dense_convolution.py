"""Compiled kernels of `aclspec.runtime.kernels.convolution` for one to three axes and any number of channels.

Extra memory: the weight in float32, where it has not the order and the dtype of a sum already; for each thread a block
of the gathered source and of the sums, about 1 MB each while rows and taps are few; and for the gradient of the weight
that gradient in float32, about 1 KB for each channel of grad_output more. All instruction sets add in the same order;
those that multiply and add with one rounding give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.dtypes import DType
from aclspec.runtime.kernels import convolution as numpy
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.conv_lanes import Geometry, covers, geometry_of
from aclspec.runtime.kernels.conv_sums import fill
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native import dense
from aclspec.runtime.native.library import Library
from aclspec.runtime.native.plans import Run, common_dtype, computes_in_float, usable

Ints = Sequence[int]
_FLOAT = Arithmetic(DType.FLOAT, np.dtype(np.float32), None)


class Dense(NamedTuple):
    """What a call of a convolution and one of its gradients have in common."""

    c: Library
    dtype: DType
    geometry: Geometry
    kernel: tuple[int, ...]
    transposed: bool
    groups: int

    @classmethod
    def of(
        cls,
        x: Array,
        weight: Array,
        output: Array,
        written: Sequence[Array | None],
        attributes: tuple[Ints, Ints, Ints],
        transposed: bool,
        groups: int,
        precision: Precision,
    ) -> Dense | None:
        """The same for arrays that C takes, whose channels are all in groups."""
        dtype, c = common_dtype(x, weight, output, *written), usable(x, weight, output, *written)
        if dtype is None or c is None or not computes_in_float(precision, dtype):
            return None
        into, out_of = (x, output) if transposed else (output, x)
        channels = out_of.shape[1], into.shape[1]
        if channels != (weight.shape[1] * groups, weight.shape[0]) or weight.shape[0] % groups:
            return None
        if not 3 <= x.ndim <= 5 or x.shape[0] != output.shape[0]:
            return None
        return cls(c, dtype, geometry_of(x.ndim - 2, *attributes), weight.shape[2:], transposed, groups)

    def contraction(
        self, source: Array, weight: Array, target: Array, swapped: bool, forward: bool
    ) -> Contraction | None:
        """The sum that gives a target, from a source and the weight, with its rows and channels ``swapped`` or not."""
        cells = target.shape[2:]
        phases = self.geometry.forward(cells, self.kernel) if forward else self.geometry.adjoint(cells, self.kernel)
        sums = dense.sums(self.c, int(self.dtype), phases, self.groups, source, target)
        if sums is None:
            return None
        of = self.c, int(self.dtype)
        factors = [dense.Factor(*of, phase, self.groups, weight, swapped) for phase in phases]
        pads = dense.pads(phases, source.shape[2:])
        return Contraction(self, list(zip(factors, sums, strict=True)), pads, covers(phases, cells))


class Contraction(NamedTuple):
    """A forward sum, or its adjoint."""

    of: Dense
    phases: list[tuple[dense.Factor, dense.Sum]]
    pads: bool
    covers: bool

    def __call__(self, source: Array, weight: Array, bias: Array | None, target: Array) -> bool:
        """Whether it can be computed; if not, since the weight is not finite, nothing is written."""
        c, groups = self.of.c, self.of.groups
        if self.pads and not dense.is_finite(c, int(self.of.dtype), weight):
            return False
        if not self.covers:
            whole = target.reshape(target.shape[0], groups, -1, *target.shape[2:])
            fill(whole, None if bias is None else bias.reshape(groups, -1), _FLOAT)
        for factor, of in self.phases:
            dense.contract(c, of, source, factor(weight), bias, target)
        return True


def backward(*values: Any) -> Run | None:
    """`convolution_backward`, within the bound of its NumPy kernel."""
    grad_output, x, weight, _, *attributes, transposed, _, groups, output_mask, _, _, _, _, precision = values
    grads = [grad if wanted else None for grad, wanted in zip(values[12:14], output_mask, strict=False)]
    of = Dense.of(x, weight, grad_output, grads, tuple(attributes), transposed, groups, precision)
    if of is None:
        return None
    contraction = of.contraction(grad_output, weight, x, not transposed, transposed)
    near, far = (x, grad_output) if transposed else (grad_output, x)
    phases = of.geometry.forward(near.shape[2:], of.kernel)
    sums, pads = dense.sums(of.c, int(of.dtype), phases, groups, far, near), dense.pads(phases, far.shape[2:])
    if contraction is None or sums is None:
        return None
    wants = [grad is not None for grad in grads]

    def run(values: Sequence[Any]) -> None:
        grad_output, x, weight = values[:3]
        with np.errstate(all="ignore"):
            if output_mask[2] and values[14] is not None:
                _FLOAT.write(values[14], dense.channel_sums(of.c, of.dtype, grad_output))
            near, far = (x, grad_output) if of.transposed else (grad_output, x)
            left = [
                wants[0] and not contraction(grad_output, weight, None, values[12]),
                wants[1] and pads and not dense.is_finite(of.c, int(of.dtype), near),
                False,
            ]
            if wants[1] and not left[1]:
                dense.correlate(of.c, sums[0], far, near, values[13])
        if not any(left):
            return
        rest = [*values[:10], left, *values[11:], precision]
        numpy.convolution_backward(*rest)

    return run


def forward(*values: Any) -> Run | None:
    """`convolution`, within the bound of its NumPy kernel."""
    x, weight, _, *attributes, transposed, _, groups, output, _, precision = values
    of = Dense.of(x, weight, output, (), tuple(attributes), transposed, groups, precision)
    contraction = None if of is None else of.contraction(x, weight, output, transposed, not transposed)
    if contraction is None:
        return None
    arithmetic = Arithmetic.of(precision)

    def run(values: Sequence[Any]) -> None:
        x, weight, bias = values[:3]
        with np.errstate(all="ignore"):
            shift = None if bias is None else numpy.bias_of(bias, precision, arithmetic)
            done = contraction(x, weight, shift, values[9])
        if not done:
            rest = [*values, precision]
            numpy.convolution(*rest)

    return run
