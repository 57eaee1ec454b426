"""Elements and rows that indices name: gathered, and summed in the gradient."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision


def gather(values: Array, dim: int, index: Array, out: Array, precision: Precision) -> None:
    """Write for each element of index the element of values that it names along one axis.

    - Shapes: index and out alike; on the other axes index may be smaller than values. A scalar has one axis.
    - Source: the formula of the operator's spec. A negative index counts from the end.
    """
    del precision
    source, places = np.atleast_1d(values), np.atleast_1d(index)
    axis = dim % source.ndim
    beside = tuple(slice(None if i == axis else size) for i, size in enumerate(places.shape))
    np.copyto(out, np.take_along_axis(source[beside], places, axis).reshape(out.shape))


def gather_slices(values: Array, dim: int, index: Array, out: Array, precision: Precision) -> None:
    """Write the slices of values along one axis that index names; its axes take the place of that one.

    - Shapes: out is values with the axes of index in place of the axis, or a new axis of size 1 for a scalar index.
      A scalar counts as one of one element.
    - Source: the formula of the operator's spec. A negative index counts from the end.
    """
    del precision
    chosen = np.take(np.atleast_1d(values), np.atleast_1d(index), axis=dim)
    np.copyto(out, chosen.reshape(out.shape))


def embedding(weight: Array, indices: Array, out: Array, precision: Precision) -> None:
    """Write one row of the matrix weight for each index; out has the shape of indices and the row's axis."""
    del precision
    np.copyto(out, weight[indices])


def embedding_dense_backward(
    grad: Array, indices: Array, rows: int, padding: int, by_frequency: bool, out: Array, precision: Precision
) -> None:
    """Write for each row of an embedding the sum of those rows of grad whose index it is.

    - Shapes: grad has a row for each index, in row-major order, and out a row for each of the embedding. The row
      padding stays 0. Where by_frequency is true, a sum is divided by the number of its indices.
    - Precision: grad is rounded to the role ``operand``; it is added in float64 and divided, then rounded to the role
      ``accumulate`` and to the output.
    - Extra memory: out in float64, and a copy of grad.
    - Source: the formula of the operator's spec.
    """
    arithmetic = Arithmetic.of(precision)
    places = indices.reshape(-1).astype(np.int64)
    chosen = places != padding
    gradients = arithmetic.read(grad).reshape(places.size, grad.shape[-1])[chosen]
    places = places[chosen]
    sums = np.zeros((rows, gradients.shape[1]))
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        np.add.at(sums, places, gradients)
        if by_frequency:
            sums /= np.maximum(np.bincount(places, minlength=rows), 1)[:, np.newaxis]
        arithmetic.write(out, sums)


def one_hot(labels: Array, classes: int, on: Array, off: Array, axis: int, out: Array, precision: Precision) -> None:
    """Write for each label, along a new axis, the first element of on at its place and that of off elsewhere.

    - Shapes: out is labels with an axis of the classes inserted, -1 behind the last one.
    - Source: the formula of the operator's spec.
    """
    del precision
    hot = np.moveaxis(labels[..., np.newaxis] == np.arange(classes), -1, axis)
    np.copyto(out, np.where(hot, on.reshape(-1)[0], off.reshape(-1)[0]))
