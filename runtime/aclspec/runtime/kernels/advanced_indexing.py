"""Elements that tensors of indices choose along several axes: read, written and added."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision
from aclspec.runtime.kernels.scattering import write_at


def index(values: Array, indices: tuple[Array, ...], out: Array, precision: Precision) -> None:
    """Write the elements of values that indices name.

    - Shapes: each of indices is for one of the first axes, and one without elements for a whole axis. The axes to which
      they broadcast take the place of those, or come first where whole axes stand between.
    - Masks: where out does not have the shape of the places that masks name, the call is refused.
    - Source: the formula of the operator's spec. A negative index counts from the end.
    """
    del precision
    try:
        chosen = values[_key(indices)]
        fits = chosen.shape == out.shape
    except (ValueError, IndexError):
        fits = False
    if not fits:
        raise _misfit("The shape of out", "aclnnIndex")
    np.copyto(out, chosen)


def index_put(
    target: Array, indices: tuple[Array, ...], values: Array, accumulate: bool, unsafe: bool, precision: Precision
) -> None:
    """Write values to the places of target that indices name, or add them there.

    - Shapes: indices are as in `index`; the values broadcast to the places.
    - Masks: where the values do not broadcast to the places that masks name, the call is refused.
    - Order: of several values for one place the last one stays, in the order of the indices whatever their strides.
    - Precision: elements are rounded to the role ``operand`` and combined one after the other in ``accumulate``.
    - Extra memory: a copy of target in the dtype ``accumulate``, and of values.
    - Source: the formula of the operator's spec.
    """
    del unsafe
    arithmetic = Arithmetic.of(precision)
    written = np.array(arithmetic.read(target))
    try:
        key = _key(indices)
        elements = np.broadcast_to(arithmetic.read(values), written[key].shape)
    except ValueError:
        raise _misfit("The values", "aclnnIndexPutImpl") from None
    write_at(written, key, elements, np.add if accumulate else None)
    arithmetic.write(target, written)


def _misfit(what: str, function: str) -> AclnnError:
    """The refusal of a call that does not fit the places that its masks name."""
    sentence = f"{what} and the indices do not fit the places that the masks among the indices name."
    return AclnnError(while_calling(sentence, function), Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)


def _key(indices: tuple[Array, ...]) -> tuple[Any, ...]:
    """What NumPy indexes with: a slice for a whole axis; contiguous, as NumPy writes in the order of their memory.

    A mask stands for the places that it names, an array for each of its axes.
    """
    parts: list[Array | None] = []
    for one in indices:
        parts += [None] if not one.size else np.nonzero(one) if one.dtype == np.bool_ else [one]
    together = np.broadcast_shapes(*(one.shape for one in parts if one is not None))
    return tuple(slice(None) if one is None else np.broadcast_to(one, together).copy() for one in parts)
