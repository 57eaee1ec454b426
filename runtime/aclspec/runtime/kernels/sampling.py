"""Reading an image at the places that a grid names, and gradients of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, cast

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


class Tap(NamedTuple):
    """For each place on one axis an element that counts, whether there is one, its weight, and the slope of that."""

    place: Array
    inside: Array
    weight: Array
    slope: Array


def grid_sample(
    x: Array, grid: Array, interpolation: int, padding: int, align_corners: bool, out: Array, precision: Precision
) -> None:
    """Interpolate x between the elements around each place of the grid.

    - Shapes: the last axis of the grid has one coordinate for each axis of an image, that of the last axis first.
      ``channels`` in precision is the axis of the channels.
    - Precision: places and weights are computed in float64; weights are rounded to ``accumulate``, in which products
      and sums run.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        images = _channels_last(arithmetic.read(x), precision)
        total = np.zeros((*grid.shape[:-1], images.shape[-1]), images.dtype)
        for taps in product(*_taps(images, grid, interpolation, padding, align_corners)):
            weight, inside = _joint(taps)
            values = np.where(inside[..., None], images[_at(taps)], 0)
            total += values * weight[..., None].astype(total.dtype)
        arithmetic.write(_channels_last(out, precision), total)


def grid_sample_backward(
    gradient: Array,
    x: Array,
    grid: Array,
    interpolation: int,
    padding: int,
    align_corners: bool,
    mask: Sequence[bool],
    x_gradient: Array,
    grid_gradient: Array,
    precision: Precision,
) -> None:
    """Differentiate `grid_sample` with respect to x and to the grid; mask says which of the two is written."""
    arithmetic = Arithmetic.of(precision)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        images = _channels_last(arithmetic.read(x), precision)
        upstream = _channels_last(arithmetic.read(gradient), precision)
        shares, slopes = np.zeros_like(images), np.zeros(grid.shape, np.float64)
        for taps in product(*_taps(images, grid, interpolation, padding, align_corners)):
            weight, inside = _joint(taps)
            seen = np.where(inside[..., None], upstream, 0)
            np.add.at(shares, _at(taps), seen * weight[..., None].astype(seen.dtype))
            value = (seen * np.where(inside[..., None], images[_at(taps)], 0)).sum(-1, dtype=np.float64)
            for axis, tap in enumerate(reversed(taps)):
                others = [other.weight for other in taps if other is not tap]
                slopes[..., axis] += value * tap.slope * np.prod(others, axis=0)
        if mask[0]:
            arithmetic.write(_channels_last(x_gradient, precision), shares)
        if mask[1]:
            arithmetic.write(grid_gradient, slopes)


def _channels_last(array: Array, precision: Precision) -> Array:
    return np.moveaxis(array, cast("int", precision["channels"]), -1)


def _joint(taps: Sequence[Tap]) -> tuple[Array, Array]:
    weight = np.prod([tap.weight for tap in taps], axis=0)
    return weight, np.logical_and.reduce([tap.inside for tap in taps])


def _at(taps: Sequence[Tap]) -> tuple[Array, ...]:
    """The elements of images at the taps, each in its own batch."""
    batch = np.arange(taps[0].place.shape[0]).reshape(-1, *(1,) * (taps[0].place.ndim - 1))
    return batch, *(tap.place for tap in taps)


def _taps(images: Array, grid: Array, interpolation: int, padding: int, align: bool) -> list[list[Tap]]:
    """The taps of each axis of an image."""
    sizes, found = images.shape[1:-1], []
    for axis, size in enumerate(sizes):
        coordinate = grid[..., len(sizes) - 1 - axis].astype(np.float64)
        place = (coordinate + 1) / 2 * (size - 1) if align else ((coordinate + 1) * size - 1) / 2
        scale = (size - 1) / 2 if align else size / 2
        if interpolation == BICUBIC:
            found.append(_cubic_taps(place, scale, size, padding, align))
            continue
        place, slope = _brought_in(place, size, padding, align)
        low = np.floor(place) if interpolation == BILINEAR else np.rint(place)
        part = place - low if interpolation == BILINEAR else np.zeros_like(place)
        slope = slope * scale if interpolation == BILINEAR else np.zeros_like(place)
        taps = [_tap(low, size, 1 - part, -slope), _tap(low + 1, size, part, slope)]
        found.append(taps if interpolation == BILINEAR else taps[:1])
    return found


def _cubic_taps(place: Array, scale: float, size: int, padding: int, align: bool) -> list[Tap]:
    low, found = np.floor(place), []
    for offset in (-1, 0, 1, 2):
        signed = place - low - offset
        d = np.abs(signed)
        weight = np.where(d <= 1, (1.25 * d - 2.25) * d * d + 1, ((-0.75 * d + 3.75) * d - 6) * d + 3)
        slope = np.where(d <= 1, (3.75 * d - 4.5) * d, (-2.25 * d + 7.5) * d - 6) * np.sign(signed)
        found.append(_tap(_brought_in(low + offset, size, padding, align)[0], size, weight, slope * scale))
    return found


def _tap(place: Array, size: int, weight: Array, slope: Array) -> Tap:
    inside = (place >= 0) & (place <= size - 1)
    return Tap(np.where(inside, place, 0).astype(np.int64), inside, weight, slope)


def _brought_in(place: Array, size: int, padding: int, align: bool) -> tuple[Array, Array]:
    """Places within an axis where padding asks for it, and how fast they move with those given."""
    slope = np.ones_like(place)
    if padding == ZEROS:
        return place, slope
    if padding == REFLECTION:
        low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
        if span == 0:
            return np.zeros_like(place), np.zeros_like(place)
        distance = np.abs(place - low)
        flips, rest = np.floor(distance / span), np.fmod(distance, span)
        slope = np.where(place < low, -1.0, 1.0) * np.where(flips % 2 == 0, 1.0, -1.0)
        place = np.where(flips % 2 == 0, rest, span - rest) + low
    slope = np.where((place <= 0) | (place >= size - 1), 0.0, slope)
    return np.clip(place, 0, size - 1), slope
