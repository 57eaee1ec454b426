"""Rows of a matrix that are looked up and reduced in bags."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def embedding_bag(
    weight: Array,
    indices: Array,
    offsets: Array,
    by_frequency: bool,
    mode: int,
    sparse: bool,
    factors: Array | None,
    ends_with_offset: bool,
    padding: int,
    out: Array,
    bag_of: Array,
    sizes: Array,
    rows: Array,
    precision: Precision,
) -> None:
    """Write for each bag of indices the sum, the mean or the largest elements of the rows of weight that they name.

    - Shapes: a bag is a part of indices, from one offset to the next; the last one ends with indices, or with the last
      offset. The index padding is left out. out has a row for each bag, bag_of an element for each index or none, and
      rows is like out where the largest elements are asked for, else it is left as it was.
    - Precision: rows and factors are rounded to the role ``operand``; products add in float64, rounded to
      ``accumulate`` and to the output.
    - Source: the formula of the operator's spec.
    """
    del by_frequency, sparse
    arithmetic = Arithmetic.of(precision)
    table = arithmetic.read(weight).astype(np.float64)
    begins, ends = offsets[: -1 if ends_with_offset else None], offsets[1:]
    if not ends_with_offset:
        ends = np.append(ends, indices.size)
    scale = np.ones(indices.size) if factors is None else arithmetic.read(factors)
    reduced = np.zeros(out.shape)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for bag, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            kept = begin + np.flatnonzero(indices[begin:end] != padding)
            chosen = table[indices[kept]]
            sizes[bag] = len(kept)
            if mode not in (0, 1):
                rows[bag] = 0
            if not len(kept):
                continue
            if mode == 0:
                reduced[bag] = (chosen * scale[kept, np.newaxis]).sum(0)
            elif mode == 1:
                reduced[bag] = chosen.sum(0) / len(kept)
            else:
                largest = chosen.argmax(0)
                reduced[bag] = chosen[largest, np.arange(out.shape[1])]
                rows[bag] = indices[kept[largest]]
        arithmetic.write(out, reduced)
    if bag_of.size:
        bag_of[...] = (begins[:, np.newaxis] <= np.arange(indices.size)).sum(0) - 1
