"""Tensors of random numbers, and the random masks of dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.philox import Stream, spans
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def normal(target: Array, mean: float, std: float, seed: int, offset: int, precision: Precision) -> None:
    """Fill a tensor of any shape with numbers of a normal distribution, in row-major order.

    - Precision: all runs in float64 and is rounded once to the output, towards zero where that holds integers.
    - Extra memory: the output in its own dtype, and some blocks in float64.
    - Source: the generator is `Stream`'s, the distribution the operator's.
    """
    del precision
    stream, numbers = Stream(seed, offset), np.empty(target.size, target.dtype)
    with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
        for first, count in spans(target.size):
            round_into(numbers[first : first + count], mean + std * stream.normals(first, count))
    target[...] = numbers.reshape(target.shape)


def uniform(target: Array, start: float, end: float, seed: int, offset: int, precision: Precision) -> None:
    """Fill a tensor of any shape with numbers from ``start`` up to but not including ``end``, in row-major order.

    - Precision: all runs in float64 and is rounded once to the output, towards zero where that holds integers. A number
      that would be rounded to ``end`` becomes the number before it that the dtype has.
    - Extra memory: the output in its own dtype, and some blocks in float64.
    - Source: the generator is `Stream`'s, the distribution the operator's.
    """
    del precision
    stream, numbers = Stream(seed, offset), np.empty(target.size, target.dtype)
    width = end - start  # infinite where it is beyond every number
    last = None if np.issubdtype(target.dtype, np.integer) or start == end else _before(start, end, target.dtype)
    with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
        for first, count in spans(target.size):
            fractions, part = stream.fractions(first, count), numbers[first : first + count]
            values = start + fractions * width if np.isfinite(width) else (1 - fractions) * start + fractions * end
            round_into(part, values)
            if last is not None:
                np.copyto(part, last, where=part > last)
    target[...] = numbers.reshape(target.shape)


def gen_mask(shape: Sequence[int], prob: float, seed: int, offset: int, out: Array, precision: Precision) -> None:
    """Fill a mask with bits that are 0 with a probability, one for each element and as many more as fill the mask.

    - Shapes: out holds 8 bits in each element, in row-major order, the lowest bit first.
    - Precision: the probability is rounded to the role ``probability``; a bit is 1 where a word of 32 bits, as a
      fraction, is at least that.
    - Extra memory: the mask, and some blocks of words.
    - Source: the generator is `Stream`'s, the layout the operator's.
    """
    del shape
    dtype = precision["probability"]
    assert isinstance(dtype, DType)
    dropped = np.uint64(round(float(round_to(np.asarray(prob), dtype)) * 2**32))
    stream, mask = Stream(seed, offset), np.empty(out.size, np.uint8)
    for first, count in spans(8 * out.size):
        bits = stream.words(first, count) >= dropped
        mask[first // 8 : (first + count) // 8] = np.packbits(bits, bitorder="little")
    out[...] = mask.reshape(out.shape)


def gen_mask_v2(
    shape: Sequence[int], prob: float, seed: int, offset: int, dtype: DType, out: Array, precision: Precision
) -> None:
    """`gen_mask`, where the dtype has its say in the precision."""
    del dtype
    gen_mask(shape, prob, seed, offset, out, precision)


def do_mask(x: Array, mask: Array, prob: float, out: Array, precision: Precision) -> None:
    """``x / (1 - prob)`` where the bit of mask is 1, zero elsewhere; with a prob of 0 or 1 the mask is not read.

    - Shapes: x and out are alike; mask holds a bit for each element of x in row-major order, the lowest of a byte
      first, and may be longer.
    - Precision: x is rounded to the role ``operand``, the quotient runs in ``accumulate`` and is rounded to ``result``,
      then to the output.
    - Extra memory: twice x in the dtype of ``accumulate``, and a byte for each element.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    values = arithmetic.read(x)
    zero = values.dtype.type(0)
    with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
        if prob in (0, 1):
            arithmetic.write(out, values if prob == 0 else np.zeros_like(values))
            return
        bits = np.unpackbits(np.ascontiguousarray(mask).reshape(-1), count=x.size, bitorder="little")
        kept = bits.reshape(x.shape).astype(np.bool_)
        arithmetic.write(out, np.where(kept, values / values.dtype.type(1 - prob), zero))


def bernoulli(like: Array, prob: Array | float, seed: int, offset: int, out: Array, precision: Precision) -> None:
    """Write 1 where a number from 0 up to but not including 1 is below the probability, and 0 elsewhere.

    - Shapes: like and out are alike, the probability broadcasts to them. The elements of like are not read.
    - Extra memory: a byte for each element, and some blocks in float64.
    - Source: the generator is `Stream`'s.
    """
    del like, precision
    stream, drawn = Stream(seed, offset), np.empty(out.size, np.bool_)
    limits = np.broadcast_to(np.asarray(prob, np.float64), out.shape).reshape(-1)
    for first, count in spans(out.size):
        drawn[first : first + count] = stream.fractions(first, count) < limits[first : first + count]
    out[...] = drawn.reshape(out.shape)


def inplace_bernoulli(target: Array, prob: Array | float, seed: int, offset: int, precision: Precision) -> None:
    """Fill a tensor as `bernoulli` does."""
    bernoulli(target, prob, seed, offset, target, precision)


def integers(target: Array, start: int, end: int, seed: int, offset: int, precision: Precision) -> None:
    """Fill a tensor of any shape with integers from ``start`` up to but not including ``end``, in row-major order.

    - Precision: an integer is the remainder of a word of 64 bits, rounded once to the output, to whether it is not 0
      where that is BOOL.
    - Extra memory: the output in its own dtype, and some blocks of words.
    - Source: the generator is `Stream`'s.
    """
    del precision
    stream, numbers = Stream(seed, offset), np.empty(target.size, target.dtype)
    width = np.uint64(end - start)
    with np.errstate(all="ignore"):  # a number beyond every int64 wraps around as it is added to
        for first, count in spans(target.size):
            halves = stream.words(2 * first, 2 * count).astype(np.uint64).reshape(count, 2)
            steps = ((halves[:, 0] << np.uint64(32)) | halves[:, 1]) % width
            drawn = (steps + np.int64(start).astype(np.uint64)).view(np.int64)
            round_into(numbers[first : first + count], drawn if target.dtype != np.bool_ else drawn != 0)
    target[...] = numbers.reshape(target.shape)


def normal_around(
    mean: Array | float, std: Array | float, seed: int, offset: int, out: Array, precision: Precision
) -> None:
    """Write numbers of normal distributions whose means and deviations broadcast to the shape of out.

    - Precision: all runs in float64 and is rounded once to the output.
    - Extra memory: the output in its own dtype, and some blocks in float64.
    - Source: the generator is `Stream`'s, the distribution the operator's.
    """
    del precision
    stream, numbers = Stream(seed, offset), np.empty(out.size, out.dtype)
    means, stds = (np.broadcast_to(np.asarray(one, np.float64), out.shape).reshape(-1) for one in (mean, std))
    with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
        for first, count in spans(out.size):
            at = slice(first, first + count)
            round_into(numbers[at], means[at] + stds[at] * stream.normals(first, count))
    out[...] = numbers.reshape(out.shape)


def normal_everywhere(mean: float, std: float, seed: int, offset: int, out: Array, precision: Precision) -> None:
    """Write numbers of one normal distribution."""
    normal(out, mean, std, seed, offset, precision)


def leaky_relu_of_random_slopes(
    x: Array,
    noise: Array,
    lower: float,
    upper: float,
    training: bool,
    seed: int,
    offset: int,
    out: Array,
    precision: Precision,
) -> None:
    """x where it is above 0, x times a slope elsewhere: in training a random one, which noise keeps, with 1 above 0.

    - Precision: slopes are rounded to the dtype of noise, products run in float64 and are rounded once.
    - Extra memory: x and its slopes in float64.
    - Source: the generator is `Stream`'s.
    """
    del precision
    values, slopes = x.astype(np.float64), np.asarray((lower + upper) / 2)
    with np.errstate(all="ignore"):  # overflow to infinity is an answer here, not an accident
        if training:
            drawn = lower + (upper - lower) * Stream(seed, offset).fractions(0, x.size).reshape(x.shape)
            round_into(noise, np.where(values <= 0, drawn, 1.0))
            slopes = noise.astype(np.float64)
        round_into(out, np.where(values <= 0, values * slopes, values))


def multinomial(
    weights: Array, draws: int, replacement: bool, seed: int, offset: int, out: Array, precision: Precision
) -> None:
    """Draw places of each row with probabilities that go by their weights.

    - Shapes: weights (..., c), out (..., draws). A weight that is not above 0 counts as 0.
    - Order: with replacement a place is where a number falls among the sums of the weights. Without it places stand in
      ascending order of an exponential number divided by their weight, and those without weight last.
    - Extra memory: the weights in float64, and as many random numbers.
    - Source: the generator is `Stream`'s; Efraimidis and Spirakis, Weighted random sampling with a reservoir (2006).
    """
    del precision
    stream = Stream(seed, offset)
    rows = weights.astype(np.float64).reshape(-1, weights.shape[-1])
    rows = np.where(rows > 0, rows, 0.0)
    found = np.empty((len(rows), draws), np.int64)
    numbers = draws if replacement else rows.shape[1]
    with np.errstate(all="ignore"):  # a weight of 0 divides to infinity here, not by accident
        for row, chances in enumerate(rows):
            drawn = stream.fractions(row * (numbers + numbers % 2), numbers)
            if replacement:
                sums = np.cumsum(chances)
                places = np.searchsorted(sums, drawn * sums[-1], side="right")
                found[row] = np.minimum(places, np.flatnonzero(chances)[-1] if chances.any() else 0)
            else:
                found[row] = np.argsort(-np.log1p(-drawn) / chances, kind="stable")[:draws]
    out[...] = found.reshape(out.shape)


def _before(start: float, end: float, dtype: np.dtype[Any]) -> Array:
    """The largest number of a floating dtype that is below ``end``; that of ``start`` where no number lies between."""
    first, last = (round_to(np.asarray(one), DType.of(dtype)) for one in (start, end))
    if float(last) >= end:
        last = np.nextafter(last, np.asarray(-np.inf, dtype))
    return np.maximum(first, last)
