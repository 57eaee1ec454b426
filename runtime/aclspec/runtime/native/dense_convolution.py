"""Compiled kernels of `aclspec.runtime.kernels.convolution` for one to three axes and any number of channels.

Extra memory: the weight in float32, where it has not the order and the dtype of a sum already; for each thread a
block of the gathered source and of the sums, about 1 MB each while rows and taps are few; and for the gradient of the
weight that gradient in float32, about 1 KB for each channel of grad_output more. Tiles of AMX take the weight in
bfloat16, and lay out a box of the source, in at most 8 MB for each thread, beside sums of at least 32 rows of the
gradient of the weight. All instruction sets but these tiles add in the same order, and those that multiply and add
with one rounding give the same bits. Tiles sum bfloat16 in an order of their own, which is the same for any number of
threads: within 12 units of float32, relative to the sum of the terms' absolute values, like the others. They are used
where all operands are finite and no sum of products can be a subnormal number, which they would lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels import convolution as numpy
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.conv_lanes import Geometry, covers, geometry_of, pads
from aclspec.runtime.kernels.conv_sums import fill
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.native import dense
from aclspec.runtime.native.arguments import common_dtype, computes_in_float, usable
from aclspec.runtime.native.dense import merged
from aclspec.runtime.native.library import Library

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
        of, padded = (self.c, int(self.dtype)), pads(phases, source.shape[2:])
        factors = [dense.Factor(*of, phase, self.groups, weight, swapped) for phase in phases]
        pairs = list(zip(factors, sums, strict=True))
        whole = merged(phases, target.shape[1] // self.groups)
        one = None if whole is None else dense.sums(*of, [whole], self.groups, source, target)
        if whole is None or one is None:
            return Contraction(self, pairs, [], padded, covers(phases, cells))
        factor = dense.Factor(*of, whole, self.groups, weight, swapped)
        return Contraction(self, pairs, [(factor, one[0])], padded, covers(phases, cells))

    def exponent(self, array: Array) -> int:
        """What says whether tiles can have the array as a factor: -1 where they cannot."""
        return dense.exponent(self.c, array) if self.dtype is DType.BF16 else -1


class Contraction(NamedTuple):
    """A forward sum, or its adjoint."""

    of: Dense
    phases: list[tuple[dense.Factor, dense.Sum]]
    merged: list[tuple[dense.Factor, dense.Sum]]
    """One for all phases, for a finite source."""
    pads: bool
    covers: bool

    def __call__(self, source: Array, weight: Array, bias: Array | None, target: Array, tiles: bool) -> bool:
        """Whether it could be computed, by ``tiles`` where they pay; not so where the weight is not finite."""
        c, groups = self.of.c, self.of.groups
        if not self.covers:
            whole = target.reshape(target.shape[0], groups, -1, *target.shape[2:])
            fill(whole, None if bias is None else bias.reshape(groups, -1), _FLOAT)
        together = bool(self.merged) and (tiles or dense.is_finite(c, int(self.of.dtype), source))
        left = [
            (factor, of)
            for factor, of in (self.merged if together else self.phases)
            if not (tiles and dense.contract_tiles(c, of, factor, source, weight, bias, target))
        ]
        if left and self.pads and not dense.is_finite(c, int(self.of.dtype), weight):
            return False
        for factor, of in left:
            dense.contract(c, of, source, factor(weight), bias, target)
        return True


def backward(*values: Any) -> bool:
    """`convolution_backward`, within the bound of its NumPy kernel."""
    grad_output, x, weight, _, *attributes, transposed, _, groups, output_mask, _, _, _, _, precision = values
    grads = [grad if wanted else None for grad, wanted in zip(values[12:14], output_mask, strict=False)]
    of = Dense.of(x, weight, grad_output, grads, tuple(attributes), transposed, groups, precision)
    if of is None:
        return False
    contraction = of.contraction(grad_output, weight, x, not transposed, transposed)
    near, far = (x, grad_output) if transposed else (grad_output, x)
    phases = of.geometry.forward(near.shape[2:], of.kernel)
    sums, padded = dense.sums(of.c, int(of.dtype), phases, groups, far, near), pads(phases, far.shape[2:])
    if contraction is None or sums is None:
        return False
    with np.errstate(all="ignore"):
        if output_mask[2] and values[14] is not None:
            _FLOAT.write(values[14], dense.channel_sums(of.c, of.dtype, grad_output))
        exponent = of.exponent(grad_output)
        left = [False] * 3
        if grads[0] is not None:
            tiles = dense.tiles_hold(exponent, of.exponent(weight))
            left[0] = not contraction(grad_output, weight, None, values[12], tiles)
        if grads[1] is not None:
            tiles = dense.tiles_hold(exponent, of.exponent(x))
            if not (tiles and dense.correlate_tiles(of.c, sums[0], far, near, values[13])):
                left[1] = padded and not dense.is_finite(of.c, int(of.dtype), near)
                if not left[1]:
                    dense.correlate(of.c, sums[0], far, near, values[13])
    if any(left):
        rest = [*values[:10], left, *values[11:]]
        numpy.convolution_backward(*rest)
    return True


def forward(*values: Any) -> bool:
    """`convolution`, within the bound of its NumPy kernel."""
    x, weight, bias, *attributes, transposed, _, groups, output, _, precision = values
    of = Dense.of(x, weight, output, (), tuple(attributes), transposed, groups, precision)
    contraction = None if of is None else of.contraction(x, weight, output, transposed, not transposed)
    if of is None or contraction is None:
        return False
    with np.errstate(all="ignore"):
        shift = None if bias is None else numpy.bias_of(bias, precision, Arithmetic.of(precision))
        tiles = dense.tiles_hold(of.exponent(x), of.exponent(weight))
        done = contraction(x, weight, shift, output, tiles)
    if not done:
        numpy.convolution(*values)
    return True
