"""Refuses to compute on a tensor that holds what it may not; only an operator whose spec says so pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.rules.bounds import Bounds
    from aclspec.runtime.rules.operator_table import OperatorTable


def require_elements(operator: OperatorTable, product: str, values: Sequence[Any]) -> None:
    """Refuse a call with an element outside its bounds, naming the first one and its index."""
    from aclspec.runtime.rules.bounds import bounds_of  # brings the interpreter, which other operators do not need

    call = dict(zip((param.name for param in operator.params), values, strict=True))
    for name, tensor, bounds in bounds_of(operator.info, call, product):
        place = first_outside(tensor.array, bounds)
        if place is not None:
            sentence = f"The element of {name} at {place} ({tensor.array[place]}) is outside its range, {bounds}."
            raise AclnnError(while_calling(sentence, operator.name), Status.ACLNN_ERR_RUNTIME_ERROR)


def first_outside(array: NDArray[Any], bounds: Bounds) -> tuple[int, ...] | None:
    """The index of the first element outside the bounds, in row-major order; a NaN is outside."""
    inside = np.ones(array.shape, np.bool_)
    if bounds.low is not None:
        inside &= array >= bounds.low
    if bounds.below is not None:
        inside &= array < bounds.below
    return None if inside.all() else tuple(int(at) for at in np.unravel_index(np.argmin(inside), array.shape))
