"""Compiled partners of `contract` and `correlate` in `aclspec.runtime.kernels`, for sums in float32.

The factor of a sum has to be finite: an infinity or a NaN must not meet the zeros that stand for cells outside a
source.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.conv_lanes import Lane, Member, Phase
from aclspec.runtime.native.arguments import INT32_MAX, check, rows
from aclspec.runtime.native.library import Library, threads

ABSENT = -1
"""The tap of a cell that a member does not meet."""
MOST_MERGED_ROWS = 16
"""Of all members together: a tile of them."""


def merged(phases: Sequence[Phase], rows: int) -> Phase | None:
    """One phase for all, each with so many rows; None where that gathers no less, or cannot be."""
    if len(phases) < 2:
        return None
    lanes = [_merged(_different(axis)) for axis in zip(*(phase.lanes for phase in phases), strict=True)]
    there = [lane for lane in lanes if lane is not None]
    whole = Phase(tuple(there))
    if len(there) < len(lanes) or rows * len(whole.members) > MOST_MERGED_ROWS:
        return None
    return whole if whole.offsets * 2 <= sum(phase.offsets for phase in phases) else None


def _different(lanes: Sequence[Lane]) -> list[Lane]:
    return [lane for at, lane in enumerate(lanes) if lane not in lanes[:at]]


def _merged(lanes: Sequence[Lane]) -> Lane | None:
    """Each member keeps the order of its taps: offsets fall as these rise."""
    first = lanes[0]
    if any((lane.steps, lane.stride) != (first.steps, first.stride) for lane in lanes):
        return None
    offsets = tuple(sorted({offset for lane in lanes for offset in lane.offsets}, reverse=True))
    members = [
        Member(member.targets, tuple(taps.get(offset, ABSENT) for offset in offsets))
        for lane in lanes
        for member in lane.members
        for taps in [dict(zip(lane.offsets, member.taps, strict=True))]
    ]
    return Lane(first.steps, first.stride, offsets, tuple(members))


MOST_TAPS = 512
"""Of a kernel: those of a channel are gathered together, and added one after the other."""
MOST_ROWS = 1 << 16
"""Rows of a factor: so many sums are held at a time, by the columns of a strip."""
_WHOLE = Lane(1, 1, (0,), (Member(slice(0, 1, 1), (0,)),))


class Sum:
    """One phase of a convolution for arrays of given shapes, as C sees it."""

    def __init__(self, c: Library, dtype: int, phase: Phase, groups: int, source: Array, target: Array) -> None:
        """For arrays (samples, channels, cells...), the source first."""
        spare = 3 - len(phase.lanes)
        lanes = [_WHOLE] * spare + list(phase.lanes)
        cells, targets = ([1] * spare + list(one.shape[2:]) for one in (source, target))
        if all(map(_is_plain, lanes, cells)):  # every cell meets the same one: an axis is enough
            lanes = [_WHOLE, _WHOLE, Lane(prod(cells), 1, (0,), (Member(slice(0, prod(cells), 1), (0,)),))]
            cells = targets = [1, 1, prod(cells)]
        members = Phase(tuple(lanes)).members
        self._c = c
        self._offsets = [c.ffi.new("int64_t[]", lane.offsets) for lane in lanes]
        self._members = c.ffi.new("aclspec_member[]", len(members))
        for into, axes in zip(self._members, members, strict=True):
            into.start = [axis.targets.start for axis in axes]
            into.step = [axis.targets.step for axis in axes]
        self.address = c.ffi.new("aclspec_sum *")
        fields = {
            "dtype": dtype,
            "threads": threads(),
            "samples": source.shape[0],
            "groups": groups,
            "channels": source.shape[1] // groups,
            "rows": target.shape[1] // groups,
            "source": cells,
            "target": targets,
            "source_pitch": prod(source.shape[1:]),
            "target_pitch": prod(target.shape[1:]),
            "cells": [lane.steps for lane in lanes],
            "stride": [lane.stride for lane in lanes],
            "taps": [len(lane.offsets) for lane in lanes],
            "offsets": self._offsets,
            "members": len(members),
            "member": self._members,
        }
        for name, value in fields.items():
            setattr(self.address, name, value)


def sums(
    c: Library, dtype: int, phases: Sequence[Phase], groups: int, source: Array, target: Array
) -> list[Sum] | None:
    """A sum for each phase; None where numbers are too large for C."""
    for phase in phases:
        height = target.shape[1] // groups * len(phase.members)
        numbers = [number for lane in phase.lanes for number in (lane.stride, *lane.offsets)]
        if phase.offsets > MOST_TAPS or height > MOST_ROWS or max(map(abs, numbers)) > INT32_MAX:
            return None
    return [Sum(c, dtype, phase, groups, source, target) for phase in phases]


class Factor:
    """A weight in the order of the sums of a phase, as C makes it."""

    def __init__(self, c: Library, dtype: int, phase: Phase, groups: int, weight: Array, swapped: bool) -> None:
        """Of a weight (rows of all groups, channels, kernel...), or of one with ``swapped`` channels and rows."""
        outer, inner, kernel = weight.shape[0] // groups, weight.shape[1], weight.shape[2:]
        pitches = [prod(kernel), prod(weight.shape[1:])]
        cells = np.full([size + 1 for size in kernel], ABSENT, np.int32)  # the last of an axis is that of ABSENT
        cells[tuple(slice(size) for size in kernel)] = np.arange(prod(kernel)).reshape(kernel)
        taps = [cells[np.ix_(*(axis.taps for axis in member))] for member in phase.members]
        self._c, self._taps = c, c.ffi.new("int32_t[]", np.concatenate(taps, axis=None).tolist())
        rows, channels = (inner, outer) if swapped else (outer, inner)
        self._shape = groups, len(phase.members) * rows, channels, phase.offsets
        self._as_is = dtype == DType.FLOAT and not swapped and phase.offsets == prod(kernel) and len(phase.members) == 1
        row_pitch, channel_pitch = pitches if swapped else pitches[::-1]
        fields = dtype, threads(), groups, len(phase.members), rows, channels, phase.offsets
        pitch = outer * pitches[1], row_pitch, channel_pitch
        self.address = c.ffi.new("aclspec_factor *", (*fields, *pitch, self._taps))

    def __call__(self, weight: Array) -> Array:
        """The weight itself, where it has that order."""
        if self._as_is:
            return weight
        factor: Array = np.empty(self._shape, np.float32)
        address = self._c.ffi.from_buffer
        check(self._c.lib.aclspec_make_factor(self.address, address(weight), address("float[]", factor)))
        return factor


def contract(c: Library, of: Sum, source: Array, factor: Array, bias: Array | None, target: Array) -> None:
    """As its namesake, for one phase; ``factor`` is of float32, by group, member and row, channel and tap."""
    address = c.ffi.from_buffer
    shift = c.ffi.NULL if bias is None else address("float[]", bias)
    check(c.lib.aclspec_contract(of.address, address(source), address("float[]", factor), shift, address(target)))


def correlate(c: Library, of: Sum, source: Array, gradient: Array, target: Array) -> None:
    """As its namesake, for the forward phase."""
    address = c.ffi.from_buffer
    check(c.lib.aclspec_correlate(of.address, address(source), address(gradient), address(target)))


TILES_HOLD = 142
"""What the exponent fields of the smallest numbers but zero of two factors add up to, at least, where no sum of their
products is a subnormal number: all are multiples of 2**(field - 127 - 7) times the other one."""


def exponent(c: Library, array: Array) -> int:
    """The exponent field of the smallest number but zero of bfloat16; -1 where tiles are not for this array."""
    return int(c.lib.aclspec_smallest_exponent(c.ffi.from_buffer(array), array.size, threads()))


def tiles_hold(one: int, other: int) -> bool:
    """Whether tiles, which take subnormal numbers for zero, find none for factors with these exponents."""
    return min(one, other) > 0 and one + other >= TILES_HOLD


def contract_tiles(
    c: Library, of: Sum, factor: Factor, source: Array, weight: Array, bias: Array | None, target: Array
) -> bool:
    """As its namesake, for one phase in bfloat16, by tiles; False where they do not pay."""
    address = c.ffi.from_buffer
    shift = c.ffi.NULL if bias is None else address("float[]", bias)
    arrays = address(source), address(weight), shift, address(target)
    status = c.lib.aclspec_contract_tiles(of.address, factor.address, *arrays)
    check(min(status, 0))
    return bool(status == 0)


def correlate_tiles(c: Library, of: Sum, source: Array, gradient: Array, target: Array) -> bool:
    """As its namesake, for the forward phase in bfloat16, by tiles; False where they do not pay."""
    address = c.ffi.from_buffer
    status = c.lib.aclspec_correlate_tiles(of.address, address(source), address(gradient), address(target))
    check(min(status, 0))
    return bool(status == 0)


def is_finite(c: Library, dtype: int, array: Array) -> bool:
    """Whether all elements are."""
    return bool(c.lib.aclspec_finite(dtype, c.ffi.from_buffer(array), array.size))


def _is_plain(lane: Lane, size: int) -> bool:
    targets = [member.targets for member in lane.members]
    return lane.stride == 1 and lane.offsets == (0,) and targets == [slice(0, size, 1)]


def channel_sums(c: Library, dtype: DType, array: Array) -> Array:
    """The float64 sum over each channel."""
    sums = np.empty(array.shape[1])
    of = rows(c, dtype, array.shape, False)
    check(c.lib.aclspec_channel_sums(of, c.ffi.from_buffer(array), c.ffi.from_buffer("double[]", sums)))
    return sums
